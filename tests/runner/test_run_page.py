"""One run's page: what happened, what it returned, to those who may see it."""

import re

import pytest
from django.core.files.base import ContentFile

from runner import actions, events
from runner.events import Item
from runner.models import Artifact, Run, State


@pytest.fixture
def show(client):
    def get(run, user=None, **options):
        client.force_login(user or run.user)
        return client.get(f"/runs/{run.pk}/", **options)

    return get


def printed(run, *texts, stream="stdout"):
    offset = 0
    for text in texts:
        data = {"stream": stream, "text": text, "offset": offset}
        events.append(run, [Item("output", data)])
        offset += len(text)


def test_a_stranger_gets_404(show, run_factory, alice, bob):
    assert show(run_factory(alice), bob).status_code == 404


def test_staff_see_the_runs_of_others(show, run_factory, alice, root):
    assert show(run_factory(alice), root).status_code == 200


def test_names_who_when_and_which_version(show, run_factory, alice):
    text = show(run_factory(alice, state="succeeded", outcome={"value": 3})).text
    assert "alice" in text
    assert "version 1" in text
    assert "Succeeded" in text
    assert ">3<" in text


def test_stands_at_the_number_that_it_shows(show, run_factory, alice):
    run = run_factory(alice, state="running")
    printed(run, "one\n", "two\n")
    text = show(run).text
    run.refresh_from_db()
    assert f'data-after="{run.last_seq}"' in text
    assert "one\ntwo\n</span>" in text


def test_tells_stderr_from_stdout(show, run_factory, alice):
    run = run_factory(alice, state="running")
    printed(run, "good\n")
    printed(run, "bad\n", stream="stderr")
    assert '<span class="stderr">bad\n</span>' in show(run).text


def test_shows_markup_that_a_tool_prints_returns_or_raises_as_text(
    show, run_factory, alice
):
    evil = "<img src=x onerror=\"window.hit=1\"><class 'int'> &lt;"
    outcome = {
        "value": {evil: evil},
        "message": evil,
        "error": evil,
        "suggestion": evil,
        "traceback": evil,
        "model_text": evil,
    }
    run = run_factory(alice, state="failed", outcome=outcome, arguments={"a": evil})
    printed(run, evil)
    events.append(run, [Item("note", {"text": evil})], label=evil)
    text = show(run).text
    assert "<img src=x" not in text
    assert text.count("&lt;class &#x27;int&#x27;&gt; &amp;lt;") >= 9


def test_shows_rows_as_a_table(show, run_factory, alice):
    value = [{"name": "a", "n": 1}, {"name": "b", "n": 2}]
    text = show(run_factory(alice, state="succeeded", outcome={"value": value})).text
    assert '<th scope="col" class="number">n</th>' in text
    assert '<td class="number">2</td>' in text


def test_shows_big_numbers_exactly(show, run_factory, alice):
    value = 12345678901234567890123
    run = run_factory(alice, state="succeeded", outcome={"value": value})
    assert f">{value}<" in show(run).text


def test_shows_half_a_surrogate_pair_by_its_number(show, run_factory, alice):
    run = run_factory(alice, state="succeeded", outcome={"value": "half \ud800"})
    answer = show(run)
    assert answer.status_code == 200
    assert "half \\ud800" in answer.text


@pytest.mark.parametrize(
    ("reported_by", "words"),
    [
        ("tool", "The tool reports a failure"),
        ("exception", "The tool broke off"),
        ("arguments", "The tool refused the arguments"),
    ],
)
def test_says_who_reported_a_failure(show, run_factory, alice, reported_by, words):
    outcome = {
        "error": "no such file",
        "suggestion": "list them",
        "reported_by": reported_by,
    }
    text = show(run_factory(alice, state="failed", outcome=outcome)).text
    assert words in text
    assert "no such file" in text
    assert "list them" in text


def test_says_why_a_run_was_refused(show, run_factory, alice):
    run = run_factory(alice)
    events.move(run, State.REFUSED, reason="switched off by root: moving house")
    text = show(run).text
    assert "Not started" in text
    assert "moving house" in text


def test_says_that_no_worker_serves_the_queue(show, run_factory, alice):
    text = show(run_factory(alice)).text
    assert "No worker serves the queue default" in text
    assert "None was ever seen" in text


def test_offers_a_preview_to_its_own_person_only(show, run_factory, alice, root):
    run = run_factory(alice, state="succeeded", shade="preview", outcome={"value": 1})
    assert "Do exactly this" in show(run).text
    assert "Do exactly this" not in show(run, root).text


def test_tells_which_run_does_what_a_preview_showed(show, run_factory, alice):
    run = run_factory(
        alice, state="succeeded", shade="preview", arguments={"a": 1, "b": 2}
    )
    doing = actions.confirm_run(run=run, by=alice, door="page")
    text = show(run).text
    assert f"run {doing.pk}" in text
    assert "Do exactly this" not in text


def test_offers_the_complete_text_only_where_there_is_some(show, run_factory, alice):
    run = run_factory(alice)
    events.move(run, State.REFUSED, reason="switched off")
    assert "Complete text" not in show(run).text


def test_masks_a_secret_that_was_given(show, run_factory, alice):
    run = run_factory(alice, arguments={"user": "u"}, secret_pointers=["/api_key"])
    text = show(run).text
    assert "api_key" in text
    assert "••••••" in text


def test_offers_cancel_only_while_it_helps(show, run_factory, alice):
    running, ended = (
        run_factory(alice, state="running"),
        run_factory(alice, state="failed"),
    )
    assert f"/runs/{running.pk}/cancel/" in show(running).text
    assert f"/runs/{ended.pk}/cancel/" not in show(ended).text


def test_large_output_shows_head_and_tail_and_counts_the_rest(show, run_factory, alice):
    run = run_factory(alice, state="running")
    lines = [f"{number:06} {'x' * 40}\n" for number in range(20_000)]
    printed(run, *("".join(lines[at : at + 1000]) for at in range(0, 20_000, 1000)))
    text = show(run).text
    assert len(text) < 400_000
    assert "000000 " in text
    assert "019999 " in text
    assert "010000 " not in text
    left_out = int(re.search(r"(\d+) lines, \d+ characters left out", text)[1])
    shown = len(re.findall(r"^(?:.*>)?\d{6} x{40}$", text, re.MULTILINE))
    assert 0 <= 20_000 - shown - left_out <= 2  # the two at the cut are halved


def test_one_endless_line_is_bounded_too(show, run_factory, alice):
    run = run_factory(alice, state="running")
    printed(run, *("y" * 50_000 for _ in range(20)))
    text = show(run).text
    assert len(text) < 300_000
    assert "0 lines, " in text


def test_answers_htmx_with_the_parts_that_change(show, run_factory, alice):
    run = run_factory(alice, state="succeeded", outcome={"value": 3})
    text = show(run, headers={"HX-Request": "true"}).text
    assert 'data-part="head"' in text
    assert 'data-part="result"' in text
    assert 'data-part="facts"' in text
    assert "<html" not in text


def test_cancelling_leads_back_and_tells_who(client, run_factory, alice):
    run = run_factory(alice)
    client.force_login(alice)
    answer = client.post(
        f"/runs/{run.pk}/cancel/", headers={"Referer": "http://testserver/runs/"}
    )
    assert answer["Location"] == "http://testserver/runs/"
    run.refresh_from_db()
    assert (run.state, run.reason) == ("cancelled", "cancelled by alice")


def test_nobody_cancels_anothers_run(client, run_factory, alice, bob):
    run = run_factory(alice)
    client.force_login(bob)
    assert client.post(f"/runs/{run.pk}/cancel/").status_code == 404
    assert Run.objects.get().state == "queued"


def test_cancelling_never_leads_off_the_site(client, run_factory, alice):
    run = run_factory(alice)
    client.force_login(alice)
    answer = client.post(
        f"/runs/{run.pk}/cancel/", headers={"Referer": "http://evil.test/"}
    )
    assert answer["Location"] == f"/runs/{run.pk}/"


def test_a_page_of_one_run_costs_the_same_however_much_it_printed(
    client, run_factory, alice, django_assert_max_num_queries
):
    client.force_login(alice)
    run = run_factory(alice, state="running")
    printed(run, *("line\n" for _ in range(50)))
    with django_assert_max_num_queries(10):
        client.get(f"/runs/{run.pk}/")


def give(run, name, content, media_type):
    file = Artifact(run=run, name=name, media_type=media_type, size=len(content))
    file.file.save(f"runs/{run.pk}/{name}", ContentFile(content))


@pytest.mark.parametrize(
    ("name", "media_type", "content", "seen"),
    [
        ("plot.png", "image/png", b"\x89PNG", "<img src="),
        ("t.csv", "text/csv", b"city,high\nOslo,16\n", "<td>Oslo</td>"),
        ("d.json", "application/json", b'{"deep": [1]}', ">deep<"),
        ("r.txt", "text/plain", b"a <b>report</b>", "a &lt;b&gt;report&lt;/b&gt;"),
        ("p.html", "text/html", b"<script>1</script>", "&lt;script&gt;1"),
    ],
)
def test_shows_what_is_in_a_file_where_that_is_safe(
    show, run_factory, alice, name, media_type, content, seen
):
    run = run_factory(alice, state="succeeded", outcome={"value": None})
    give(run, name, content, media_type)
    text = show(run).text
    assert seen in text
    assert f"/artifacts/{name}?download" in text


def test_a_file_that_is_broken_or_gone_is_still_listed(show, run_factory, alice):
    run = run_factory(alice, state="succeeded", outcome={"value": None})
    give(run, "broken.json", b"{", "application/json")
    give(run, "gone.txt", b"text", "text/plain")
    gone = run.artifacts.get(name="gone.txt")
    gone.file.storage.delete(gone.file.name)
    text = show(run).text
    assert "broken.json" in text
    assert "gone.txt" in text
