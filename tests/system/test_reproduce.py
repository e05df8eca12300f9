"""``leastnoise reproduce``: every figure against numbers that are known apart from the library."""

from __future__ import annotations

import csv
import gzip
import importlib.util
import json
import zipfile
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from dp_accounting import dp_event, rdp

from leastnoise.cli.reproduce import _show
from leastnoise.errors import MissingDependencyError
from leastnoise.reproduce import PAPERS, private_sgd, reproduce
from leastnoise.reproduce.data import PACKAGED, column, exponential, fault, find
from leastnoise.reproduce.expected import Check, check, expected_rows
from leastnoise.reproduce.panels import Panel
from leastnoise.reproduce.sampled_learners import chance_below_zero
from support.commands import in_process

ROOT = Path(__file__).resolve().parents[2]


# Seconds each even with few points: every night.
SLOW = {
    *(("asymmetric-sensitivity", name) for name in ("figure-2", "figure-3", "mean-squared-error")),
    *(("k-norm", figure) for figure in ("figure-3", "figure-4", "figure-5")),
    ("inverse-sensitivity", "figure-3"),
    ("sensitivity-sampler", "figure-5"),
    ("errata", "improvements"),
}
FIGURES = [
    pytest.param(paper, figure, marks=[pytest.mark.nightly] * ((paper, figure) in SLOW))
    for paper, figures in PAPERS.items()
    for figure in figures
]


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """A figure with few points, drawn once."""

    @cache
    def drawn_once(paper, figure):
        (found,) = reproduce(paper, figure, quick=True, out=tmp_path_factory.mktemp("out") / "new")
        return found

    return drawn_once


@pytest.mark.parametrize(("paper", "figure"), FIGURES)
def test_every_expected_number_is_found(quick, paper, figure):
    found = quick(paper, figure)
    assert (found.paper, found.figure) == (paper, figure)
    assert [c for c in found.checks if not c.holds] == []
    panels = {panel.name for panel in found.panels}
    rows = [row for row in expected_rows(paper) if row.panel in panels and row.when == "always"]
    assert len(found.checks) >= len(rows)
    check_files(found)


@pytest.mark.parametrize("paper", PAPERS)
def test_every_expected_number_belongs_to_a_figure(paper):
    rows = expected_rows(paper)
    assert [row for row in rows if row.when == "always"]
    assert [row for row in rows if not row.panel.startswith(PAPERS[paper])] == []


def test_all_figures_of_a_paper_are_drawn_in_order():
    some = reproduce("sensitivity-sampler", quick=True)
    first = [next(some).figure for _ in range(2)]
    assert tuple(first) == PAPERS["sensitivity-sampler"][:2]


def test_a_module_draws_what_the_list_of_papers_says():
    for paper, figures in PAPERS.items():
        module = import_module(f"leastnoise.reproduce.{paper.replace('-', '_')}")
        assert tuple(module.FIGURES) == figures


def test_a_wrong_or_missing_number_is_seen(quick):
    found = quick("inverse-sensitivity", "figure-1")
    chances = found.panels[1]
    other = {**chances.series, "P(f)": {"300": 0.62 * 1.01}}
    wrong = check(found.paper, found.figure, [replace(chances, series=other)])
    assert [c.holds for c in wrong] == [False, True]
    assert [c.holds for c in check(found.paper, found.figure, [])] == [False, False]


def check_files(found):
    """They hold the numbers, their parameters and a picture."""
    assert len(found.files) == 3 * len(found.panels)
    for panel in found.panels:
        table, about, picture = (f for f in found.files if f.stem == panel.name)
        head, *rows = csv.reader(table.read_text(encoding="utf-8").splitlines())
        errors = [f"{name}, standard error" for name in panel.errors]
        assert head == [panel.x, *panel.series, *errors]
        read = {(n, row[0]): c for row in rows for n, c in zip(head[1:], row[1:], strict=True)}
        for name, numbers in panel.series.items():
            assert {x: float(read[name, x]) for x in numbers} == numbers
        assert json.loads(about.read_text())["parameters"] == json.loads(
            json.dumps(panel.parameters)
        )
        texts = " ".join(ElementTree.parse(picture).getroot().itertext())
        assert all(name in texts for name in drawn(panel))


def drawn(panel: Panel) -> list[str]:
    """The names that a picture must show."""
    if panel.kind == "outlines":
        return [name.removesuffix(", first") for name in panel.series if name.endswith("first")]
    if panel.kind == "implications":
        return list(panel.parameters["places"])
    names = [name for name, numbers in panel.series.items() if numbers]
    return [name.removesuffix(", low").removesuffix(", high") for name in names]


@pytest.mark.parametrize(
    ("relation", "measured", "holds"),
    [("=", 1.05, True), ("=", 1.2, False), ("<=", 0.2, True), ("<=", 1.2, False),
     (">=", 5, True), (">=", 0.8, False), ("=", None, False), ("differs", 1.05, False),
     ("differs", 1.2, True), ("differs", None, False)],
)  # fmt: skip
def test_relations(relation, measured, holds):
    assert Check("p", "s", "x", relation, 1.0, 0.1, "", measured).holds is holds


def test_an_expected_series_that_is_missing_is_seen():
    assert not Check("p", "s", "x", "<=", None, 0.1, "", 1.0).holds


def test_a_series_at_another_row_and_standard_errors(monkeypatch):
    """2 +- .3 against 1 +- .4: the difference has a standard error of .5."""
    series = {"a": {"1": 2.0}, "b": {"2": 1.0}}
    panel = Panel("f", "", "", "", series, errors={"a": {"1": 0.3}, "b": {"2": 0.4}})
    some = expected_rows("k-norm")[0]
    row = replace(some, panel="f", series="a", x="1", expected="b @ 2", tolerance="3 se")
    rows = [replace(row, quick=few) for few in ("1.9 se", "2.1 se", "0.9", "1.1")]
    rows.append(replace(row, expected="b", quick="2.1 se"))  # b has no row 1
    monkeypatch.setattr("leastnoise.reproduce.expected.expected_rows", lambda paper: rows)
    found = check("k-norm", "f", [panel], quick=True)
    assert [c.holds for c in found] == [False, True, False, True, False]
    assert (found[0].against, found[0].expected) == ("b at 2", 1.0)
    bare = replace(panel, errors={})
    assert not check("k-norm", "f", [bare], quick=True)[1].holds


@pytest.mark.nightly  # half a minute
def test_the_errata_are_shown_beside_what_is_measured(quick):
    (table,) = quick("errata", "improvements").panels
    assert {row.split()[0] for row in table.rows()} >= {f"4.{i}" for i in range(1, 15)}
    stated, measured = table.series["with, stated"], table.series["with"]
    row = "4.1 exact bounds of a variance"
    assert (stated[row], round(measured[row], 2)) == (4.08, 4.08)


def test_files_of_installed_packages_are_found(tmp_path, monkeypatch):
    package, inside = PACKAGED["diamonds.csv.gz"]
    if importlib.util.find_spec(package) is None:
        assert find("diamonds.csv.gz", None) is None
    monkeypatch.setitem(PACKAGED, "diamonds.csv.gz", ("gems", inside))
    file = tmp_path / "gems" / inside
    file.parent.mkdir(parents=True)
    (tmp_path / "gems" / "__init__.py").touch()
    file.write_text("price,cut\n326,Ideal\n327,Good\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert find("diamonds.csv.gz", None) == file
    assert column(file, "price") == [326, 327]
    with zipfile.ZipFile(tmp_path / "rings.zip", "w") as archive:
        archive.writestr("inside/rings.zip", "rings\n15\n7\n")
    assert column(tmp_path / "rings.zip", "rings") == [15, 7]


def test_a_figure_without_its_library_is_reported_and_fails(monkeypatch, capsys):
    def missing():
        raise MissingDependencyError("needs scikit-learn", extra="reproduce")

    monkeypatch.setattr("leastnoise.reproduce.robust_regression.need_sklearn", missing)
    outcome = in_process(capsys, "reproduce", "inverse-sensitivity", "--quick")
    assert outcome.code == 1
    assert "NOT RUN: needs scikit-learn" in outcome.out
    with pytest.raises(MissingDependencyError):
        list(reproduce("inverse-sensitivity", "figure-3", quick=True))


def test_the_accountant_of_private_sgd_is_that_of_a_known_library():
    for q in (0.004, 0.016, 0.064):
        for steps in (1, 50, 1000):
            accountant = rdp.RdpAccountant()
            event = dp_event.PoissonSampledDpEvent(q, dp_event.GaussianDpEvent(private_sgd.SIGMA))
            accountant.compose(dp_event.SelfComposedDpEvent(event, steps))
            known = accountant.get_epsilon(private_sgd.DELTA)
            assert private_sgd.spent(steps, q) == pytest.approx(known, rel=0.01)


def test_the_error_of_an_svm_over_laplace_noise_is_exact():
    scores, weights = (
        np.array([0.7, -0.4, 1.5]),
        np.array([[0.5, 0.5, 1], [0.2, 0.9, 1], [2, 1, 1]]),
    )
    rng = np.random.default_rng(0)
    noise = rng.laplace(size=(200_000, 3))
    simulated = (scores + noise @ weights.T <= 0).mean(axis=0)
    assert chance_below_zero(scores, weights) == pytest.approx(simulated, abs=0.005)


def test_the_mechanism_as_printed_is_that_of_algorithm_2(quick):
    """Durfee 2024, Algorithm 2 to the letter: c = 100, Lemmas 5.2 and 5.4, exponential noise."""
    rows = np.array(exponential())
    n, value, share = len(rows), rows.var(), 0.1 / 3  # e1 + 2 e2 = epsilon, e1 = e2
    lower = [value]
    for level in range(1, 101):
        windows = (rows[i : n - level + i].var() for i in range(level + 1))
        lower.append((n - level) / n * min(windows))
    candidates = 1.005 ** np.arange(1600) - 1
    changes = [next((k for k in range(101) if lower[k] <= t), 101) for t in candidates]
    beyond = np.maximum(1, np.ceil((candidates - value) / (100**2 / n)))
    score = np.where(candidates < value, 0.5 - np.array(changes), beyond - 0.5)
    rng = np.random.default_rng(1)
    found = []
    for _ in range(4000):
        noise = rng.exponential(1 / share, len(candidates))
        first = np.argmax(score + noise >= rng.exponential(1 / share))
        found.append(abs(candidates[first] - value))
    spread = np.std(found) / len(found) ** 0.5
    panel = quick("asymmetric-sensitivity", "figure-1").panels[0]
    drawn = panel.series["asymmetric (as printed)"]["0.1"]
    assert drawn == pytest.approx(np.mean(found), abs=4 * spread)
    assert spread < 0.01 * drawn


def test_claims_of_the_papers(quick):
    """What papers/README.md says of them, on the quick points."""
    errors = quick("asymmetric-sensitivity", "figure-7").panels[1].series
    near, far = (f"asymmetric, candidates {gap} apart" for gap in (1, 40))
    assert errors[near]["1"] < errors["inverse sensitivity"]["1"] / 4
    assert errors[far]["1"] < errors["inverse sensitivity"]["1"] / 1.5
    errors = quick("asymmetric-sensitivity", "figure-6").panels[1].series
    assert errors[near]["1"] > errors["inverse sensitivity"]["1"] * 3
    assert errors[far]["1"] < errors["inverse sensitivity"]["1"] * 1.5
    variance = quick("asymmetric-sensitivity", "figure-1").panels[0]
    ours, paper = (
        variance.series["asymmetric (ours)"],
        variance.series["asymmetric (paper, corrected)"],
    )
    printed = variance.series["asymmetric (as printed)"]
    assert all(paper[e] < printed[e] for e in paper)
    assert all(ours[e] < paper[e] for e in ours)
    assert paper["0.1"] < variance.series["Laplace"]["0.1"]
    assert paper["1"] > variance.series["Laplace"]["1"]  # not everywhere better
    for panel in quick("piecewise-laplace", "comparison").panels:
        flat, inverse = panel.series["piecewise Laplace"], panel.series["inverse sensitivity"]
        assert all(flat[e] <= inverse[e] for e in flat)
    sizes = quick("sensitivity-sampler", "figure-2").panels[0].series
    assert all(sizes["marginal"][g] < sizes["paper"][g] for g in sizes["paper"])


def test_the_command_prints_tables_and_checks(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    outcome = in_process(capsys, "reproduce", "sensitivity-sampler", "figure-2", "--quick")
    assert (outcome.code, outcome.err) == (0, "")
    assert "as expected: figure-2, paper, 0.01: 41971, for 41971" in outcome.out
    assert "NOT AS EXPECTED" not in outcome.out
    *_, last, more = outcome.out.strip().splitlines()
    assert last.startswith("1 of 1 figures and tables drawn, 7 of 7 numbers and claims")
    assert more.startswith("--out FOLDER writes")


def test_the_summary_lists_what_is_not_as_expected_and_what_data_would_add(capsys, monkeypatch):
    some = expected_rows("inverse-sensitivity")
    own = ("figure-2-synthetic", "Laplace")
    wrong = [replace(r, expected="7") if (r.panel, r.series) == own else r for r in some]
    monkeypatch.setattr("leastnoise.reproduce.expected.expected_rows", lambda paper: wrong)
    monkeypatch.setenv("COLUMNS", "300")
    outcome = in_process(capsys, "reproduce", "inverse-sensitivity", "figure-2", "--quick")
    assert outcome.code == 1
    *_, first, failed, data, _ = outcome.out.strip().splitlines()
    assert first.startswith("1 of 1 figures and tables drawn, 8 of 9 numbers and claims")
    place = "inverse-sensitivity figure-2: NOT AS EXPECTED: figure-2-synthetic, Laplace, 1: 100"
    assert failed.strip().startswith(f"{place}, for 7 ± 0.007 (closed form")
    assert data.startswith("Public data that was left out: pay. --data FOLDER adds it")


@pytest.mark.parametrize("columns", ["40", "80", "200"])
def test_tables_break_no_word(capsys, monkeypatch, quick, columns):
    monkeypatch.setenv("COLUMNS", columns)
    panels = quick("asymmetric-sensitivity", "figure-8").panels[1:]
    panels += quick("sensitivity-sampler", "table-1").panels
    for panel in panels:
        _show(panel)
        said = capsys.readouterr().out
        words = {word for name in (*panel.rows(), *panel.series) for word in name.split()}
        assert [word for word in words if word not in said] == []


@pytest.mark.parametrize(
    ("arguments", "cure"),
    [
        (("kernel-density",), "paper must be all, asymmetric-sensitivity"),
        (("k-norm", "figure-9"), "figure of k-norm must be figure-1, figure-2"),
        (("all", "figure-1"), "figure goes with one paper"),
        (("k-norm", "--out", "/nowhere/at/all"), "there is no folder"),
        (("k-norm", "--data", "/nowhere"), "data: there is no folder"),
    ],
)
def test_wrong_usage_is_refused_with_the_cure(capsys, arguments, cure):
    outcome = in_process(capsys, "reproduce", *arguments)
    assert outcome.code == 2
    assert cure in outcome.err


def test_a_file_that_the_data_folder_lacks_is_named_and_the_rest_is_drawn(tmp_path, capsys):
    (tmp_path / "abalone.csv.gz").write_bytes(b"rings\n1\n2\n")  # no gzip file
    rows = "\n".join(str(i % 90) for i in range(1200))
    with gzip.open(tmp_path / "adult.csv.gz", "wt") as file:
        file.write(f"age\n{rows}\n")
    asked = ("asymmetric-sensitivity", "figure-1", "--quick", "--data", str(tmp_path))
    outcome = in_process(capsys, "reproduce", *asked, "--out", str(tmp_path / "out"))
    assert outcome.code == 1
    said = " ".join(outcome.out.split())
    assert "there is no diamonds.csv.gz: put it into the folder" in said
    assert "abalone.csv.gz is damaged, or no .gz file: get it again" in said
    assert "adult.csv.gz has not the content" in said  # it has no hours-per-week
    assert "Expected error of a private variance, synthetic" in said
    assert (tmp_path / "out" / "asymmetric-sensitivity" / "figure-1-synthetic.csv").is_file()
    (found,) = reproduce("inverse-sensitivity", "figure-2", quick=True, data=tmp_path)
    assert found.missing == "there is no uc_pay_2019.csv.gz: put it into the folder"
    names = ["figure-2-synthetic", "figure-2-synthetic-median"]
    assert ([p.name for p in found.panels], found.holds) == (names, False)
    assert all(c.holds for c in found.checks)


@pytest.mark.parametrize("cut", [0, 30])
def test_a_file_that_was_cut_off_is_seen(tmp_path, cut):
    whole = gzip.compress(b"rings\n" + b"7\n" * 1000)
    path = tmp_path / "abalone.csv.gz"
    path.write_bytes(whole[: len(whole) - cut])
    assert bool(fault("abalone.csv.gz", tmp_path)) is bool(cut)
    assert find("abalone.csv.gz", tmp_path) == (None if cut else path)


def test_only_a_data_set_that_is_not_there_may_be_missing(monkeypatch):
    """A row for a panel that no data set draws fails, with its files or without."""
    row = next(r for r in expected_rows("inverse-sensitivity") if r.panel == "figure-2-synthetic")
    rows = [replace(row, panel=f"figure-2-{name}", when="drawn") for name in ("pay", "pays")]
    monkeypatch.setattr("leastnoise.reproduce.expected.expected_rows", lambda paper: rows)
    found = check("inverse-sensitivity", "figure-2", [], absent=["pay"])
    assert [(c.panel, c.holds) for c in found] == [("figure-2-pays", False)]
    assert len(check("inverse-sensitivity", "figure-2", [])) == 2


def test_every_file_that_docs_name_belongs_to_a_figure():
    modules = [import_module(f"leastnoise.reproduce.{p.replace('-', '_')}") for p in PAPERS]
    listed = [getattr(m, "FILES", {}) for m in modules]
    assert all(set(files) <= set(m.FIGURES) for m, files in zip(modules, listed, strict=True))
    names = {n for files in listed for sets in files.values() for f in sets.values() for n in f}
    text = (ROOT / "docs" / "reproduce.md").read_text(encoding="utf-8")
    mnist = {n for n in names if n.startswith("mnist_")}
    assert "mnist_{train,test}_{images.idx3,labels.idx1}.gz" in text
    assert len(mnist) == 4
    assert [n for n in names - mnist if n not in text] == []


# well under a second each; the nightly run has all
FAST = [
    ("asymmetric-sensitivity", ["figure-5", "figure-6", "figure-7"]),
    ("inverse-sensitivity", ["figure-1", "figure-2"]),
    ("k-norm", ["figure-6", "table-1"]),
    ("piecewise-laplace", ["figure-1"]),
    (
        "sensitivity-sampler",
        ["table-1", "figure-1", "figure-2", "figure-3", "figure-4", "figure-8"],
    ),
    ("errata", ["reference"]),
]


@pytest.mark.parametrize(("paper", "figures"), FAST)
def test_a_full_run_finds_the_same_numbers(paper, figures):
    for figure in figures:
        (found,) = reproduce(paper, figure)
        assert [c for c in found.checks if not c.holds] == []


@pytest.mark.nightly
@pytest.mark.shared
def test_full_runs_on_the_public_files(shared_data):
    for found in reproduce("all", data=shared_data):
        assert found.holds, [c for c in found.checks if not c.holds]
