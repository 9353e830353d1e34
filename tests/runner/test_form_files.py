"""Files are uploaded beside the form and carried by their id."""

from django.core.files.uploadedfile import SimpleUploadedFile

from catalog.schema import normalise
from runner import forms

from .browsing import Page

SCHEMA = normalise(
    {
        "required": ["name", "table"],
        "properties": {
            "name": {"type": "string", "minLength": 1},
            "table": {"type": "string", "format": "binary"},
            "more": {
                "type": "array",
                "items": {"type": "string", "contentEncoding": "base64"},
            },
        },
    }
)


def read(post, **files):
    kept = []

    def store(upload, path):
        kept.append((path, upload.read()))
        return 40 + len(kept)

    uploads = {f"file:/{n}": SimpleUploadedFile(f"{n}.csv", b"a,b") for n in files}
    return forms.read(SCHEMA, post, files=uploads, store=store), kept


def test_a_form_with_a_file_says_so():
    assert forms.build(SCHEMA).has_files
    assert not forms.build(normalise({"properties": {"a": {}}})).has_files


def test_an_upload_is_stored_and_carried_by_its_id():
    form, kept = read({"arg:/name": "n"}, table=True)
    assert form.arguments == {"name": "n", "table": {"upload": 41}}
    assert kept == [("/table", b"a,b")]


def test_an_upload_is_kept_over_a_failed_submit():
    form, _ = read({"arg:/name": ""}, table=True)
    assert [problem.label for problem in form.faults] == ["name"]
    assert "table.csv" in str(form)
    again = forms.read(SCHEMA, Page(str(form)).post() | {"arg:/name": "n"})
    assert again.arguments == {"name": "n", "table": {"upload": 41}}


def test_a_missing_file_is_told():
    form, kept = read({"arg:/name": "n"})
    assert [(p.label, p.message) for p in form.faults] == [("table", "required")]
    assert kept == []


def test_running_again_carries_the_same_upload():
    given = {"name": "n", "table": {"upload": 7}, "more": [{"upload": 8}]}
    form = forms.build(SCHEMA, arguments=given)
    assert forms.read(SCHEMA, Page(str(form)).post()).arguments == given
