"""The history: own runs, all for staff; filters; keyset pages."""

from datetime import timedelta

import pytest
from django.utils import timezone

from runner.models import Run


@pytest.fixture
def rows(client):
    def get(by, **query):
        client.force_login(by)
        return [run.pk for run in client.get("/runs/", query).context["runs"]]

    return get


def test_shows_ones_own_runs_newest_first(rows, run_factory, alice, bob):
    first, second = run_factory(alice), run_factory(alice)
    run_factory(bob)
    assert rows(alice) == [second.pk, first.pk]


def test_shows_staff_everybodys(rows, run_factory, alice, root):
    run = run_factory(alice)
    assert rows(root) == [run.pk]


def test_filters_by_state(rows, run_factory, alice):
    run_factory(alice)
    failed = run_factory(alice, state="failed")
    assert rows(alice, state="failed") == [failed.pk]


def test_live_stands_for_all_that_goes_on(rows, run_factory, alice):
    live = [run_factory(alice), run_factory(alice, state="running")]
    run_factory(alice, state="failed")
    assert rows(alice, state="live") == [live[1].pk, live[0].pk]


def test_filters_by_tool(rows, run_factory, tool_factory, alice):
    run_factory(alice)
    other = run_factory(alice, tool_factory("sub"))
    assert rows(alice, tool="demo/sub") == [other.pk]
    assert rows(alice, tool="su") == [other.pk]


def test_filters_by_person(rows, run_factory, alice, bob, root):
    run_factory(alice)
    run = run_factory(bob)
    assert rows(root, user="bob") == [run.pk]


def test_filters_by_a_word_of_the_arguments(rows, run_factory, alice):
    run_factory(alice, arguments={"path": "quay.png"})
    run = run_factory(alice, arguments={"path": "harbour.png"})
    assert rows(alice, q="harbour") == [run.pk]


def test_a_day_as_the_end_counts_whole(rows, run_factory, alice):
    run = run_factory(alice)
    today = timezone.localdate().isoformat()
    yesterday = (timezone.localdate() - timedelta(days=1)).isoformat()
    assert rows(alice, since=today, until=today) == [run.pk]
    assert rows(alice, until=yesterday) == []


def test_a_day_that_does_not_exist_is_told(client, run_factory, alice):
    run_factory(alice)
    client.force_login(alice)
    answer = client.get("/runs/", {"since": "2024-02-30"})
    assert "does not exist" in answer.text
    assert not answer.context["runs"]


def test_leads_on_to_older_runs(client, run_factory, alice):
    runs = [run_factory(alice) for _ in range(51)]
    client.force_login(alice)
    first = client.get("/runs/")
    assert runs[0] not in first.context["runs"]
    assert client.get(first.context["next_url"]).context["runs"] == [runs[0]]


def test_history_outlives_person_and_tool(rows, client, run_factory, alice, root):
    run = run_factory(alice)
    alice.delete()
    client.force_login(root)
    assert "alice" in client.get("/runs/").text
    assert Run.objects.get().pk == run.pk


def test_asks_the_database_no_more_for_ten_runs_than_for_one(
    client, run_factory, alice, django_assert_max_num_queries
):
    client.force_login(alice)
    run_factory(alice, state="failed")
    with django_assert_max_num_queries(4):
        client.get("/runs/")
    for _ in range(9):
        run_factory(alice, state="failed")
    with django_assert_max_num_queries(4):
        client.get("/runs/")


def test_answers_htmx_with_the_rows_alone(client, run_factory, alice):
    run_factory(alice)
    client.force_login(alice)
    answer = client.get("/runs/", headers={"HX-Request": "true"})
    assert answer.text.lstrip().startswith('<div id="rows"')


def test_the_wall_is_for_staff(client, run_factory, alice, root):
    run = run_factory(alice, state="running")
    client.force_login(alice)
    assert client.get("/runs/wall/").status_code == 403
    client.force_login(root)
    assert f'data-strip="{run.pk}"' in client.get("/runs/wall/").text


def test_the_dock_holds_ones_own_live_runs(client, run_factory, alice, bob):
    mine, others = run_factory(alice, state="running"), run_factory(bob)
    client.force_login(alice)
    text = client.get("/runs/dock/").text
    assert f'data-strip="{mine.pk}"' in text
    assert f'data-strip="{others.pk}"' not in text


def test_the_dock_leaves_out_the_run_of_the_page(client, run_factory, alice):
    run = run_factory(alice, state="running")
    client.force_login(alice)
    assert "data-strip=" not in client.get(f"/runs/dock/?but={run.pk}").text
    assert client.get(f"/runs/{run.pk}/").text.count("data-strip=") == 1


def test_somebody_elses_run_can_be_watched_in_ones_dock(client, run_factory, bob, root):
    run = run_factory(bob, state="running")
    client.force_login(root)
    assert "Watch in my dock" in client.get(f"/runs/{run.pk}/").text
    assert f'data-strip="{run.pk}"' not in client.get("/runs/dock/").text
    for _ in range(2):
        client.post(f"/runs/{run.pk}/watch/", {"wanted": "yes"})
    dock = client.get("/runs/dock/").text
    assert f'data-strip="{run.pk}"' in dock
    assert "started by bob" in dock
    client.post(f"/runs/{run.pk}/watch/", {"wanted": "no"})
    assert f'data-strip="{run.pk}"' not in client.get("/runs/dock/").text


def test_a_watched_run_goes_with_the_right_to_see_it(client, run_factory, bob, root):
    run = run_factory(bob, state="running")
    client.force_login(root)
    client.post(f"/runs/{run.pk}/watch/", {"wanted": "yes"})
    root.is_staff = root.is_superuser = False
    root.save()
    assert f'data-strip="{run.pk}"' not in client.get("/runs/dock/").text
    assert client.post(f"/runs/{run.pk}/watch/", {"wanted": "yes"}).status_code == 404


def test_ones_own_run_needs_no_watching(client, run_factory, alice):
    run = run_factory(alice, state="running")
    client.force_login(alice)
    assert "Watch in my dock" not in client.get(f"/runs/{run.pk}/").text
