"""What a command or a plan asks for, by each of its options, is what the same call of Python does.

Both draw from one seed, so that records are alike to the last field.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.cli import comparison
from leastnoise.errors import ParameterError
from leastnoise.plans import load_plan, prepare
from leastnoise.testing import simulate
from support.commands import in_process

# a and b are labels, r = 1, 2, 10, w a limit of persons, some entries of x are missing.
ROWS = [
    (f"p{i // 3}", "fm"[i % 2], (1, 2, 10)[i % 3], i % 37 if i % 11 else "", 1.5 * (i % 7), i % 2)
    for i in range(90)
]
TEXT = "who,sex,r,x,y,b\n" + "\n".join(",".join(map(str, row)) for row in ROWS)
X: dict[str, Any] = {"bounds": (0, 50)}


def asked(opening: dict[str, Any], statistics: dict[str, Any], more: Any, file: str) -> Any:
    """The records of the same batch in Python."""
    with simulate("alike"), ln.open(file, **opening) as data:
        batch = data.batch()
        call: dict[str, Any] = {"charge": 2, **more}
        batch.add("", statistics, **call)
        return batch.release()[""]


def written(value: Any) -> Any:
    return json.loads(json.dumps(value))


COLUMN = "--column x --bounds 0 50"
# The options of a command; how the file is opened, what is asked of it, and the rest of the call.
COMMANDS: list[tuple[str, dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    ("--stat count", {}, {"count": ln.Count()}, {}),
    ("--stat count --column x", {}, {"count": ln.Count("x")}, {}),
    ("--stat count --column sex --labels", {}, {"count": ln.Count("sex", labels=True)}, {}),
    ("--stat count-distinct --column r", {}, {"count-distinct": ln.CountDistinct("r")}, {}),
    (
        "--stat histogram --column y --bins 0 3 6.5 inf",
        {},
        {"histogram": ln.Histogram("y", bins=[0, 3, 6.5, float("inf")])},
        {},
    ),
    (
        "--stat histogram --column r --categories 10 1",
        {},
        {"histogram": ln.Histogram("r", categories=[10, 1])},
        {},
    ),
    (
        "--stat cross-tab --column sex --categories f m --against r=2,10",
        {},
        {"cross-tab": ln.CrossTab("sex", "r", rows=["f", "m"], columns=[2, 10])},
        {},
    ),
    (
        "--stat mode --column sex --categories m f",
        {},
        {"mode": ln.Mode("sex", categories=["m", "f"])},
        {},
    ),
    (f"--stat sum {COLUMN} --step 2", {}, {"sum": ln.Sum("x", **X, step=2)}, {}),
    (f"--stat mean {COLUMN} --missing 7", {"missing": 7}, {"mean": ln.Mean("x", **X)}, {}),
    (
        f"--stat median {COLUMN} --missing none",
        {"missing": "none"},
        {"median": ln.Median("x", **X)},
        {},
    ),
    (f"--stat quantile {COLUMN} --q 0.9", {}, {"quantile": ln.Quantile("x", **X, q="0.9")}, {}),
    (
        f"--stat quantiles {COLUMN} --q 0.9 1/3",
        {},
        {"quantiles": ln.Quantiles("x", **X, q=["0.9", "1/3"])},
        {},
    ),
    (f"--stat minimum {COLUMN}", {}, {"minimum": ln.Minimum("x", **X)}, {}),
    (f"--stat maximum {COLUMN}", {}, {"maximum": ln.Maximum("x", **X)}, {}),
    (
        f"--stat interquartile-range {COLUMN}",
        {},
        {"interquartile-range": ln.InterquartileRange("x", **X)},
        {},
    ),
    (f"--stat variance {COLUMN}", {}, {"variance": ln.Variance("x", **X)}, {}),
    (
        f"--stat standard-deviation {COLUMN} --relation edit",
        {"relation": "edit"},
        {"standard-deviation": ln.StandardDeviation("x", **X)},
        {},
    ),
    (
        f"--stat mean {COLUMN} --interval 0.8 --interval-of population",
        {},
        {"mean": ln.WithInterval(ln.Mean("x", **X), level="0.8", of="population")},
        {},
    ),
    (
        f"--stat mean {COLUMN} --interval 0.8",
        {},
        {"mean": ln.WithInterval(ln.Mean("x", **X), level="0.8")},
        {},
    ),
    (
        f"--stat median --stat mean {COLUMN} --weights 3 1",
        {},
        {"median": ln.Median("x", **X), "mean": ln.Mean("x", **X)},
        {"weights": [3, 1]},
    ),
    (
        f"--stat median --stat variance {COLUMN} --weights 1 4 --mechanism smooth-laplace"
        " --delta 1e-6",
        {},
        {"median": ln.Median("x", **X), "variance": ln.Variance("x", **X)},
        {
            "weights": [1, 4],
            "mechanisms": {
                "median": ln.SmoothLaplace(delta="2e-7"),
                "variance": ln.SmoothLaplace(delta="8e-7"),
            },
        },
    ),
    (
        f"--stat mean {COLUMN} --mechanism laplace-ratio",
        {},
        {"mean": ln.Mean("x", **X)},
        {"mechanisms": {"mean": ln.LaplaceRatio()}},
    ),
    (
        "--stat count --group-by r sex --keys r=10,1 --keys sex=m,f",
        {},
        {"count": ln.Count()},
        {"groups": {"r": [10, 1], "sex": ["m", "f"]}},
    ),
    (
        "--stat count --group-by sex --keys sex=m --other",
        {},
        {"count": ln.Count()},
        {"groups": {"sex": ["m"]}, "other": True},
    ),
    (
        "--stat count --unit who --max-rows 2 --group-by sex --keys sex=m,f --max-groups 1",
        {"unit": "who", "max_rows": 2},
        {"count": ln.Count()},
        {"groups": {"sex": ["m", "f"]}, "max_groups": 1},
    ),
    (
        "--stat count --unit who --max-rows private",
        {"unit": "who", "max_rows": ln.PrivateLimit()},
        {"count": ln.Count()},
        {},
    ),
    (
        "--stat count --relation add-remove --where",
        {"relation": "add-remove"},
        {"count": ln.Count()},
        {"where": (ln.col("x") >= 3) & (ln.col("sex") == "m")},
    ),
]


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "t.csv").write_text(TEXT, encoding="utf-8")
    return str(tmp_path / "t.csv")


@pytest.mark.parametrize("case", COMMANDS, ids=lambda case: case[0])
def test_a_command_answers_as_python_does(
    case: Any, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    options, opening, statistics, more = case
    condition = ["3 <= x and sex == 'm'"] if options.endswith("--where") else []
    with simulate("alike"):
        done = in_process(
            capsys, "release", file, "--epsilon", "2", "--json", *options.split(), *condition
        )
    assert done.code == 0, done.err
    made = asked(opening, statistics, more, file)
    told = made.to_dict() if made.by else [one.to_dict() for one in made.values()]
    assert json.loads(done.out) == written(told)


READ = {
    "--separator ; --decimal ,": {"separator": ";", "decimal": ","},
    "--no-header": {"header": False},
    "--skip-rows 2": {"skip_rows": 2},
    "--skip-after-header 1": {"skip_after_header": 1},
    "--missing-value 1 --missing-value m": {"missing_values": ["1", "m"]},
    "--comment #": {"comment": "#"},
    "--encoding latin-1": {"encoding": "latin-1"},
    "--no-multiline": {"multiline": False},
    "--thousands nbsp": {"thousands": "\u00a0"},
}


@pytest.mark.parametrize("command", ["release", "compare", "check", "describe"])
@pytest.mark.parametrize("options", READ)
def test_every_command_reads_as_it_is_told(
    command: str,
    options: str,
    file: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    seen: list[dict[str, Any]] = []

    def opened(*_: Any, **given: Any) -> Any:
        seen.append(given)
        raise ParameterError("seen")

    monkeypatch.setattr(PLACES[command], opened)
    done = in_process(capsys, command, file, *ASK[command].split(), *options.split())
    assert "seen" in done.err
    assert seen[0].items() >= READ[options].items()


ASK = {
    "release": "--stat count --epsilon 1",
    "compare": "--public --stat count",
    "check": "",
    "describe": "--epsilon 1",
}
PLACES = {
    "release": "leastnoise.cli.requests.open",
    "compare": "leastnoise.cli.comparison.plan",
    "check": "leastnoise.frames.checks.look.check",
    "describe": "leastnoise.session.open",
}
LOSS = "--column x --against y --bounds 0 50"
COMPARED: list[tuple[str, Any, Any]] = [
    ("--stat count", ln.Count(), None),
    (
        "--stat mean --column x --bounds 0 50 --step 1/2 --missing 3",
        ln.Mean("x", **X, step=Fraction(1, 2)),
        3,
    ),
    ("--stat quantile --column x --bounds 0 50 --q 0.9", ln.Quantile("x", **X, q="0.9"), None),
    ("--stat variance --column x --bounds 0 50 --missing none", ln.Variance("x", **X), "none"),
    (
        f"--stat mean-squared-error {LOSS} --missing drop",
        ln.MeanSquaredError("x", "y", **X),
        "drop",
    ),
    (
        f"--stat mean-absolute-error {LOSS} --step 1",
        ln.MeanAbsoluteError("x", "y", **X, step=1),
        None,
    ),
    (f"--stat root-mean-squared-error {LOSS}", ln.RootMeanSquaredError("x", "y", **X), None),
    (
        "--stat roc-auc --column sex --against y --categories m f --missing none",
        ln.RocAuc("sex", "y", labels=["m", "f"]),
        "none",
    ),
    ("--stat roc-auc --column b --against y", ln.RocAuc("b", "y"), None),
    (
        "--stat cross-entropy --column r --against x y b --categories 10 1 2 --logits"
        " --bounds -3 3",
        ln.CrossEntropy("r", ["x", "y", "b"], labels=[10, 1, 2], logits=True, bounds=(-3, 3)),
        None,
    ),
    (
        "--stat cross-entropy --column b --against y --step 1/8",
        ln.CrossEntropy("b", "y", step=Fraction(1, 8)),
        None,
    ),
]


@pytest.mark.parametrize(("options", "statistic", "missing"), COMPARED)
@pytest.mark.parametrize("relation", ["edit", None])
def test_a_comparison_is_of_what_was_asked(
    options: str,
    statistic: Any,
    missing: Any,
    relation: str | None,
    file: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    seen: list[tuple[Any, Any]] = []

    def look(*given: Any) -> Any:
        seen.append(given)
        raise ParameterError("seen")

    monkeypatch.setattr(comparison, "look", look)
    told = [] if relation is None else ["--relation", relation]
    done = in_process(capsys, "compare", file, "--public", *options.split(), *told)
    assert "seen" in done.err
    ((question, of),) = seen
    assert question.named_statistic()[1] == statistic
    assert (question.policy(), of) == (missing, relation)


PLAN = """
title = "Rows"
[data]
file = "t.csv"
{data}
[privacy]
{privacy}
[keys]
r = [10, 1]
[tables.t]
{table}
[tables.t.statistics]
{statistics}
"""
MEAN = 'mean = {statistic = "mean", column = "x", bounds = [0, 50]'
PLANS: list[tuple[dict[str, str], dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    (
        {"table": "epsilon = 2", "statistics": f'{MEAN}, mechanism = "laplace-ratio"}}'},
        {},
        {"mean": ln.Mean("x", **X)},
        {"mechanisms": {"mean": ln.LaplaceRatio()}},
    ),
    (
        {
            "data": "missing = 7",
            "privacy": 'relation = "edit"\ntotal = 3',
            "statistics": f'{MEAN}, weight = 1}}\nn = {{statistic = "count", weight = 4}}',
        },
        {"relation": "edit", "missing": 7},
        {"mean": ln.Mean("x", **X), "n": ln.Count()},
        {"charge": 3, "weights": [1, 4]},
    ),
    (
        {
            "privacy": 'unit = "who"\nmax_rows = 2',
            "table": 'groups = ["r"]\nmax_groups = 1\nother = true\nwhere = "x > 3"\nepsilon = 1',
            "statistics": 'n = {statistic = "count"}',
        },
        {"unit": "who", "max_rows": 2},
        {"n": ln.Count()},
        {
            "epsilon": 1,
            "groups": {"r": [10, 1]},
            "max_groups": 1,
            "other": True,
            "where": ln.col("x") > 3,
        },
    ),
    (
        {
            "data": 'missing_values = ["m"]',
            "table": 'groups = {sex = ["f", "m"]}',
            "statistics": f"{MEAN}, epsilon = 1.5, interval = 0.8}}",
        },
        {"missing_values": ["m"]},
        {"mean": ln.WithInterval(ln.Mean("x", **X), level="0.8")},
        {"epsilon": "1.5", "groups": {"sex": ["f", "m"]}},
    ),
]


@pytest.mark.parametrize("case", PLANS, ids=["mechanism", "total", "persons", "groups"])
def test_a_plan_answers_as_python_does(case: Any, file: str) -> None:
    parts, opening, statistics, more = case
    text = PLAN.format_map({"data": "", "privacy": "", "table": "", **parts})
    path = Path(file).with_name("plan.toml")
    path.write_text(text, encoding="utf-8")
    with simulate("alike"), prepare(load_plan(path)) as prepared:
        (table,) = prepared.release().tables
    if "charge" not in more:
        more = {"charge": None, "epsilon": 2, **more}
    made = asked(opening, statistics, more, file)
    assert written(table.releases.to_dict()) == written(made.to_dict())
