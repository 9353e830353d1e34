"""What is too large, too far away or not there gets a clear answer."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from catalog.models import AuditEntry
from runner import actions
from runner.models import Run, State, Upload

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def add(tool_factory):
    parameters = {"type": "object", "properties": {"a": {}}}
    return tool_factory("add", parameters=parameters)


def test_file_over_the_limit_is_413_and_not_kept(api, alice, settings):
    settings.UPLOAD_MAX_BYTES = 10
    file = SimpleUploadedFile("a.txt", b"x" * 11)
    answer = api(alice).client.post("/api/v1/uploads", {"file": file})
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
    assert not Upload.objects.exists()


def test_body_over_the_limit_is_413_and_starts_nothing(api, alice, add, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    body = {"arguments": {"a": "x" * 1000}}
    answer = api(alice).post("tools/demo/add/runs", body)
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
    assert not Run.objects.exists()


@pytest.mark.parametrize("pk", [0, -1, 2**63, 10**30])
def test_upload_that_cannot_be_is_400(api, alice, add, pk):
    body = {"arguments": {"a": {"upload": pk}}}
    answer = api(alice).post("tools/demo/add/runs", body)
    assert answer.status_code == 400
    assert f"no upload {pk} of yours" in answer.text


def test_long_keys_start_one_run(alice, add):
    one, other = (
        actions.start_run(
            tool=add, by=alice, arguments={"a": 1}, door="page", key="k" * 300
        )
        for _ in range(2)
    )
    assert one == other


@pytest.mark.parametrize("day", ["9999-12-31", "0001-01-01"])
@pytest.mark.parametrize("name", ["since", "until"])
def test_days_that_are_too_far_away_are_400(api, alice, name, day):
    answer = api(alice).get("runs", **{name: day})
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["pointer"] == f"/{name}"


@pytest.mark.parametrize("word", ["Zürich", 'say "hi"', "目"])
def test_words_of_arguments_are_found_in_any_script(api, alice, run_factory, word):
    run_factory(alice, arguments={"town": f"in {word} today"})
    run_factory(alice, arguments={"town": "elsewhere"})
    assert len(api(alice).get("runs", q=word.split()[-1]).json()["results"]) == 1


@pytest.mark.parametrize(
    "path", ["tools/demo/%00", "tools/demo/a%00b/contract", "runs/1/artifacts/%00"]
)
def test_name_with_a_nul_is_404(api, alice, path):
    assert api(alice).get(path).status_code == 404


@pytest.mark.parametrize("path", ["nope", "runs/abc", "tools/"])
def test_address_that_is_not_there_is_a_problem_document(api, alice, path):
    answer = api(alice).get(path)
    assert answer.status_code == 404
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["code"] == "not_found"


def test_links_to_files_can_be_followed_as_they_are(api, alice, run_factory):
    files = ["50%25.txt", "a#b c.txt"]
    run = run_factory(alice, state=State.SUCCEEDED, outcome={"files": files})
    links = api(alice).get(f"runs/{run.pk}").json()["links"]["artifacts"]
    ends = [link.rpartition("/")[2] for link in links]
    assert ends == ["50%2525.txt", "a%23b%20c.txt"]


def test_cancel_by_somebody_else_is_told_with_its_door(api, alice, root, run_factory):
    run = run_factory(alice)
    api(root).post(f"runs/{run.pk}/cancel")
    assert AuditEntry.objects.get(verb="cancelled").door == "api"
