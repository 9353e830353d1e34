"""C40: secrets are sealed at rest and masked in all that a run says."""

import pytest

from runner.secrets import MASK, Masker, seal, unseal

SECRET = "s3cr3t-4711"


def test_sealed_values_come_back_and_are_not_readable():
    sealed = seal({"/key": SECRET})
    assert SECRET.encode() not in sealed
    assert unseal(sealed) == {"/key": SECRET}
    assert seal({}) is None
    assert unseal(None) == {}


@pytest.mark.parametrize("size", range(1, 14))
def test_secret_is_masked_however_the_output_is_cut(size):
    text = f"a {SECRET}{SECRET} b s3cr3 {SECRET[:-1]} {SECRET}\n"
    masker, out = Masker([SECRET]), ""
    for at in range(0, len(text), size):
        out += masker.piece("stdout", text[at : at + size])
    out += masker.piece("stdout", "", last=True)
    assert out == text.replace(SECRET, MASK)


def test_streams_are_masked_each_for_itself():
    masker = Masker([SECRET])
    first = masker.piece("stdout", SECRET[:5])
    second = masker.piece("stderr", SECRET[5:])
    assert (first, second) == ("", SECRET[5:])


def test_values_are_masked_at_any_depth():
    value = {"a": [f"key={SECRET}"], SECRET: {"n": 1}, "ok": None}
    assert Masker([SECRET]).value(value) == {
        "a": [f"key={MASK}"],
        MASK: {"n": 1},
        "ok": None,
    }


def test_longer_secret_is_masked_before_one_it_contains():
    assert Masker(["abc", "abcdef"]).text("abcdef abc") == f"{MASK} {MASK}"
