"""A tool's page: contract, form, start; one form starts one run."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from catalog.models import ContractVersion, Source, Tool
from runner.models import Run, SavedArguments

SCHEMA = {
    "type": "object",
    "properties": {
        "a": {"type": "integer", "description": "The first"},
        "b": {"type": "integer", "default": 2},
    },
    "required": ["a"],
}


@pytest.fixture
def page(client, alice):
    client.force_login(alice)
    return client


@pytest.fixture
def tool(tool_factory):
    return tool_factory("add", parameters=SCHEMA)


def fields(answer):
    """The fields of the form as a browser would post them."""
    form = re.search(r"<form[^>]*data-start.*?</form>", answer.text, re.DOTALL)[0]
    found = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form)
    return {name: value for name, value in found if name != "csrfmiddlewaretoken"}


def fill(page, tool, **arguments):
    answer = page.get(tool.get_absolute_url())
    typed = {f"arg:/{name}": value for name, value in arguments.items()}
    hows = {f"how:/{name}": "value" for name in arguments}
    return fields(answer) | typed | hows | {"start": "yes"}


def test_shows_the_contract_and_the_help_of_each_parameter(page, tool):
    text = page.get("/tools/demo/add/").text
    assert "The first" in text
    assert "version" in text.lower()
    assert "OpenAI" in text


def test_keeps_line_breaks_and_folds_a_long_description(page, tool_factory):
    lines = [f"    indented {n} <path>" for n in range(80)]
    text = "First line.\n\n- a list\n\n" + "\n".join(lines)
    tool_factory("long", description=text)
    answer = page.get("/tools/demo/long/").text
    assert "First line.\n\n- a list" in answer
    assert "    indented 79 &lt;path&gt;" in answer
    assert answer.index("description-rest") < answer.index("indented 79")


def test_a_post_starts_one_run_and_leads_to_it(page, tool, alice):
    answer = page.post("/tools/demo/add/", fill(page, tool, a="1"))
    run = Run.objects.get()
    assert answer["Location"] == f"/runs/{run.pk}/"
    assert (run.user, run.arguments, run.door) == (alice, {"a": 1}, "page")


def test_the_same_form_posted_twice_starts_one_run(page, tool):
    data = fill(page, tool, a="1")
    first = page.post("/tools/demo/add/", data)
    second = page.post("/tools/demo/add/", data)
    assert first["Location"] == second["Location"]
    assert Run.objects.count() == 1


def test_the_same_form_with_other_values_asks_first(page, tool):
    data = fill(page, tool, a="1")
    page.post("/tools/demo/add/", data)
    answer = page.post("/tools/demo/add/", data | {"arg:/a": "5"})
    assert "started a run before" in answer.text
    assert Run.objects.count() == 1
    page.post("/tools/demo/add/", data | {"arg:/a": "5", "key": fields(answer)["key"]})
    assert Run.objects.count() == 2


def test_a_fresh_form_starts_another(page, tool):
    page.post("/tools/demo/add/", fill(page, tool, a="1"))
    page.post("/tools/demo/add/", fill(page, tool, a="1"))
    assert Run.objects.count() == 2


def test_wrong_input_is_told_at_its_field_and_kept(page, tool):
    answer = page.post("/tools/demo/add/", fill(page, tool, a="many"))
    assert answer.status_code == 200
    assert 'value="many"' in answer.text or ">many</textarea>" in answer.text
    assert 'aria-invalid="true"' in answer.text
    assert not Run.objects.exists()


def test_a_stranger_source_is_404(page, tool):
    from django.contrib.auth.models import Group

    Source.objects.get().groups.add(Group.objects.create(name="few"))
    assert page.get("/tools/demo/add/").status_code == 404


def test_a_tool_that_is_not_there_is_404(page, tool):
    assert page.get("/tools/demo/none/").status_code == 404


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"enabled": False, "reason": "moving house"}, "moving house"),
        ({"state": "gone", "why": "Its source no longer lists it."}, "no longer lists"),
        ({"state": "unusable", "why": "needs an object"}, "needs an object"),
    ],
)
def test_says_why_it_cannot_be_started_instead_of_a_button(page, tool, changes, words):
    data = fill(page, tool, a="1")
    Tool.objects.update(**changes)
    text = page.get("/tools/demo/add/").text
    assert words in text
    assert 'name="start"' not in text
    assert words in page.post("/tools/demo/add/", data).text
    assert not Run.objects.exists()


def test_a_tool_that_asks_first_needs_an_explicit_yes(page, tool_factory):
    tool = tool_factory("send", parameters=SCHEMA, needs_approval=True)
    data = fill(page, tool, a="1")
    assert "Tick this box" in page.post("/tools/demo/send/", data).text
    assert not Run.objects.exists()
    page.post("/tools/demo/send/", data | {"confirm": "yes"})
    assert Run.objects.get().confirmed


def test_only_admins_see_the_switch(page, client, tool, root):
    assert "/switch/" not in page.get("/tools/demo/add/").text
    client.force_login(root)
    assert "/tools/demo/add/switch/" in client.get("/tools/demo/add/").text


def test_run_again_fills_the_form_from_the_old_run(page, tool, run_factory, alice):
    run = run_factory(alice, tool, arguments={"a": 4711})
    answer = page.get(f"/tools/demo/add/?again={run.pk}")
    assert "4711" in answer.text
    assert f"Filled from run {run.pk}" in answer.text


def test_run_again_says_what_changed_in_the_contract(page, tool, run_factory, alice):
    run = run_factory(alice, tool, arguments={"a": 4711})
    contract = tool.now.to_json()
    contract["parameters"] = {
        "type": "object",
        "properties": {"a": {"type": "number"}, "unit": {"type": "string"}},
    }
    tool.contract = ContractVersion.objects.create(
        tool=tool, number=2, fingerprint="f", contract=contract
    )
    tool.save()
    text = page.get(f"/tools/demo/add/?again={run.pk}").text
    assert "then version 1, now version 2" in text
    assert "New: unit. Gone: b. Changed: a." in text


@pytest.mark.parametrize("odd", ["²", "x", "-1", "9" * 30, ""])
def test_odd_numbers_in_the_address_are_no_fault(page, tool, odd):
    for path in (f"/tools/demo/add/?again={odd}&saved={odd}", f"/runs/?before={odd}"):
        assert page.get(path).status_code == 200


def test_run_again_never_reads_a_strangers_run(page, tool, run_factory, bob):
    run = run_factory(bob, tool, arguments={"a": 47114711})
    assert "47114711" not in page.get(f"/tools/demo/add/?again={run.pk}").text


def test_the_address_fills_the_form(page, tool):
    assert "4711" in page.get("/tools/demo/add/?arg.a=4711").text
    assert "4712" in page.get('/tools/demo/add/?args={"a":4712}').text


def test_lists_the_runs_that_this_person_may_see(page, tool, run_factory, alice, bob):
    mine, others = run_factory(alice, tool), run_factory(bob, tool)
    text = page.get("/tools/demo/add/").text
    assert f"#{mine.pk} " in text
    assert f"#{others.pk} " not in text


def test_values_are_saved_under_a_name_and_fill_the_form_again(page, tool, alice):
    data = fill(page, tool, a="4711") | {"save_as": "the usual"}
    answer = page.post("/tools/demo/add/save/", data)
    assert not Run.objects.exists()
    text = page.get(answer["Location"]).text
    assert "4711" in text
    assert "the usual" in text


def test_wrong_values_are_not_saved(page, tool):
    data = fill(page, tool, a="many") | {"save_as": "my plan"}
    text = page.post("/tools/demo/add/save/", data).text
    assert 'aria-invalid="true"' in text
    assert "Nothing was saved" in text
    assert 'value="my plan"' in text
    assert not SavedArguments.objects.exists()


@pytest.mark.parametrize("verb", ["save", "switch"])
def test_address_for_posts_leads_to_the_tool(page, tool, verb):
    answer = page.get(f"/tools/demo/add/{verb}/")
    assert answer["Location"] == "/tools/demo/add/"


def test_file_that_is_too_large_is_told_and_starts_nothing(
    page, tool_factory, settings
):
    settings.UPLOAD_MAX_BYTES = 10
    file = {"type": "object", "x-file": True}
    schema = {"type": "object", "properties": {"a": {"type": "string"}, "f": file}}
    tool = tool_factory("take", parameters=schema)
    brought = SimpleUploadedFile("big.bin", b"x" * 11)
    data = fill(page, tool, a="kept words") | {"file:/f": brought}
    text = page.post("/tools/demo/take/", data).text
    assert "“big.bin” is too large" in text
    assert "kept words" in text
    assert not Run.objects.exists()


def test_values_without_a_name_are_not_saved(page, tool):
    answer = page.post("/tools/demo/add/save/", fill(page, tool, a="1"))
    assert "give the values a name" in answer.text
    assert not SavedArguments.objects.exists()


def test_a_secret_is_never_saved(page, tool_factory):
    schema = {
        "type": "object",
        "properties": {"key": {"type": "string", "format": "password"}},
    }
    tool = tool_factory("login", parameters=schema)
    data = fill(page, tool, key="s3cr3t-4711") | {"save_as": "mine"}
    page.post("/tools/demo/login/save/", data)
    assert SavedArguments.objects.get().arguments == {}


@pytest.mark.parametrize(("shared", "seen"), [(True, True), (False, False)])
def test_only_shared_values_are_seen_by_others(
    page, client, tool, alice, bob, shared, seen
):
    saved = SavedArguments.objects.create(
        user=alice, tool=tool, name="hers", shared=shared, arguments={"a": 4711}
    )
    client.force_login(bob)
    text = client.get(f"/tools/demo/add/?saved={saved.pk}").text
    assert ("hers" in text, "4711" in text) == (seen, seen)


def test_only_ones_own_values_are_removed(page, client, tool, alice, bob):
    saved = SavedArguments.objects.create(
        user=alice, tool=tool, name="hers", shared=True
    )
    client.force_login(bob)
    assert client.post(f"/saved/{saved.pk}/remove/").status_code == 404
    client.force_login(alice)
    assert client.post(f"/saved/{saved.pk}/remove/")["Location"] == "/tools/demo/add/"
    assert not SavedArguments.objects.exists()


def test_recent_values_are_offered_but_never_a_strangers(
    page, tool_factory, run_factory, alice, bob
):
    schema = {"type": "object", "properties": {"path": {"type": "string"}}}
    tool = tool_factory("read", parameters=schema)
    run_factory(alice, tool, arguments={"path": "harbour.png"})
    run_factory(bob, tool, arguments={"path": "private.png"})
    text = page.get("/tools/demo/read/").text
    assert "harbour.png" in text
    assert "private.png" not in text


def test_a_browser_may_go_back_to_a_form_that_was_refused(page, tool):
    fresh = page.get(tool.get_absolute_url())
    refused = page.post(tool.get_absolute_url(), {"start": "yes"})
    assert "no-store" in fresh["Cache-Control"]
    assert refused.status_code == 200
    assert "no-store" not in refused["Cache-Control"]
    assert "private" in refused["Cache-Control"]
