"""Persons by number, and the rows of each that are drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from leastnoise.frames import open_table
from leastnoise.frames.memory import persons
from leastnoise.frames.memory.persons import chosen, person_codes
from leastnoise.randomness import HashedBits

RNG = np.random.default_rng(6)
NEAR = RNG.integers(0, 200, 300)
COLUMNS: dict[str, Any] = {
    "around zero": NEAR - 100,
    "at the end of 64 bits": np.iinfo(np.int64).max - NEAR,
    "across 2**63": NEAR.astype(np.uint64) + np.uint64(2**63 - 100),
    "far apart": NEAR.astype(np.uint64) * np.uint64(2**56),
    "short": (NEAR - 100).astype(np.int8),
    "floats": NEAR / 4,
    "gaps": np.where(NEAR < 20, np.nan, NEAR),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_rows_of_one_person_have_one_number(name: str) -> None:
    values = COLUMNS[name]
    codes = person_codes(open_table({"id": values}), "id")
    known = ~np.isnan(values) if values.dtype.kind == "f" else np.ones(len(values), np.bool_)
    assert np.array_equal(codes < 0, ~known)
    pairs = set(zip(codes[known].tolist(), values[known].tolist(), strict=True))
    assert len(pairs) == len(np.unique(codes[known])) == len(np.unique(values[known]))
    assert codes.max() < 4 * len(values)


@pytest.mark.parametrize("most", [1, 2, 7])
@pytest.mark.parametrize("size", [40, 5000])
def test_least_numbers_of_an_owner_by_their_first_bits(
    most: int, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    owners = RNG.integers(0, size // 9, size) * 3  # some have no entry
    by_words = chosen(owners, most, HashedBits(b"rows"))
    monkeypatch.setattr(persons, "_roughly_least", lambda *_: None)
    assert np.array_equal(by_words, chosen(owners, most, HashedBits(b"rows")))
    assert np.array_equal(np.bincount(owners[by_words]), np.minimum(np.bincount(owners), most))


def test_first_bits_that_tie_tell_nothing() -> None:
    owners = np.array([1, 1, 1, 2])
    numbers = np.array([8, 9, 2**60, 4], np.uint64)
    assert persons._roughly_least(owners, numbers << np.uint64(4), 1) is not None
    assert persons._roughly_least(owners, numbers, 1) is None
    least = persons._least(owners, numbers, 1)
    assert least is not None
    assert least.tolist() == [True, False, False, True]
