"""``leastnoise plan``: what is charged, what is released, what is written, and what is refused."""

from __future__ import annotations

import json
import os
import re
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.plans import load_plan, prepare, render
from leastnoise.testing import simulate
from support.commands import fresh, in_process

EDUCATION = [
    *("Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th", "HS-grad"),
    *("Some-college", "Assoc-voc", "Assoc-acdm", "Bachelors", "Masters", "Prof-school"),
    *("Doctorate", "None", "Apprenticeship", "Certificate", "Unknown"),  # four that nobody has
]

PATIENTS = """
title = "Patients & <their> disease"
note = "442 real patients."

[data]
file = "patients.csv"

[privacy]
relation = "add-remove"

[tables.progression]
title = "Progression after a year"
where = "age >= 20 and not is_missing(bmi)"
groups = {sex = [1, 2], older = ["yes", "no", "unknown"]}

[tables.progression.statistics]
n = {statistic = "count", epsilon = 0.2, title = "Patients"}
median = {statistic = "median", column = "progression", bounds = [0, 400], step = 1, epsilon = 0.3}

[tables.progression.statistics.quartiles]
statistic = "quantiles"
q = [0.25, 0.5, 0.75]
column = "bmi"
bounds = [10, 60]
epsilon = 0.5

[tables.ages]
epsilon = "1/2"

[tables.ages.statistics]
ages = {statistic = "histogram", column = "age", bins = [0, 30, 50, 70, inf], title = "Ages"}
mean = {statistic = "mean", column = "bmi", bounds = [10, 60]}
"""


@pytest.fixture(scope="module")
def patients(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The diabetes data of scikit-learn as a file, with a plan beside it."""
    from sklearn.datasets import load_diabetes

    folder = tmp_path_factory.mktemp("plan")
    x, y = load_diabetes(return_X_y=True, scaled=False)
    lines = ["age,sex,bmi,progression,older"]
    lines += [
        f"{a:g},{s:g},{b:g},{p:g},{'yes' if a > 50 else 'no'}"
        for (a, s, b, *_), p in zip(x, y, strict=True)
    ]
    (folder / "patients.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "plan.toml").write_text(PATIENTS, encoding="utf-8")
    return folder


class Tags(HTMLParser):
    """Counts what is on a page and collects its texts and addresses."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: dict[str, int] = {}
        self.loads: list[str] = []
        self.ids: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] = self.tags.get(tag, 0) + 1
        for name, value in attrs:
            if name in ("src", "srcset", "action") or (
                name == "href" and value and value[0] != "#"
            ):
                self.loads.append(str(value))
            if name == "id":
                self.ids.append(str(value))


def test_a_plan_is_released_with_its_report(
    patients: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = in_process(capsys, "plan", str(patients / "plan.toml"), "--out", str(patients / "one"))
    assert done.code == 0, done.err
    assert done.err == ""
    assert "Progression after a year" in done.out
    assert "epsilon 1.5" in done.out
    records = json.loads((patients / "one.json").read_text(encoding="utf-8"))
    progression, ages = records["tables"]
    assert records["charge"] == "epsilon 1.5"
    assert (progression["charge"], ages["charge"]) == ("epsilon 1", "epsilon 0.5")
    made = ln.Releases.from_json(json.dumps(progression["releases"]))
    assert list(made) == [(s, o) for s in (1, 2) for o in ("yes", "no", "unknown")]
    assert made.guarantee == ln.PureDP(1, ln.guarantees.Scope("add-remove", "row"))
    assert isinstance(made[1, "yes"]["median"].value, int)
    page = (patients / "one.html").read_text(encoding="utf-8")
    found = Tags(page)
    assert found.loads == []
    assert found.tags["table"] == 2
    assert found.tags["svg"] >= 4
    assert "script" not in found.tags
    assert len(found.ids) == len(set(found.ids))
    assert "Patients &amp; &lt;their&gt; disease" in page
    for table in (made, ln.Releases.from_json(json.dumps(ages["releases"]))):
        for row in table.rows():
            for record in row.records.values():
                for value in np.ravel(np.array(record.value, dtype=object)):
                    assert (f">{value}<" if isinstance(value, int) else f">{value:.6g}<") in page


def test_values_are_those_of_single_releases(patients: Path) -> None:
    """At an epsilon without noise every cell is the statistic of its rows."""
    rows = [line.split(",") for line in (patients / "patients.csv").read_text().split()[1:]]
    text = (
        PATIENTS.replace("0.2,", "1e6,")
        .replace("0.3}", "1e6}")
        .replace("epsilon = 0.5", "epsilon = 1e6")
    )
    (patients / "exact.toml").write_text(text.replace('"1/2"', "1e6"), encoding="utf-8")
    with simulate(5), prepare(load_plan(patients / "exact.toml")) as prepared:
        outcome = prepared.release()
    made = outcome.tables[0].releases
    for (sex, older), group in made.items():
        kept = sorted(
            float(r[3]) for r in rows if float(r[1]) == sex and r[4] == older and float(r[0]) >= 20
        )
        assert group["n"].value == len(kept)
        if kept:
            assert group["median"].value == kept[(len(kept) - 1) // 2]
    counted = np.histogram([float(r[0]) for r in rows], [0, 30, 50, 70, 1000])[0].tolist()
    assert outcome.tables[1].releases["ages"].value == counted
    assert "NOT PRIVATE" in render(outcome)  # a simulation says so


def test_a_dry_run_tells_the_charge_and_reads_nothing(
    patients: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(patients.iterdir())
    done = in_process(capsys, "plan", str(patients / "plan.toml"), "--dry-run", "--json")
    found = json.loads(done.out)
    assert found["charge"] == {"epsilon": "3/2"}
    assert [t["charge"]["epsilon"] for t in found["tables"]] == ["1", "1/2"]
    assert found["expected"] == []
    shown = in_process(capsys, "plan", str(patients / "plan.toml"), "--dry-run")
    assert "nothing was spent" in shown.out
    assert sorted(patients.iterdir()) == before


def test_expected_errors_and_epsilons_from_a_stand_in(
    patients: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("plan", str(patients / "plan.toml"), "--stand-in", str(patients / "patients.csv"))
    done = in_process(capsys, *asked, "--target-error", "2", "--json")
    assert done.code == 0, done.err
    expected = {(e["table"], e["statistic"]): e for e in json.loads(done.out)["expected"]}
    count = expected["progression", "n"]
    # two-sided geometric noise of rate 1/5: E|X| = 2 q / (1 - q^2), q = e^(-1/5)
    q = np.exp(-0.2)
    assert count["typical_error"] == pytest.approx(2 * q / (1 - q * q))
    assert count["groups"] == 4  # nobody is "unknown"
    needed = float(Fraction(count["needed_epsilon"]))
    q = np.exp(-needed)
    assert 2 * q / (1 - q * q) <= 2
    q = np.exp(-needed * 0.9)
    assert 2 * q / (1 - q * q) > 2
    with simulate(3), prepare(load_plan(patients / "plan.toml")) as prepared:
        draws = [prepared.release().tables[0].releases for _ in range(150)]
    true = prepared_truth(patients)
    for key in ("median", "quartiles"):
        errors = [
            np.mean([np.mean(np.abs(np.array(d[g][key].value) - true[g][key])) for d in draws])
            for g in true
        ]
        assert expected["progression", key]["typical_error"] == pytest.approx(
            np.median(errors), rel=0.35
        )
        assert expected["progression", key]["worst_error"] == pytest.approx(max(errors), rel=0.35)


def prepared_truth(folder: Path) -> dict[Any, Any]:
    rows = [line.split(",") for line in (folder / "patients.csv").read_text().split()[1:]]
    found: dict[Any, Any] = {}
    for sex in (1, 2):
        for older in ("yes", "no"):
            kept = [r for r in rows if float(r[1]) == sex and r[4] == older and float(r[0]) >= 20]
            pay, bmi = (sorted(float(r[i]) for r in kept) for i in (3, 2))
            n = len(kept)
            ranks = [max(1, -(-n * i // 4)) for i in (1, 2, 3)]
            found[sex, older] = {
                "median": pay[ranks[1] - 1],
                "quartiles": np.array([bmi[k - 1] for k in ranks]),
            }
    return found


def test_a_plan_is_charged_in_one_step_or_not_at_all(
    patients: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "p.db"
    ledger = ln.Ledger.create(path, dataset="patients", budget=ln.PureDP(2), relation="add-remove")
    text = PATIENTS.replace(
        'relation = "add-remove"', f'ledger = "{path}"\ndataset = "patients"\npurpose = "yearbook"'
    )
    (patients / "ledger.toml").write_text(text, encoding="utf-8")
    asked = ("plan", str(patients / "ledger.toml"))
    done = in_process(capsys, *asked)
    assert done.code == 0, done.err
    assert "epsilon 0.5" in done.out  # left
    assert ledger.remaining == Fraction(1, 2)
    written = (patients / "ledger.html").read_text(encoding="utf-8")
    assert re.search(r"ledger of .*patients.* as entries \d+ to \d+<", written)
    exists = in_process(capsys, *asked)
    assert exists.code == 2
    assert "ledger.html exists; give --out NAME" in exists.err
    again = in_process(capsys, *asked, "--overwrite")
    assert again.code == 3
    assert "ledger.toml: privacy: this release needs" in again.err
    assert ledger.remaining == Fraction(1, 2)
    dry = in_process(capsys, *asked, "--dry-run")
    assert dry.code == 0
    assert "epsilon 0.5; less than the charge: refused" in " ".join(dry.out.split())
    assert ledger.remaining == Fraction(1, 2)
    reuse = text.replace("purpose =", "reuse = true\npurpose =")
    (patients / "ledger.toml").write_text(reuse, encoding="utf-8")
    first = json.loads((patients / "ledger.json").read_text(encoding="utf-8"))
    same = in_process(capsys, *asked, "--overwrite")
    assert same.code == 0, same.err
    second = json.loads((patients / "ledger.json").read_text(encoding="utf-8"))
    assert ledger.remaining == Fraction(1, 2)
    for a, b in zip(first["tables"], second["tables"], strict=True):
        one, other = (ln.Releases.from_json(json.dumps(t["releases"])) for t in (a, b))
        assert one.to_csv() == other.to_csv()
    assert first["spent"] == first["charge"] == second["charge"]
    assert second["spent"].startswith("epsilon 1.5; all of it before, and served again")
    served = (patients / "ledger.html").read_text(encoding="utf-8")
    assert "all of it before" in served
    assert not re.search(r"as entries \d+ to \d+<", served)  # nothing was charged this time


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("patients.csv", "none.csv", "there is no file"),
        (
            'column = "progression"',
            'column = "progress"',
            "tables.progression.statistics.median: there is no column 'progress' .did you mean",
        ),
        (
            "age >= 20",
            "aeg >= 20",
            "tables.progression: there is no column 'aeg' .did you mean 'age'",
        ),
        ("sex = [1, 2]", "gender = [1, 2]", "tables.progression: there is no column 'gender'"),
        ("[privacy]", '[privacy]\\nledger = "none.db"\\ndataset = "d"', "none.db"),
        (
            "bounds = [10, 60]}",
            "bounds = [10, 60], missing = 70}",
            "tables.ages.statistics.mean: missing must be a number inside",
        ),
    ],
)
def test_errors_of_the_schema_name_the_place(
    patients: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, message: str
) -> None:
    assert old in PATIENTS
    text = PATIENTS.replace(old, new.replace("\\n", "\n"))
    (patients / "bad.toml").write_text(text, encoding="utf-8")
    done = in_process(capsys, "plan", str(patients / "bad.toml"))
    assert done.code == 2
    assert done.out == ""
    assert "bad.toml" in done.err
    assert re.search(message, done.err)
    assert not (patients / "bad.html").exists()


def test_other_wrong_usage(patients: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = str(patients / "plan.toml")
    done = in_process(capsys, "plan", plan, "--target-error", "1")
    assert (done.code, "--stand-in" in done.err) == (2, True)
    done = in_process(capsys, "plan", plan, "--out", str(patients / "no" / "x"))
    assert (done.code, "no folder" in done.err) == (2, True)
    done = in_process(capsys, "plan", str(patients / "x.toml"))
    assert (done.code, "there is no file" in done.err) == (2, True)


def test_long_tables_are_cut_on_the_terminal_and_not_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t.csv").write_text("k\n1\n")
    (tmp_path / "long.toml").write_text(
        f'data = {{file = "t.csv"}}\n[tables.t]\nepsilon = 1\ngroups = {{k = {list(range(300))}}}\n'
        'statistics = {n = {statistic = "count"}}\n'
    )
    done = in_process(capsys, "plan", str(tmp_path / "long.toml"))
    assert done.code == 0, done.err
    assert "... 100 more lines" in done.out
    page = Tags((tmp_path / "long.html").read_text(encoding="utf-8"))
    assert page.tags["tr"] == 301
    assert "svg" not in page.tags


def adult_plan(file: Path) -> str:
    keys = json.dumps(EDUCATION)
    return f"""
title = "Hours worked a week, by education and sex"
data = {{file = {json.dumps(str(file))}}}
privacy = {{relation = "add-remove", total = 1}}
keys = {{education = {keys}, sex = ["Female", "Male"]}}

[tables.hours]
title = "Hours a week"
groups = ["education", "sex"]

[tables.hours.statistics]
n = {{statistic = "count", title = "People"}}
median = {{statistic = "median", column = "hours-per-week", bounds = [0, 100], step = 1}}

[tables.hours.statistics.quartiles]
statistic = "quantiles"
q = [0.25, 0.5, 0.75]
column = "hours-per-week"
bounds = [0, 100]
step = 1
"""


def of_children() -> float:
    """Seconds of processor time that finished processes of this one have taken."""
    used = os.times()
    return used.children_user + used.children_system


def test_a_table_of_200_cells_in_ten_seconds(shared_data: Path, tmp_path: Path) -> None:
    """Median, quartiles and count of hours by education and sex, with the report, from one plan."""
    (tmp_path / "hours.toml").write_text(adult_plan(shared_data / "adult.csv.gz"), encoding="utf-8")
    begin = of_children()
    done = fresh("plan", str(tmp_path / "hours.toml"))
    spent = of_children() - begin
    assert done.code == 0, done.err
    records = json.loads((tmp_path / "hours.json").read_text(encoding="utf-8"))
    made = ln.Releases.from_json(json.dumps(records["tables"][0]["releases"]))
    table = made.to_csv().splitlines()
    assert len(table) == 41
    assert sum(len(line.split(",")) - 2 for line in table[1:]) == 200
    assert records["charge"] == "epsilon 1"
    assert (tmp_path / "hours.html").stat().st_size > 20_000
    # a promise to users, kept with a wide margin: 1.3 s, of a processor that may be shared
    assert spent <= 10


EVERYTHING = {
    "count": "",
    "count-distinct": 'column = "id"',
    "histogram": 'column = "x", bins = [-3, 0, 3]',
    "cross-tab": 'row = "g", column = "k", rows = ["a", "b"], columns = [0, 1, 2]',
    "mode": 'column = "g", categories = ["a", "b"]',
    "private-keys": 'column = "g", delta = 1e-9',
    "quantile": 'column = "x", bounds = [-3, 3], q = 0.9',
    "quantiles": 'column = "x", bounds = [-3, 3], q = [0.1, 0.2, 0.5, 0.9]',
    "quantile-interval": 'column = "x", bounds = [-3, 3], q = 0.5',
    "cross-entropy": 'target = "y", prediction = "p", labels = [0, 1]',
    "confusion-matrix": 'target = "y", prediction = "k", labels = [0, 1]',
    "roc-auc": 'target = "y", prediction = "p", labels = [0, 1]',
    **dict.fromkeys(
        ("root-mean-squared-error", "mean-squared-error", "mean-absolute-error", "r2"),
        'target = "y", prediction = "p", bounds = [0, 1]',
    ),
    **dict.fromkeys(
        ("mean-vector", "covariance", "correlation"), 'columns = ["x", "p"], bounds = [-3, 3]'
    ),
}


def test_every_statistic_can_be_planned(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Released by groups with its report, and forecast where there is a distance to tell."""
    from leastnoise.plans.catalogue import STATISTICS

    rng = np.random.default_rng(1)
    lines = ["id,g,k,y,p,x"]
    for i in range(200):
        row = (f"u{i // 2}", "ab"[i % 2], i % 3, i % 2, rng.uniform(), rng.normal())
        lines.append(",".join(map(str, row)))
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    numbers = 'column = "x", bounds = [-3, 3]'
    asked = "\n".join(
        f'"{name}" = {{statistic = "{name}", {EVERYTHING.get(name, numbers)}}}'
        for name in STATISTICS
    ).replace(", }", "}")
    (tmp_path / "all.toml").write_text(
        '[data]\nfile = "t.csv"\n[privacy]\nrelation = "add-remove"\n[tables.t]\nepsilon = 60\n'
        f'groups = {{g = ["a", "b", "c"]}}\n[tables.t.statistics]\n{asked}\n',
        encoding="utf-8",
    )
    done = in_process(capsys, "plan", str(tmp_path / "all.toml"))
    assert done.code == 0, done.err
    made = json.loads((tmp_path / "all.json").read_text(encoding="utf-8"))["tables"][0]
    table = ln.Releases.from_json(json.dumps(made["releases"]))
    assert table.names == tuple(STATISTICS)
    for name in STATISTICS:  # too many columns for a terminal: one line a number
        assert re.search(rf"^a +{name} ", done.out, re.MULTILINE), name
    page = Tags((tmp_path / "all.html").read_text(encoding="utf-8"))
    assert page.tags["th"] > 40
    done = in_process(
        capsys, "plan", str(tmp_path / "all.toml"), "--stand-in", str(tmp_path / "t.csv"), "--json"
    )
    assert done.code == 0, done.err
    silent = {e["statistic"] for e in json.loads(done.out)["expected"] if e["reason"]}
    assert silent == {
        *("mode", "private-keys", "quantile-interval", "mean-vector", "covariance", "correlation")
    }
