"""Plans are refused with the file, the place and the cure, before any data is opened."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.errors import LeastNoiseError
from leastnoise.plans import load_plan

WHOLE = """
title = "Pay"
note = "A note."

[data]
file = "pay.csv"
separator = ";"
decimal = ","
missing = "none"

[privacy]
relation = "add-remove"
unit = "person"
max_rows = 3
ledger = "pay.db"
dataset = "pay-2026"
purpose = "yearbook"

[keys]
region = ["N", "S"]
year = [2025, 2026]

[tables.pay]
title = "Pay by region"
where = 'age >= 18 and `home state` != "X"'
groups = ["region", "year"]
max_groups = 2
epsilon = "1/3"

[tables.pay.statistics.n]
statistic = "count"
weight = 1

[tables.pay.statistics.median]
statistic = "median"
title = "Median pay"
column = "pay"
bounds = [0, 500_000.5]
weight = 2
mechanism = "piecewise-laplace"
target_error = 0.5

[tables.kinds]
groups = {sex = ["f", "m"]}
max_groups = 1

[tables.kinds.statistics]
ages = {statistic = "histogram", column = "age", bins = [0, 18, inf], epsilon = 0.1}
wide = {statistic = "mean", column = "pay", bounds = "private", epsilon = 0.3}

[tables.kinds.statistics.smooth]
statistic = "mean"
column = "pay"
bounds = [0, 1]
epsilon = 0.2
mechanism = {name = "smooth-laplace", delta = 1e-9}
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "plan.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_every_part_of_a_plan_is_read(tmp_path: Path) -> None:
    plan = load_plan(write(tmp_path, WHOLE))
    assert (plan.title, plan.note, plan.file) == ("Pay", "A note.", tmp_path / "pay.csv")
    assert plan.reading == {"separator": ";", "decimal": ","}
    assert (plan.relation, plan.unit, plan.max_rows) == ("add-remove", "person", 3)
    assert (plan.ledger, plan.dataset, plan.purpose) == (
        tmp_path / "pay.db",
        "pay-2026",
        "yearbook",
    )
    pay, kinds = plan.tables
    assert (pay.title, pay.epsilon, pay.max_groups) == ("Pay by region", Fraction(1, 3), 2)
    assert pay.groups == {"region": ["N", "S"], "year": [2025, 2026]}
    assert str(pay.where) == "(col('age') >= 18) & (col('home state') != 'X')"
    count, median = pay.statistics
    assert (count.share, median.share) == (Fraction(1, 3), Fraction(2, 3))
    assert median.statistic == ln.Median("pay", bounds=[0, Fraction("500000.5")])
    assert (median.title, median.target_error) == ("Median pay", Fraction(1, 2))
    assert median.mechanism == ln.PiecewiseLaplace()
    assert kinds.epsilon == Fraction(6, 10)  # exact: 0.1 + 0.2 + 0.3
    assert [a.share for a in kinds.statistics] == [Fraction(i, 6) for i in (1, 3, 2)]
    ages, wide, smooth = kinds.statistics
    assert ages.statistic.spec().axis.edges == (0, 18, float("inf"))
    assert smooth.mechanism == ln.SmoothLaplace(delta=Fraction(1, 10**9))
    assert wide.statistic.bounds == ln.PrivateBounds()
    assert load_plan(tmp_path / "plan.toml", file="other.csv").file == Path("other.csv")


SMALL = """
[data]
file = "pay.csv"
[tables.t]
epsilon = 1
[tables.t.statistics.n]
statistic = "count"
"""


def changed(old: str, new: str, text: str = SMALL) -> str:
    assert old in text
    return text.replace(old, new)


BAD: list[tuple[str, str]] = [
    ("title = \n[data]", r"plan.toml: not valid TOML: .*line 1.*put text in quotes"),
    ("", r"plan.toml: data.file: is missing: name the data"),
    ("titel = 'x'" + SMALL, r"titel: this key is not known; did you mean title\?"),
    (changed("[tables.t]", "[tables.u]\n[tables.t]"), r"tables.u.statistics: give at least one"),
    ('[data]\nfile = "a.csv"', r"tables: the plan releases nothing: give at least one"),
    (changed("file =", "path ="), r"data.path: this key is not known; did you mean file\?"),
    (changed("file =", "fiel ="), r"data.fiel: this key is not known; did you mean file\?"),
    (changed('file = "pay.csv"', "file = 3"), "data.file: must be text in quotes, not a whole"),
    (changed("[tables.t]", "missing = 'ignore'\n[tables.t]"), "data.missing: missing must be"),
    (changed("[tables.t]", "header = 1\n[tables.t]"), "data.header: must be true or false"),
    (
        changed("[tables.t]", "skip_rows = '1'\n[tables.t]"),
        "data.skip_rows: must be a whole number",
    ),
    (changed("[tables.t]", "comment = 1\n[tables.t]"), "data.comment: must be text in quotes"),
    (
        changed("[tables.t]", "[privacy]\nrelation = 'swap'\n[tables.t]"),
        "privacy: relation must be",
    ),
    (changed("[tables.t]", "[privacy]\nunit = 'p'\n[tables.t]"), "privacy: max_rows is required"),
    (changed("[tables.t]", "[privacy]\nmax_rows = 2\n[tables.t]"), "privacy: .*give unit="),
    (
        changed("[tables.t]", "[privacy]\nunit = 'p'\nmax_rows = 'all'\n[tables.t]"),
        "max_rows: must be a whole number",
    ),
    (changed("[tables.t]", "[tables.t]\nother = true"), "needs groups: give groups as well"),
    (
        changed("[tables.t]", "[privacy]\nledger = 'l.db'\n[tables.t]"),
        "privacy.dataset: is missing",
    ),
    (changed("[tables.t]", "[privacy]\ndataset = 'd'\n[tables.t]"), "privacy.dataset: .*ledger ="),
    (
        changed("[tables.t]", "[privacy]\ntotal = 1\n[tables.t]"),
        "tables.t.epsilon: a plan with a total gives",
    ),
    (changed("epsilon = 1", "epsilon = 0"), "tables.t.epsilon: epsilon must be greater than 0"),
    (
        changed("epsilon = 1", "epsilon = '1,5'"),
        "tables.t.epsilon: epsilon must be a finite number",
    ),
    (changed("epsilon = 1", "epsilon = nan"), "tables.t.epsilon: must be a number"),
    (changed("epsilon = 1", "epsilon = true"), "tables.t.epsilon: must be a number"),
    (changed("epsilon = 1", ""), "tables.t.epsilon: is missing: .*total = 1"),
    (
        changed("epsilon = 1", "epsilon = 1\nweight = 2"),
        "tables.t.weight: needs a plan with a total",
    ),
    (
        changed("epsilon = 1", "epsilon = 1\nwhere = 'age = 1'"),
        "tables.t.where: .*use == for equality",
    ),
    (
        changed("epsilon = 1", "epsilon = 1\ngroups = ['s']"),
        r"tables.t.groups: 's' has no keys.*\[keys\]",
    ),
    (
        changed("epsilon = 1", "epsilon = 1\ngroups = 's'"),
        "tables.t.groups: must be a table of keys",
    ),
    (changed("epsilon = 1", "epsilon = 1\ngroups = {s = []}"), "tables.t.groups: .*at least one"),
    (changed("epsilon = 1", "epsilon = 1\ngroups = {s = ['a', 'a']}"), "tables.t.groups: .*differ"),
    (changed("epsilon = 1", "epsilon = 1\nmax_groups = 2"), "max_groups: needs groups"),
    (
        changed("epsilon = 1", "epsilon = 1\nmax_groups = 2\ngroups = {s = ['a', 'b']}"),
        "tables.t.groups: max_groups is for persons",
    ),
    (
        changed('"count"', '"cuont"'),
        "tables.t.statistics.n.statistic: there is no 'cuont' .did you mean 'count'..; take one",
    ),
    (changed('statistic = "count"', ""), "tables.t.statistics.n.statistic: is missing"),
    (changed('"count"', '"median"'), "tables.t.statistics.n: bounds are required"),
    (changed('"count"', '"median"\nbounds = [1, 0]'), "tables.t.statistics.n: bounds must"),
    (changed('"count"', '"count"\nbounds = [0, 1]'), "n.bounds: this key is not known"),
    (
        changed('"count"', '"count"\nmechanism = "noise"'),
        "n.mechanism: there is no 'noise'; take one",
    ),
    (changed('"count"', '"count"\nmechanism = "smooth-laplace"'), "n.mechanism: .*needs delta"),
    (
        changed('"count"', '"count"\nmechanism = {name = "laplace", delta = 1}'),
        "laplace has no param",
    ),
    (
        changed('"count"', '"count"\nepsilon = 1'),
        "tables.t.epsilon: give it for the table, or for each",
    ),
    (changed('"count"', '"count"\nweight = -1'), "n.weight: weight must be greater than 0"),
    (changed('"count"', '"histogram"\ncategories = ["a"]'), "n: categories must name at least two"),
    (
        changed('"count"', '"count"\ntarget_error = 0'),
        "n.target_error: target_error must be greater",
    ),
]


@pytest.mark.parametrize(("text", "message"), BAD, ids=range(len(BAD)))
def test_what_cannot_be_meant_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(LeastNoiseError, match=message) as caught:
        load_plan(write(tmp_path, text))
    assert "plan.toml" in str(caught.value)
    assert caught.value.__cause__ is None


def test_files_that_are_no_plans(tmp_path: Path) -> None:
    with pytest.raises(LeastNoiseError, match=r"there is no file.*give the path of a plan"):
        load_plan(tmp_path / "none.toml")
    (tmp_path / "b.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(LeastNoiseError, match="not UTF-8 text"):
        load_plan(tmp_path / "b.toml")
    with pytest.raises(LeastNoiseError, match="cannot be read"):
        load_plan(tmp_path)


def test_shares_of_a_total_are_what_is_charged(tmp_path: Path) -> None:
    text = """
[data]
file = "t.csv"
[privacy]
total = 3
[tables.all.statistics.n]
statistic = "count"
[tables.by]
weight = 2
groups = {s = ["a", "b"]}
[tables.by.statistics.n]
statistic = "count"
"""
    (tmp_path / "t.csv").write_text("s\na\n")
    from leastnoise.plans import prepare

    for relation, times in (("replace-one", 2), ("add-remove", 1), ("edit", 2)):
        asked = text.replace("total = 3", f'total = 3\nrelation = "{relation}"')
        with prepare(load_plan(write(tmp_path, asked))) as prepared:
            assert prepared.epsilons == {"all": 1, "by": Fraction(2, times)}
            assert prepared.charge == 3
            assert prepared.batch.charge("by") == 2
            costs: dict[str, Any] = {name: prepared.batch.charge(name) for name in ("all", "by")}
            assert sum(float(cost) for cost in costs.values()) == 3


def test_titles_and_comments_of_the_data_file(tmp_path: Path) -> None:
    (tmp_path / "pay.csv").write_text("Pay; 2024\n# x\na\tb\n1\t2\n# 3\n")
    text = changed("[tables.t]", 'skip_rows = 1\ncomment = "#"\nseparator = "tab"\n[tables.t]')
    text = changed("epsilon = 1", "epsilon = 1000000", text)
    from leastnoise.plans import prepare

    with prepare(load_plan(write(tmp_path, text))) as prepared:
        assert prepared.release().tables[0].releases["n"].value == 1
    refused = changed("skip_rows = 1", "skip_rows = -1", text)
    with (
        pytest.raises(LeastNoiseError, match="skip_rows must be 0 or more lines, got -1"),
        prepare(load_plan(write(tmp_path, refused))),
    ):
        pass


def test_progress_appears_only_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    from rich.console import Console

    from leastnoise.cli import show

    shown = io.StringIO()
    terminal = Console(file=shown, force_terminal=True, width=80)
    monkeypatch.setattr(show, "console", lambda *, stderr=False: terminal)
    with show.progress("quick", after=60.0) as step:
        step(1, 2)
    assert shown.getvalue() == ""
    with show.progress("slow", after=1e-9) as step:
        step(1, 2)
    assert "slow" in shown.getvalue()
