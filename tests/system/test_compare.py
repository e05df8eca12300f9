"""The command ``leastnoise compare`` and its pictures."""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import get_args

import pytest

import leastnoise as ln
from leastnoise.cli.compare import NO_LAW, ComparedName, ScalarName
from leastnoise.cli.comparison import MECHANISMS, WEAKER, Comparison, Row
from leastnoise.mechanisms import far_limits
from leastnoise.mechanisms.far_limits import far_rule
from leastnoise.mechanisms.private_limits import COUNT_SHARE
from support.commands import Run, fresh, in_process

# Reason: the pictures need the extra plots, everything else works without.
needs_matplotlib = pytest.mark.skipif(
    find_spec("matplotlib") is None,
    reason="matplotlib is not installed",
)
VALUES = [(7 * i * i) % 83 + (i % 7) for i in range(60)]
BOUNDS = (0, 100)
CAR = ("--public", "--column", "price", "--bounds", "0", "100", "--step", "1", "--missing", "none")
MEDIAN = ("--stat", "median", *CAR)


@pytest.fixture
def run(capsys, monkeypatch) -> Run:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("LEASTNOISE_PRODUCTION", raising=False)
    return partial(in_process, capsys)


@pytest.fixture
def cars(tmp_path) -> str:
    file = tmp_path / "cars.csv"
    rows = "".join(f"{value},car\n" for value in VALUES)
    file.write_text(f"price,what\n{rows}", encoding="utf-8")  # of one column n would be private
    return str(file)


def strict(text: str) -> dict:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not strict JSON")

    return json.loads(text, parse_constant=refuse)


def by_mechanism(found: dict) -> dict[str, dict]:
    return {row["mechanism"]: row for row in found["mechanisms"]}


def cells(out: str) -> dict[str, list[str]]:
    """The table's lines: the mechanism without its mark, and its cells."""
    table = out.split("\n\n")[1].splitlines()[2:]
    rows = [line.rsplit(maxsplit=2) for line in table]
    return {name.strip(): numbers for name, *numbers in rows}


class TestNumbers:
    @pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
    @pytest.mark.parametrize(
        ("stat", "statistic"),
        [
            ("median", ln.Median(bounds=BOUNDS, step=1)),
            ("variance", ln.Variance(bounds=BOUNDS, step=1)),
            ("mean", ln.Mean(bounds=BOUNDS, step=1)),
        ],
    )
    def test_they_are_those_of_the_laws(self, run, cars, stat, statistic, relation):
        out = run(
            "compare", cars, "--stat", stat, *CAR, "--relation", relation, "--epsilon", "1/2",
            "2", "--json"
        ).out  # fmt: skip
        found = strict(out)
        assert found["private"] is False
        assert found["relation"] == relation
        assert found["epsilons"] == ["1/2", "2"]
        p = ln.profile(statistic, VALUES, relation=relation, missing="none")
        rows = by_mechanism(found)
        searched = {  # has no law
            ("mean", "replace-one"): ["PrivateLimits()"],
            ("mean", "add-remove"): ["PrivateLimits()"],
            ("variance", "replace-one"): ["PrivateLimits(fewest=2500)"],
            ("variance", "add-remove"): ["PrivateLimits(fewest=2500)"],
        }.get((stat, relation), [])
        assert list(rows) == [*MECHANISMS, *searched]
        for name in searched:
            noise = ln.Laplace() if relation == "replace-one" else ln.LaplaceRatio()
            kept, left = noise, Fraction(2)  # few rows are not searched
            if stat == "variance":  # but by a walk to far limits, which sees that the bounds fit
                public = relation == "replace-one"
                kept = far_limits.fitting(Fraction(120), Fraction(100), 2, public=public)
                left -= 2 * far_rule(2 * Fraction(len(VALUES))).share
                left -= (
                    0 if relation == "replace-one" else 2 * (COUNT_SHARE + far_limits.COUNT_SHARE)
                )
            plain = kept.law(p, left).mean_absolute_error(centre=p.value)
            assert rows[name]["errors"][1] == pytest.approx(plain, rel=0.4)
        for name, mechanism in MECHANISMS.items():
            if name in ("Laplace()", *WEAKER):
                continue  # these are cut to the range
            if name == "LaplaceRatio()" and (stat != "mean" or relation == "replace-one"):
                assert rows[name]["errors"] == [None, None]
                assert "private" in rows[name]["reason"]
                continue
            if name == "CentredLaplace()" and (stat != "variance" or relation != "replace-one"):
                assert rows[name]["errors"] == [None, None]
                assert "public" in rows[name]["reason"]
                continue
            errors = [
                mechanism.law(p, epsilon).mean_absolute_error(centre=p.value)
                for epsilon in ("1/2", "2")
            ]
            assert rows[name]["errors"] == pytest.approx(errors, rel=1e-9)
            assert rows[name]["reason"] is None

    @pytest.mark.parametrize("name", ["Laplace()", *WEAKER])
    def test_laplace_is_after_the_cut(self, run, cars, name):
        found = strict(run("compare", cars, *MEDIAN, "--epsilon", "1", "--json").out)
        p = ln.profile(ln.Median(bounds=BOUNDS, step=1), VALUES, missing="none")
        law, value = MECHANISMS[name].law(p, 1), p.value
        inside = sum(law.pmf(y) * abs(y - value) for y in range(1, 100))
        ends = law.cdf(0) * value + (1 - law.cdf(99)) * (100 - value)
        (error,) = by_mechanism(found)[name]["errors"]
        assert error == pytest.approx(float(inside + ends), rel=1e-6)
        assert error < law.mean_absolute_error(centre=value)
        assert "after clipping" in found["error"]

    @pytest.mark.parametrize("stat", ScalarName.__args__)
    def test_every_scalar_statistic_has_one_default_and_a_best(self, run, cars, stat):
        options = ("--public", "--stat", stat, "--epsilon", "1", "--json", "--missing", "none")
        if stat != "count":
            options += ("--column", "price", "--bounds", "0", "100", "--step", "1")
        if stat == "quantile":
            options += ("--q", "0.9")
        outcome = run("compare", cars, *options)
        assert outcome.code == 0, outcome.err
        found = strict(outcome.out)
        assert sum(row["default"] for row in found["mechanisms"]) == 1
        rows = [row for row in found["mechanisms"] if row["errors"] != [None]]
        least = min(row["errors"][0] for row in rows)
        assert {row["mechanism"] for row in rows if row["smallest"][0]} == {
            row["mechanism"] for row in rows if row["errors"][0] <= least * (1 + 1e-9)
        }

    def test_dropped_rows_make_the_relation_edit(self, run, cars):
        options = ("--public", "--stat", "mean", "--column", "price", "--bounds", "0", "100")
        found = strict(run("compare", cars, *options, "--epsilon", "1", "--json").out)
        assert found["relation"] == "edit"
        (default,) = [row for row in found["mechanisms"] if row["default"]]
        assert default["mechanism"] == "PrivateLimits()"

    def test_clipping_to_limits_shows_its_bias(self, run, tmp_path):
        """Of a long upper tail the mean comes out too low, by about its error at most."""
        file = tmp_path / "tail.csv"
        file.write_text("pay\n" + "\n".join(str(6000 // (i + 1)) for i in range(6000)))
        options = ("--public", "--stat", "mean", "--column", "pay", "--bounds", "0", "1e6")
        out = run(
            "compare", str(file), *options, "--missing", "none", "--epsilon", "1", "--json"
        ).out
        rows = by_mechanism(strict(out))
        default = rows["PrivateLimits()"]
        assert -1.2 * default["errors"][0] < default["bias"][0] < 0
        assert "bias" not in rows["Laplace()"]


@pytest.fixture
def scored(tmp_path) -> str:
    """Targets, predictions, labels in words and in numbers, a probability and two logits."""
    file = tmp_path / "scored.csv"
    rows = [
        f"{v},{v + i % 5 - 2},{'no' if v < 40 else 'yes'},{int(v >= 40)},"
        f"{(v + i % 9) / 110 + 0.02:.4f},{i % 4 - 1},{(v - 40) / 20:.3f}"
        for i, v in enumerate(VALUES)
    ]
    file.write_text("\n".join(["y,guess,word,label,p,a,b", *rows]), encoding="utf-8")
    return str(file)


LIMITS = ("--bounds", "0", "100")
METRICS = {
    "mean-squared-error": (
        ("--column", "y", "--against", "guess", *LIMITS),
        ln.MeanSquaredError("y", "guess", bounds=BOUNDS),
    ),
    "mean-absolute-error": (
        ("--column", "y", "--against", "guess", *LIMITS, "--step", "1/8"),
        ln.MeanAbsoluteError("y", "guess", bounds=BOUNDS, step="1/8"),
    ),
    "root-mean-squared-error": (
        ("--column", "y", "--against", "guess", *LIMITS),
        ln.RootMeanSquaredError("y", "guess", bounds=BOUNDS),
    ),
    "cross-entropy": (
        ("--column", "word", "--against", "p", "--categories", "no", "yes"),
        ln.CrossEntropy("word", "p", labels=["no", "yes"]),
    ),
    "roc-auc": (("--column", "label", "--against", "p"), ln.RocAuc("label", "p")),
}


class TestMetrics:
    """Statistics of a target and a prediction."""

    @pytest.mark.share(1 / 2)
    @pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
    @pytest.mark.parametrize("stat", METRICS)
    def test_they_are_those_of_the_laws(self, run, scored, stat, relation):
        options, statistic = METRICS[stat]
        asked = ("compare", scored, "--public", "--stat", stat, *options, "--relation", relation)
        outcome = run(*asked, "--epsilon", "1/2", "2", "--json")
        assert outcome.code == 0, outcome.err
        found = strict(outcome.out)
        p = ln.profile(statistic, scored, relation=relation)
        rows = by_mechanism(found)
        assert list(rows)[: len(MECHANISMS)] == list(MECHANISMS)
        assert sum(row["default"] for row in found["mechanisms"]) == 1
        for name in (
            "PiecewiseLaplace()",
            "InverseSensitivity()",
            'AsymmetricSensitivity(beta="auto", split=2)',
        ):
            errors = [
                MECHANISMS[name].law(p, epsilon).mean_absolute_error(centre=p.value)
                for epsilon in ("1/2", "2")
            ]
            assert rows[name]["errors"] == pytest.approx(errors, rel=1e-9)
        assert rows["Laplace()"]["errors"][0] > 0

    def test_logits_one_a_label(self, run, scored):
        options = ("--column", "label", "--against", "a", "b", "--logits", "--bounds", "-5", "5")
        asked = ("compare", scored, "--public", "--stat", "cross-entropy", *options)
        found = strict(run(*asked, "--epsilon", "1", "--json").out)
        metric = ln.CrossEntropy("label", ["a", "b"], logits=True, bounds=(-5, 5))
        p = ln.profile(metric, scored)
        (error,) = by_mechanism(found)["PiecewiseLaplace()"]["errors"]
        law = ln.PiecewiseLaplace().law(p, 1)
        assert error == pytest.approx(law.mean_absolute_error(centre=p.value), rel=1e-9)
        assert 'ln.CrossEntropy("label", ["a", "b"], logits=True, bounds=(-5, 5))' in found["code"]

    @pytest.mark.parametrize("stat", METRICS)
    def test_the_code_runs(self, run, scored, stat, tmp_path, monkeypatch):
        options, statistic = METRICS[stat]
        asked = ("compare", scored, "--public", "--stat", stat, *options, "--epsilon", "1")
        found = strict(run(*asked, "--json").out)
        Path(scored).rename(tmp_path / "private.csv")
        monkeypatch.chdir(tmp_path)
        names: dict = {}
        exec(found["code"], names)
        assert names["r"].statistic == type(statistic).__name__

    def test_different_entries_are_compared(self, run, scored):
        options = ("--public", "--stat", "count-distinct", "--column", "word", "--epsilon", "1")
        found = strict(run("compare", scored, *options, "--json").out)
        (error,) = by_mechanism(found)["Laplace()"]["errors"]
        p = ln.profile(ln.CountDistinct("word"), scored)
        law = ln.Laplace().law(p, 1)
        assert error == pytest.approx(law.mean_absolute_error(centre=p.value))

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (("--stat", "roc-auc", "--column", "label"), "--against"),
            (("--stat", "roc-auc", "--against", "p"), "--column"),
            (("--stat", "roc-auc", "--column", "label", "--against", "p", *LIMITS), "--bounds"),
            (("--stat", "roc-auc", "--column", "label", "--against", "a", "b"), "one --against"),
            (("--stat", "mean-squared-error", "--column", "y", "--against", "guess"), "--bounds"),
            (
                ("--stat", "cross-entropy", "--column", "label", "--against", "b", "--logits"),
                "--bounds",
            ),
            (
                ("--stat", "cross-entropy", "--column", "label", "--against", "p", *LIMITS),
                "--logits",
            ),
            (
                (
                    *("--stat", "mean-squared-error", "--column", "y", "--against", "guess"),
                    *(*LIMITS, "--categories", "0", "1"),
                ),
                "--categories",
            ),
            (
                ("--stat", "roc-auc", "--column", "label", "--against", "p", "--logits"),
                "--logits",
            ),
            (
                ("--stat", "roc-auc", "--column", "label", "--against", "p", "--q", "0.5"),
                "--q",
            ),
            (("--stat", "median", "--column", "y", *LIMITS, "--against", "guess"), "--against"),
            (("--stat", "roc-auc", "--column", "label", "--against", "none"), "no column 'none'"),
        ],
    )
    def test_wrong_options_end_with_2(self, run, scored, options, message):
        outcome = run("compare", scored, "--public", *options)
        assert outcome.code == 2
        assert outcome.out == ""
        assert message in outcome.err

    @pytest.mark.parametrize("stat", NO_LAW)
    def test_what_has_no_exact_error_is_told_with_the_reason(self, run, stat):
        outcome = run("compare", "no/such/file.csv", "--public", "--stat", stat, "--column", "y")
        assert outcome.code == 2
        text = " ".join(outcome.err.split())
        assert f"{stat!r} has no exact expected error: {NO_LAW[stat]}" in text
        assert all(name in text for name in get_args(ComparedName))

    def test_an_unknown_statistic_gets_the_nearest_name(self, run):
        outcome = run("compare", "no/such/file.csv", "--public", "--stat", "medain")
        assert outcome.code == 2
        assert "Did you mean 'median'?" in outcome.err


class TestTable:
    def test_marks_and_sentences(self, run, cars):
        outcome = run("compare", cars, *MEDIAN, "--epsilon", "0.5", "1")
        assert outcome.code == 0, outcome.err
        found = strict(run("compare", cars, *MEDIAN, "--epsilon", "0.5", "1", "--json").out)
        shown = cells(outcome.out)
        assert "PiecewiseLaplace() (default)" in shown
        assert sum("(default)" in name for name in shown) == 1
        assert shown["LaplaceRatio()"] == ["-", "-"]
        for row in found["mechanisms"]:
            name = row["mechanism"] + (" (default)" if row["default"] else "")
            assert [cell.startswith("*") for cell in shown[name]] == row["smallest"]
        text = " ".join(outcome.out.split())
        assert "NOT PRIVATE: these numbers were computed from the data" in text
        assert "are clipped to the public range first" in text
        assert "LaplaceRatio() is for a mean whose row count is private" in text
        assert found["code"] in outcome.out

    @pytest.mark.parametrize(
        "options",
        [
            ("--stat", "quantile", "--q", "0.9", *CAR, "--relation", "add-remove"),
            ("--stat", "variance", *CAR[:-2], "--missing", "5"),
            ("--stat", "count", "--public"),
        ],
    )
    def test_the_code_runs(self, run, cars, options, tmp_path, monkeypatch):
        found = strict(run("compare", cars, *options, "--epsilon", "0.5", "1", "--json").out)
        assert f"mechanism=ln.{found['best']}" in found["code"]
        assert 'epsilon="1"' in found["code"]
        Path(cars).rename(tmp_path / "private.csv")
        monkeypatch.chdir(tmp_path)
        names: dict = {}
        exec(found["code"], names)
        assert json.loads(names["r"].to_json())["value"] is not None

    def test_the_best_promises_no_less_and_stays_near_the_smallest(self):
        rows = (
            *(Row(name, False, (0.1, 0.1), None) for name in WEAKER),
            Row("Laplace()", True, (9.0, 1.0), None),
            Row("PiecewiseLaplace()", False, (2.0, 1.5), None),
            Row("LaplaceRatio()", False, (None, 0.1), "not here"),
        )
        found = Comparison("median", "pay", "edit", (1, 2), rows)
        assert found.best() == rows[3]
        assert found.best(1) == rows[3]
        assert found.best(2) == rows[4]
        assert found.smallest(rows[0]) == (True, True)
        assert found.smallest(rows[4]) == (False, True)

    def test_among_equals_the_default_is_best(self):
        rows = (
            Row("InverseSensitivity()", False, (1.0, 0.0), None),
            Row("PiecewiseLaplace()", True, (1.0 + 1e-12, 0.0), None),
        )
        assert Comparison("median", "pay", "edit", (1, 2), rows).best() == rows[1]

    def test_a_data_set_without_any_error_is_no_fault(self, run, tmp_path):
        file = tmp_path / "empty.csv"
        file.write_text("price\n", encoding="utf-8")
        for stat in ("median", "variance", "mean"):
            assert run("compare", str(file), "--stat", stat, *CAR, "--epsilon", "1").code == 0


class TestRefusals:
    def test_without_public_nothing_is_read(self, run):
        options = [option for option in MEDIAN if option != "--public"]
        outcome = run("compare", "no/such/file.csv", *options)
        assert outcome.code == 2
        assert outcome.out == ""
        assert "--public" in outcome.err
        assert "synthetic stand-in" in outcome.err
        assert "no file" not in outcome.err

    def test_production_refuses(self, run, monkeypatch):
        monkeypatch.setenv("LEASTNOISE_PRODUCTION", "1")
        outcome = run("compare", "no/such/file.csv", *MEDIAN)
        assert outcome.code == 2
        assert outcome.out == ""
        assert "LEASTNOISE_PRODUCTION" in outcome.err

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (("--stat", "median", "--public", "--column", "price"), "--bounds"),
            (("--stat", "quantile", *CAR), "--q"),
            ((*MEDIAN, "--epsilon", "0"), "epsilon"),
            ((*MEDIAN, "--epsilon", "1,5"), "epsilon"),
            ((*MEDIAN, "--missing", "maybe"), "missing"),
        ],
    )
    def test_wrong_options_end_with_2(self, run, cars, options, message):
        outcome = run("compare", cars, *options)
        assert outcome.code == 2
        assert outcome.out == ""
        assert message in outcome.err

    def test_pictures_without_matplotlib_name_the_cure_before_reading(self, run, monkeypatch):
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
        outcome = run("compare", "no/such/file.csv", *MEDIAN, "--plot", "out.svg")
        assert outcome.code == 2
        assert "pip install leastnoise[plots]" in outcome.err

    @pytest.mark.parametrize("name", ["out.txt", "out", "no/such/folder/out.svg"])
    def test_a_picture_that_cannot_be_written_is_refused(self, run, cars, name, tmp_path):
        assert run("compare", cars, *MEDIAN, "--plot", str(tmp_path / name)).code == 2


@needs_matplotlib
class TestPictures:
    def test_a_fresh_process_writes_an_svg_with_the_names(self, cars, tmp_path):
        picture = tmp_path / "out.svg"
        outcome = fresh("compare", cars, *MEDIAN, "--plot", str(picture), "--epsilon", "0.5", "1")
        assert outcome.code == 0, outcome.err
        assert "NOT PRIVATE" in outcome.out
        text = picture.read_text(encoding="utf-8")
        assert "PiecewiseLaplace() (default)" in text
        assert "median of price" in text

    def test_a_png_is_not_empty(self, run, cars, tmp_path):
        from matplotlib.image import imread

        picture = tmp_path / "out.png"
        assert (
            run("compare", cars, *MEDIAN, "--plot", str(picture), "--epsilon", "0.5", "1").code == 0
        )
        assert imread(picture)[..., :3].std() > 0.05

    def test_lines_differ_without_colour(self):
        from leastnoise.plots import error_against_epsilon
        from leastnoise.plots.drawing import DASHES

        table = {name: {0.5: i + 1.0, 1.0: None, 2.0: i + 0.5} for i, name in enumerate("abcdefgh")}
        axes = error_against_epsilon({**table, "refused": {0.5: None}, "exact": {0.5: 0.0}})
        lines = axes.get_lines()
        assert len(lines) == 8
        assert len({line.get_marker() for line in lines}) == 8
        assert len({line.get_color() for line in lines}) == 8
        assert len(set(map(str, DASHES))) == 8
        assert axes.get_xscale() == axes.get_yscale() == "log"
        assert axes.get_title(loc="left")
        # from the top line to the bottom one
        assert [t.get_text() for t in axes.get_legend().get_texts()] == list("hgfedcba")

    def test_profiles_and_laws(self, tmp_path, monkeypatch):
        from matplotlib.figure import Figure

        from leastnoise import plots

        p = ln.profile(ln.Median(bounds=BOUNDS), VALUES, missing="none")
        law = ln.PiecewiseLaplace().law(p, 1)
        axes = Figure().subplots()
        assert plots.profile(p, levels=[0, 1, 5], ax=axes) is axes
        assert float(p.upper(5)) in axes.get_lines()[0].get_ydata()
        drawn = plots.law(law)
        (stairs,) = drawn.patches
        heights, edges, _ = stairs.get_data()
        assert sum(heights * (edges[1:] - edges[:-1])) == pytest.approx(0.998, abs=0.01)
        tails = plots.tails({"ours": law, "usual": ln.Laplace().law(p, 1)}, p.value)
        ours, usual = tails.get_lines()
        for line, one in ((ours, law), (usual, ln.Laplace().law(p, 1))):
            distance, chance = line.get_xydata()[20]
            near = float(one.cdf(p.value + distance)) - float(one.cdf(p.value - distance))
            assert chance == pytest.approx(1 - near, abs=0.02)
        assert ours.get_xdata()[-1] < usual.get_xdata()[-1]
        assert plots.svg(tails).startswith("<?xml")
        assert "usual" in plots.svg(tails)
        plots.save(drawn, tmp_path / "law.pdf")
        assert (tmp_path / "law.pdf").stat().st_size > 1000
        with pytest.raises(ln.errors.ParameterError, match="levels"):
            plots.profile(p, levels=[-1])
        monkeypatch.setenv("LEASTNOISE_PRODUCTION", "1")
        for draw in (partial(plots.profile, p), partial(plots.law, law)):
            with pytest.raises(ln.errors.ProductionError):
                draw()


def test_optimality_measures_every_mechanism(run, cars):
    from leastnoise import theory

    asked = ("compare", cars, *MEDIAN, "--optimality", "--epsilon", "0.5", "2")
    found = strict(run(*asked, "--json").out)
    p = ln.profile(ln.Median(bounds=BOUNDS, step=1), VALUES, missing="none")
    for i, (limit, epsilon) in enumerate(zip(found["optimality"], ("0.5", "2"), strict=True)):
        assert limit["minimax"] == pytest.approx(theory.minimax_risk(p, epsilon))
        assert limit["lower"] <= limit["minimax"] <= limit["upper"]
        for mechanism, row in by_mechanism(found).items():
            error, ratio = row["errors"][i], limit["ratios"][mechanism]
            assert (error is None) == (ratio is None)
            assert error is None or ratio == pytest.approx(error / limit["minimax"])
    shown = run(*asked).out
    assert "local minimax risk" in shown
    assert "error / local minimax risk" in shown
    plain = run("compare", cars, *MEDIAN, "--epsilon", "0.5", "--json").out
    assert "optimality" not in strict(plain)
