"""Where secrets and files stand, and how secrets leave the arguments."""

from catalog.schema import file_pointers, normalise, put, secret_pointers, take

SECRET = {"type": "string", "format": "password", "writeOnly": True}
LOGIN = normalise(
    {
        "properties": {
            "user": {"type": "string"},
            "key": SECRET,
            "maybe": {"anyOf": [SECRET, {"type": "null"}]},
            "rows": {"type": "array", "items": {"$ref": "#/$defs/Row"}},
            "map": {"type": "object", "additionalProperties": SECRET},
            "list": {"type": "array", "items": SECRET},
            "file": {"type": "string", "format": "binary"},
            "files": {
                "type": "array",
                "items": {"type": "string", "contentEncoding": "base64"},
            },
        },
        "$defs": {"Row": {"properties": {"pin": SECRET, "name": {"type": "string"}}}},
    }
)
GIVEN = {
    "user": "u",
    "key": "k",
    "maybe": "m",
    "rows": [{"name": "a"}, {"pin": "p", "name": "b"}],
    "map": {"a/b": "x"},
    "list": ["y"],
    "file": {"upload": 1},
    "files": [{"upload": 2}],
}
PLACES = ["/key", "/maybe", "/rows/1/pin", "/map/a~1b", "/list/0"]


def test_secrets_are_found_wherever_they_stand():
    assert secret_pointers(LOGIN, GIVEN) == PLACES


def test_what_was_not_given_is_no_secret():
    assert secret_pointers(LOGIN, {"user": "u", "maybe": None, "rows": [{}]}) == []


def test_a_secret_in_any_variant_is_a_secret():
    plain = {"properties": {"pin": {"type": "string"}, "a": {"type": "integer"}}}
    closed = {"properties": {"pin": SECRET}}
    schema = normalise({"properties": {"x": {"anyOf": [plain, closed]}}})
    assert secret_pointers(schema, {"x": {"pin": "1"}}) == ["/x/pin"]


def test_taking_and_putting_back_gives_the_same():
    rest, taken = take(GIVEN, PLACES)
    assert rest["rows"] == [{"name": "a"}, {"name": "b"}]
    assert rest["list"] == [None]
    assert rest["map"] == {}
    assert "key" not in rest
    assert taken["/map/a~1b"] == "x"
    assert put(rest, taken) == GIVEN


def test_taking_leaves_the_original_as_it_is():
    take(GIVEN, PLACES)
    assert GIVEN["key"] == "k"


def test_files_are_found_wherever_they_stand():
    assert file_pointers(LOGIN, GIVEN) == ["/file", "/files/0"]
