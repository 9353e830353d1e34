"""How values are shown: by what they are, never deeper or longer than a page bears."""

from runner.shapes import shape


def test_bytes_that_were_kept_are_a_file_in_their_place():
    value = {"parts": [{"$file": "part.bin", "size": 1, "hex": "ff"}]}
    [(name, parts)] = shape(value).items
    [(_, file)] = parts.items
    assert (name, file.kind, file.text) == ("parts", "file", "part.bin")
    assert file.items[0][1].text == "1 byte: ff"


def test_flat_objects_are_a_table():
    assert shape([{"a": 1}, {"a": 2}]).kind == "table"


def test_deep_values_end():
    value = leaf = []
    for _ in range(60):
        leaf.append([])
        leaf = leaf[0]
    assert shape(value).kind in ("array", "line")


def test_long_text_is_cut_and_counted():
    assert shape("x" * 30_000).left_out == 10_000
