"""``leastnoise check`` on columns of numbers beside words, codes, years, signs and answers."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from leastnoise.frames.checks.look import check

DICE = Random(26)
LONG = 500


def column(name: str, entries: Iterable[object]) -> str:
    listed = [*entries]
    DICE.shuffle(listed)
    return f"row,{name}\n" + "".join(f"r{i},{entry}\n" for i, entry in enumerate(listed))


def drawn(low: int, high: int, times: int = LONG, step: int = 1) -> list[int]:
    return [DICE.randrange(low, high + 1, step) for _ in range(times)]


def choice(*entries: str) -> list[str]:
    return [DICE.choice(entries) for _ in range(300)]


def pointed(low: int, high: int) -> str:
    return "ort;miete\n" + "".join(f"o{x};{x:,}\n".replace(",", ".") for x in drawn(low, high, 600))


# what stands in the file, what is told (nothing, if nothing is wrong), the last of each option
COLUMNS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "99 beside ages": (
        column("age", drawn(18, 97) + [99] * 50), "50 entries are 99", {"missing_values": 99}
    ),
    "98 and 99 beside hours": (
        column("hours", drawn(0, 40) + [98] * 70 + [99] * 80), "70 entries are 98",
        {"missing_values": 98},
    ),
    "77 and 88 beside hours": (
        column("hours", drawn(0, 60, 545) + [77] * 25 + [88] * 30), "25 entries are 77",
        {"missing_values": 77},
    ),
    "ages to 99": (column("age", drawn(18, 99)), "", {}),
    "few that are old": (column("age", drawn(18, 80) + drawn(81, 99, 30)), "", {}),
    "percents": (column("share", [x / 10 for x in drawn(0, 1000)]), "", {}),
    "thousands by a point": (
        pointed(100, 3000), "the point parts thousands", {"separator": ";", "thousands": ".",
        "decimal": ","},
    ),
    "thousands or decimals": (pointed(2000, 9000), "if the point parts thousands",
                              {"separator": ";"}),
    "kilograms": (
        column("kg", [f"{x / 1000:.3f}" if x % 9 else x // 1000 for x in drawn(1001, 9999)]),
        "if the point parts thousands", {},
    ),
    "words and numbers": (
        column("v", [*choice(*("red", "blue")), *drawn(1, 99, 100)]), "a mean or median is of", {}
    ),
    "numbers in words": (
        column("v", choice("one", "two", "three", "ten", "12", "15")),
        "in words or signs are not read",
        {},
    ),
    "a code that is told once": (
        column("temp", [*drawn(-20, 35), *["-99.9"] * 150]), "entries are -99.9, far more than",
        {"missing_values": -99.9},
    ),
    "swapped columns": (
        column("lat", [*[x / 1000 for x in drawn(47_000, 55_000)],
                       *[x / 1000 for x in drawn(6_000, 15_000, 60)]]),
        "60 entries are far from all others", {},
    ),
    "one far away": (column("age", [*drawn(18, 80), 430]), "one entry is far from all", {}),
    "a long tail": (column("price", [round(DICE.lognormvariate(3, 1), 2) for _ in range(LONG)]),
                    "", {}),
    "a mean in the gaps": (
        column("pay", [*drawn(1000, 9000), *["2841.37"] * 200]), "200 entries are 2841.37", {}
    ),
    "lost points": (
        column("price", [*[f"{x / 100:.2f}" for x in drawn(1001, 9999)],
                         *drawn(1000, 9999, 60)]),
        "60 entries without a point", {},
    ),
    "whole prices": (
        column("price", [*[f"{x / 100:.2f}" for x in drawn(1001, 9999)], *drawn(10, 99, 60)]), "",
        {},
    ),
    "never renovated": (
        column("renovated_year", [*drawn(1950, 2020, 100), *[0] * 400]), "entries are exactly 0", {}
    ),
    "other bases": (column("n", [hex(x) for x in drawn(4096, 9999)]), "other bases than ten", {}),
    "a comma in the first row": (
        "name,pay\nDoe, John,7\n" + "".join(f"n{i},{x}\n" for i, x in enumerate(drawn(10, 99, 90))),
        "one row has more fields", {},
    ),
    "Y and N beside 1 and 0": (
        column("ok", choice(*"YN10")), "labels are written in several ways", {}
    ),
    "letters beside grades": (column("grade", choice(*"ABCD123")), "", {}),
    "letters for what is kept back": (
        column("n", [*drawn(1, 500), *"cz" * 60, "c"]), "121 entries are no numbers",
        {"missing_values": "z"},
    ),
    "codes with an E": (
        column("code", choice("12E5", "1E10", "3D44", "77A1", "9F02")),
        "a letter stands between digits", {},
    ),
    "powers of ten": (column("x", choice("1E5", "2E5", "12E-3", "4E10")), "", {}),
    "years of two digits": (
        column("year", choice("1985", "85", "05", "1999", "03")), "years of two digits", {}
    ),
    "years alone": (column("yr", choice("98", "99", "00", "01", "02")), "years of two digits", {}),
    "whole years": (column("year", drawn(1950, 2024)), "", {}),
    "years of work": (column("years", drawn(0, 40)), "", {}),
    "tickets": (
        column("ticket", [*drawn(10_000, 90_000, 300), *["CA 2144", "C 17369"] * 20]),
        "40 entries are no numbers", {},
    ),
    "circa": (column("n", [*drawn(1, 90), *["ca. 50", "c. 12"] * 20]), "a limit is no number", {}),
    "a second table": (
        "name,pay\n" + "".join(f"n{i},{x}\n" for i, x in enumerate(drawn(10, 99, 90)))
        + "\nname,score\n" + "".join(f"n{i},{x}\n" for i, x in enumerate(drawn(500, 900, 9))),
        "row 92 holds other names, 'name', 'score'", {},
    ),
    "another table": (
        "town,pay\n" + "".join(f"n{i},{x}\n" for i, x in enumerate(drawn(10, 99, 90)))
        + "\nstreet,rent\n" + "".join(f"n{i},{x}\n" for i, x in enumerate(drawn(500, 900, 9))),
        "a second table stands below", {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", COLUMNS)
def test_columns(kind: str, tmp_path: Path) -> None:
    content, words, options = COLUMNS[kind]
    path = tmp_path / "t.csv"
    path.write_text(content, encoding="utf-8")
    found = check(path)
    assert words in str(found)
    assert words or not found.findings, str(found)
    last = {name: x[-1] if isinstance(x, list) else x for name, x in found.options.items()}
    assert last == options, str(found)


@pytest.mark.parametrize(
    ("entries", "told"),
    [
        (lambda: choice("one", "two", "12"), " missing"),
        (lambda: choice("N", "S"), "no entry is read as numbers"),
        (lambda: ["x", *drawn(1, 9)], " missing"),
    ],
)
def test_with_bounds_numbers_are_meant(
    entries: Callable[[], list[Any]], told: str, tmp_path: Path
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(column("v", entries()), encoding="utf-8")
    found = check(path, "v", bounds=(0, 100))
    assert told in " ".join(x.what for x in found.findings)
    assert "N" not in found.options.get("missing_values", ())  # or no entry would be left


PLAIN = [(i, (i + 1) % 40) for i in range(40)]
ARROWS, PAIRS, CASES = (
    "".join(written.format(a, b) for a, b in PLAIN)
    for written in ("{} -> {}\n", "({}, {})\n", "U{},u{}\n")
)
# the name of a file of edges, what it holds, what is told and the options that fix it
EDGES: dict[str, tuple[str, str | bytes, str, dict[str, Any]]] = {
    f"packed {name}": (
        name, gzip.compress("".join(f"{a},{b}\n" for a, b in PLAIN).encode()), "add .gz to", {}
    )
    for name in ("g.txt", "g.edges", "g.edgelist", "g.el", "g.csv", "g.tsv")
} | {
    f"{sign!r} in {name}": (
        name, "a b\n".replace(" ", sign) + "".join(f"{a}{sign}{b}\n" for a, b in PLAIN),
        "are separated by", {"separator": "tab" if sign == "\t" else sign},
    )
    for name, signs in (("g.csv", ";\t| "), ("g.tsv", ",;"), ("g.txt", ";|:"), ("g.edges", ";"))
    for sign in signs
} | {
    "neighbours": ("g.txt", "4 4\n2 3\n1 3\n1 2 4\n3\n", "lists of neighbours", {}),
    "neighbours of one length": (
        "g.txt", "".join(f"{i} {(i + 1) % 40} {(i + 7) % 40} {(i + 9) % 40}\n" for i in range(40)),
        "may be lists of neighbours", {},
    ),
    "scores beside edges": (
        "g.txt", "".join(f"{a} {b} {a % 5} {2000 + b}\n" for a, b in PLAIN), "", {},
    ),
    "zeros in front": (
        "g.txt", "".join(f"{a:03d} {b}\n" for a, b in PLAIN), "are one node by their number", {},
    ),
    "zeros in front of all": ("g.txt", "".join(f"{a:03d} {b:03d}\n" for a, b in PLAIN), "", {}),
    "MatrixMarket": ("g.txt", "%%MatrixMarket matrix\n3 3 1\n1 2\n", "scipy.io.mmread", {}),
    "GML": ("g.txt", "graph [\n node [\n id 1\n", "networkx.read_gml", {}),
    "arrows": ("g.txt", ARROWS, "write each line as 0,1", {}),
    "pairs": ("g.csv", PAIRS, "write each line as 0,1", {}),
    "two cases": ("g.csv", CASES, "are two nodes", {}),
    "weights": ("g.txt", "".join(f"{a} {b} 0.5\n" for a, b in PLAIN), "", {}),
    "names": ("g.csv", "source,target\n" + "".join(f"{a},{b}\n" for a, b in PLAIN), "", {}),
}  # fmt: skip


@pytest.mark.parametrize("kind", EDGES)
def test_files_of_edges(kind: str, tmp_path: Path) -> None:
    name, content, words, options = EDGES[kind]
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    found = check(path, nodes=40)
    assert words in str(found)
    assert bool(words) is bool(found.findings), str(found)
    assert found.options == options
    if options:
        assert not check(path, nodes=40, **options).findings


def test_letters_of_most_rows_are_labels_and_no_gaps(tmp_path: Path) -> None:
    """Rows whose cells were moved by one have a number in a column of letters."""
    file = tmp_path / "moved.csv"
    rows = [f"{i},{'m' if i % 2 else 'f'}" if i % 6 else f"{i},{150 + i}" for i in range(400)]
    file.write_text("\n".join(["id,sex", *rows]))
    found = check(file)
    assert "67 of 400 entries are numbers and the others are words" in str(found)
    assert "missing_values" not in found.options


def test_a_label_that_python_writes_for_a_missing_entry_is_named(tmp_path: Path) -> None:
    file = tmp_path / "schools.csv"
    file.write_text("\n".join(["school", *["Primary", "None", "Secondary"] * 40]))
    found = check(file)
    assert "'None' (40) beside the labels counts as missing" in str(found)
    assert "'' alone" in str(found)
    assert "missing_values" not in found.options
    assert "counts as missing" not in str(check(file, missing_values=[""]))


def test_ones_among_zeros_are_no_long_tail() -> None:
    assert "of the sum" not in str(check({"flag": [0.0] * 900 + [1.0] * 4}))
