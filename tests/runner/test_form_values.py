"""What is typed is what arrives: texts, numbers, choices, dates, any JSON."""

import pytest

from .browsing import Visit

KEEP = {
    "type": "object",
    "required": ["text"],
    "properties": {
        "text": {"type": "string"},
        "code": {"anyOf": [{"type": "integer"}, {"type": "string"}], "default": 0},
    },
}
TEXTS = [
    "0012",
    '{"a": 1}',
    "null",
    "true",
    "1e5",
    "  x  ",
    "one\ntwo\nthree\n",
    "\n\nx",
    "\ttab",
    "&lt; & </textarea>",
]


def field(schema, *, required=True):
    return {"properties": {"x": schema}, "required": ["x"] if required else []}


def typed(schema, text):
    visit = Visit(field(schema)).type(x=text)
    form = visit.submit()
    return form.arguments.get("x"), [problem.message for problem in form.faults]


@pytest.mark.parametrize("text", TEXTS)
def test_text_arrives_exactly_as_typed(text):
    assert Visit(KEEP).type(text=text).submit().arguments == {"text": text}


@pytest.mark.parametrize("text", [*TEXTS, "a\r\nb", "\r"])
def test_text_is_the_same_when_running_again(text):
    assert Visit(KEEP, {"text": text}).submit().arguments == {"text": text}


@pytest.mark.parametrize(
    ("text", "code"), [("12", 12), ("0012", "0012"), ("12.0", "12.0"), ("x", "x")]
)
def test_a_text_is_a_number_only_if_it_reads_the_same_again(text, code):
    visit = Visit(KEEP).type(text="t", code=text)
    value = visit.submit().arguments["code"]
    assert (type(value), value) == (type(code), code)


def test_text_is_picked_where_a_number_could_stand():
    visit = Visit(KEEP).type(text="t", code="12").at("pick:/code", "1")
    assert visit.submit().arguments["code"] == "12"
    assert visit.value("pick:/code") == "1"


def test_a_number_that_was_picked_must_be_one():
    visit = Visit(KEEP).type(text="t", code="x").at("pick:/code", "0")
    visit.submit()
    assert visit.problems() == [("code", "must be a whole number")]
    assert visit.value("arg:/code") == "x"


@pytest.mark.parametrize("code", [12, "12", "0012", "12.0", 0, "0", ""])
def test_numbers_and_texts_stay_apart_when_running_again(code):
    value = Visit(KEEP, {"text": "t", "code": code}).submit().arguments["code"]
    assert (type(value), value) == (type(code), code)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("integer", "12345678901234567890123", 12345678901234567890123),
        ("integer", " -7 ", -7),
        ("integer", "5.0", 5),
        ("number", "1.5", 1.5),
        ("number", "3", 3),
        ("number", "1e5", 100000.0),
    ],
)
def test_numbers_are_read_exactly(kind, text, value):
    assert typed({"type": kind}, text) == (value, [])


@pytest.mark.parametrize(
    ("kind", "text", "fault"),
    [
        ("integer", "abc", "must be a whole number"),
        ("integer", "1.5", "must be a whole number"),
        ("integer", "0012", "must be a whole number, written without zeros in front"),
        ("number", "1e400", "must be a number"),
        ("number", "NaN", "must be a number"),
        (
            "number",
            "1,5",
            "must be a number, written with a dot and without separators",
        ),
    ],
)
def test_what_is_no_number_is_kept_and_told(kind, text, fault):
    visit = Visit(field({"type": kind})).type(x=text)
    visit.submit()
    assert visit.problems() == [("x", fault)]
    assert visit.value("arg:/x") == text


MEMBERS = [1, "1", True, "true", "", " two  words ", {"a": [1]}, 1.5, "x"]


@pytest.mark.parametrize("value", MEMBERS)
def test_members_of_any_type_are_told_apart(value):
    visit = Visit(field({"enum": MEMBERS}), {"x": value})
    chosen = visit.submit().arguments["x"]
    assert (type(chosen), chosen) == (type(value), value)


@pytest.mark.parametrize(
    ("count", "kind"), [(3, "radio"), (12, "select"), (1000, "search")]
)
def test_a_choice_is_shown_by_its_size(count, kind):
    visit = Visit(field({"enum": [f"m{i}" for i in range(count)]}))
    assert visit.form.root.children[0].kind == kind
    assert visit.type(x="m2").submit().arguments == {"x": "m2"}


def test_a_choice_that_is_none_is_kept_and_told():
    visit = Visit(field({"enum": [f"m{i}" for i in range(1000)]})).type(x="zebra")
    visit.submit()
    assert visit.problems() == [("x", "is not one of the choices")]
    assert visit.value("arg:/x") == "zebra"


def test_choices_with_titles_show_them():
    members = [{"const": "a", "title": "Apple"}, {"const": "b", "title": "Pear"}]
    visit = Visit(field({"oneOf": members}))
    assert "Pear" in visit.html
    assert visit.type(x="b").submit().arguments == {"x": "b"}


def test_a_constant_needs_no_filling_in():
    visit = Visit(field({"const": {"v": 2}}))
    assert visit.submit().arguments == {"x": {"v": 2}}


@pytest.mark.parametrize("text", ['{"a": [1, null]}', "null", '"text"', "12", "[]"])
def test_what_has_no_shape_is_json(text):
    value, faults = typed({}, text)
    assert faults == []
    assert Visit(field({}), {"x": value}).submit().arguments == {"x": value}


def test_examples_and_recent_values_are_offered():
    schema = field({"type": "string", "pattern": "^a", "examples": ["apple"]})
    visit = Visit(schema, suggestions={"/x": ["avocado"]})
    assert '<option value="apple">' in visit.html
    assert '<option value="avocado">' in visit.html


def test_examples_of_numbers_are_offered_too():
    visit = Visit(field({"type": "integer", "examples": [7, None]}))
    assert '<option value="7">' in visit.html


REMIND = {
    "type": "object",
    "required": ["day", "at"],
    "properties": {
        "day": {"type": "string", "format": "date"},
        "at": {"type": "string", "format": "date-time"},
        "every": {"type": "string", "format": "duration", "default": "PT1H"},
    },
}


def remind(at="2024-03-10T00:30", day="2024-03-10", zone="Europe/Oslo"):
    return Visit(REMIND, timezone=zone).type(day=day, at=at)


def test_a_time_means_the_wall_clock_of_the_zone_beside_it():
    visit = remind(zone="Etc/GMT-2")
    assert "time zone: Etc/GMT-2" in visit.html
    assert visit.submit().arguments == {
        "day": "2024-03-10",
        "at": "2024-03-10T00:30:00+02:00",
    }


def test_the_same_wall_time_is_shown_after_an_error():
    visit = remind().type(every="often")
    visit.submit()
    assert [label for label, _ in visit.problems()] == ["every"]
    assert visit.value("arg:/at") == "2024-03-10T00:30"
    assert visit.value("arg:/day") == "2024-03-10"


def test_the_same_wall_time_is_shown_when_running_again_elsewhere():
    given = remind(zone="Etc/GMT-2").submit().arguments
    again = Visit(REMIND, given, timezone="America/New_York")
    assert again.value("arg:/at") == "2024-03-10T00:30:00"
    assert "time zone: +02:00" in again.html
    assert again.submit().arguments == given


@pytest.mark.parametrize(
    "at",
    ["2024-03-10T00:30:00Z", "2024-03-10T00:30", "2024-03-10 00:30:00.25+05:30"],
)
def test_other_spellings_of_a_moment_stay_as_they_are(at):
    given = {"day": "2024-03-10", "at": at}
    assert Visit(REMIND, given, timezone="Europe/Oslo").submit().arguments == given


def test_a_time_that_a_clock_change_leaves_out_is_told():
    visit = remind(at="2024-03-31T02:30")
    visit.submit()
    words = "does not exist in Europe/Oslo: the clocks go forward over it"
    assert visit.problems() == [("at", words)]
    assert visit.value("arg:/at") == "2024-03-31T02:30"


@pytest.mark.parametrize("field", ["day", "at"])
def test_a_day_that_does_not_exist_is_told_and_kept(field):
    text = "2024-02-30" if field == "day" else "2024-02-30T10:00"
    visit = remind(**{field: text})
    visit.submit()
    assert [label for label, _ in visit.problems()] == [field]
    assert visit.value(f"arg:/{field}") == text


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("duration", "PT1H30M", "90"),
        ("uuid", "123e4567-e89b-12d3-a456-426614174000", "123"),
        ("uri", "https://example.org", "example.org"),
        ("email", "a@example.org", "a@"),
        ("time", "14:30", "25:00"),
    ],
)
def test_formats_are_checked(name, good, bad):
    assert typed({"type": "string", "format": name}, good) == (good, [])
    value, faults = typed({"type": "string", "format": name}, bad)
    assert (value, len(faults)) == (bad, 1)
