"""The named checks that mutations are tried against: `python checks.py NAME`.

Exit code 0: nothing was found. CAUGHT: a violation was found, and printed. Anything else: the check
itself failed, which proves nothing about the mutation.

Each check is the public kit on a whole room of the library, not fitted to any one mutation.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise import audit
from leastnoise.audit.searches import SEARCHES
from leastnoise.errors import LeastNoiseError, ParameterError
from leastnoise.frames import open_table
from leastnoise.frames.blocks import block_maker
from leastnoise.geometry import Linear, LpBall
from leastnoise.laws import DiscreteLaplaceLaw, LevelsLaw, RatioLaw, RoundedLaplaceLaw
from leastnoise.laws.ratio import RatioParts
from leastnoise.profiles import scale
from leastnoise.randomness import simulation
from leastnoise.sampling.dyadic import LevelLaw, Side
from leastnoise.testing import (
    PrivacyViolation,
    check_law,
    check_mechanism,
    check_release,
    check_samplers,
    check_statistic,
    check_vector,
    outcomes,
)
from leastnoise.testing.violations import Subject

CAUGHT = 3
_PYTEST = ["-x", "-q", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
LIMITS: dict[str, Any] = {"bounds": (-1, 3)}
PAIRS = [(0.0, 0.0), (0.0, 3.0), (1.0, 3.0), (3.0, 0.0), (None, 1.0)]
SCORED = [(1.0, 0.0), (1.0, 2.0), (0.0, 1.0), (0.0, 2.0)]
LABELS = [(a, b) for a in (0.0, 1.0) for b in (0.0, 1.0)]


def statistics(*kinds: Any, **options: Any) -> None:
    for statistic in kinds:
        check_statistic(statistic, **{"max_examples": 25, "n": 4} | options)


def order() -> None:
    statistics(
        ln.Median(**LIMITS),
        ln.Quantile(q="0.9", **LIMITS),
        ln.Quantile(q="0.3", **LIMITS),
        n=3,
        max_examples=60,
    )


def differences() -> None:
    statistics(ln.InterquartileRange(**LIMITS), max_examples=60)


def moments() -> None:
    statistics(ln.Sum(**LIMITS), ln.Sum(bounds=(1, 4)), ln.Mean(**LIMITS))


def imputed() -> None:
    """A number for every missing value, whatever the others are."""
    kinds = (ln.Median, ln.InterquartileRange, ln.Mean, ln.Variance)
    few: dict[str, Any] = {"universe": (-1.0, 0.0, 3.0, None), "n": 3, "max_examples": 15}
    statistics(*(kind(missing=2, **LIMITS) for kind in kinds), **few)
    statistics(ln.Sum(missing=2, max_rows=4, **LIMITS), **few)
    # a missing entry must not turn the others into doubles, which tell these apart no more
    wide = tuple(2**53 + i for i in (0, 1, 3))

    def masked(records: tuple[Any, ...]) -> Any:
        values = np.array([0 if x is None else x for x in records], np.int64)
        return np.ma.MaskedArray(values, [x is None for x in records])

    common: dict[str, Any] = {"universe": (*wide, None), "n": 3, "max_examples": 0}
    limits: dict[str, Any] = {"bounds": (2**53, 2**53 + 4), "missing": 2**53 + 3}
    statistics(ln.Median(**limits), ln.Mean(**limits), as_data=masked, **common)
    # among doubles the number is one itself, though the lattice has points that none is read as
    few = {"universe": (2.0**53, 2.0**53 + 8, None), "n": 3, "max_examples": 0}
    statistics(ln.Sum(max_rows=4, step=1, **{**limits, "bounds": (2**53, 2**53 + 8)}), **few)


class ThirdOfSum:
    """A user's statistic whose answers are rounded to a lattice that its values do not lie on."""

    def __init__(self, resolution: Fraction) -> None:
        self.resolution = resolution

    def __repr__(self) -> str:
        return f"ThirdOfSum({self.resolution})"

    def spec(self) -> Any:
        return ln.spec.moments(**LIMITS)

    def profile(self, s: Any, relation: str) -> ln.Profile:
        low, high = s.limits
        rise = [sum(high - x for x in s.smallest[:level]) for level in range(s.n + 1)]
        fall = [sum(x - low for x in s.largest[:level]) for level in range(s.n + 1)]
        return ln.Profile(
            value=(s.total, 3),
            upper=lambda level: (s.total + rise[min(level, len(rise) - 1)], 3),
            lower=lambda level: (s.total - fall[min(level, len(fall) - 1)], 3),
            support=((s.n * low, 3), (s.n * high, 3)),
            sensitivity=(high - low, 3),
            resolution=self.resolution,
            depth=s.depth,
        )


def rounded() -> None:
    for resolution in (Fraction(1), Fraction(2, 5), Fraction(3)):
        third = ThirdOfSum(resolution)
        statistics(third, n=3, max_examples=0, universe=(-1, 0, 1, 3), relations=["replace-one"])
        check_mechanism(ln.Laplace(), [third], relations=["replace-one"], draws=100)


def spread() -> None:
    statistics(ln.Variance(**LIMITS))


def counts() -> None:
    statistics(ln.Count(), ln.Count(max_rows=3), n=3)


def metrics() -> None:
    statistics(
        ln.MeanSquaredError(bounds=(0, 3)), ln.MeanAbsoluteError(bounds=(0, 3)), universe=PAIRS, n=3
    )
    statistics(ln.ConfusionMatrix(labels=[0, 1]), universe=LABELS, n=3)


def cells() -> None:
    """Declared cells and distinct entries: each part, all parts together, words, and persons."""
    statistics(ln.Histogram(bins=[0, 1, 3]), ln.CountDistinct(), universe=(0.0, 1.0, 3.0, 9.0), n=3)
    pairs: Any = lambda rows: ([a for a, _ in rows], [b for _, b in rows])
    table = ln.CrossTab(rows=[0, 1], columns=[0, 1])
    statistics(table, ln.ConfusionMatrix(labels=[0, 1]), universe=LABELS, n=2, as_data=pairs)
    for relation in ("replace-one", "add-remove", "edit"):
        for statistic in (ln.Histogram(bins=[0, 1, 3]), table, ln.CountDistinct()):
            two = statistic is table
            built: dict[str, Any] = {"build": pairs} if two else {}
            universe: Any = LABELS if two else (0.0, 1.0, 3.0)
            enumerated(statistic, universe=universe, n=2, relation=relation, epsilon=1, **built)
        people: dict[str, Any] = {"n": 2, "relation": relation, "epsilon": 1, "build": rows_of}
        people |= {"universe": [(), (("a", 0),), (("a", 0), ("b", 1))], "unit": "id"}
        for column in ("id", "x"):
            enumerated(ln.CountDistinct(column), max_rows=2, **people)
    words = [[], ["a"], ["b", None, "c"], [None, 3, float("nan")], ["a ", b"a", object()]]
    check_release(ln.Histogram(categories=["a", "b"]), data={"words": words})
    check_release(ln.CountDistinct(), data={"words": words})


def scores() -> None:
    """Metrics of several kinds, with missing rows where a policy keeps or drops them."""
    limits: dict[str, Any] = {"bounds": (0, 3)}
    shown: dict[str, Any] = {"universe": SCORED, "depths": (None,), "max_examples": 0}
    statistics(ln.RocAuc(), n=3, **shown | {"max_examples": 150})
    errors = [(0.0, 0.0), (0.0, 3.0), (2.0, 0.0), (None, 1.0)]
    statistics(ln.R2(**limits), universe=errors, missing="none", n=2, max_examples=0)
    statistics(
        ln.R2(**limits), ln.RootMeanSquaredError(**limits), ln.MeanSquaredError(),
        universe=errors[:3], n=3, max_examples=0,
    )  # fmt: skip


def graphs() -> None:
    statistics(ln.TriangleCount(nodes=6), ln.KStarCount(nodes=5), ln.EdgeCount(nodes=4))
    statistics(ln.TriangleCount(relabel=True), max_examples=150)
    # erasing pays less where a new edge gave neighbours: denser graphs than four nodes have
    statistics(ln.TriangleCount(nodes=8), max_examples=150)


def choices() -> None:
    universe: dict[str, Any] = {"universe": (0, 1, 2), "n": 3, "max_examples": 0}
    statistics(
        ln.Mode(categories=[0, 1, 2]),
        ln.Mode(categories=[0, 1, 2], score="distance"),
        ln.SmallFunction(function=lambda c: c[0] * c[0] - c[1], categories=[0, 1], most=3),
        **universe,
    )


def combined() -> None:
    """Statistics that are made of profiles of others."""
    statistics(ln.QuantileRatio(bounds=(2, 8)), universe=(2, 3, 8), n=3, max_examples=0)

    class Mirrored(ln.Median):
        __slots__ = ()

        def profile(self, summary: Any, relation: str) -> ln.Profile:
            return scale(super().profile(summary, relation), -2)

    statistics(Mirrored(**LIMITS), n=3, max_examples=0)
    statistics(
        ln.WeightedQuantile(q="1/2", bounds=(0, 9), largest=4, step=1),
        universe=[(v, w) for v in (1, 2, 8) for w in (1, 4)],
        n=3,
        max_examples=0,
        depths=[None],
    )


def intervals() -> None:
    matrix(["interval of the median"], quick=False)


def searches() -> None:
    matrix([case.name for case in SEARCHES], quick=True)


def matrix(names: list[str], *, quick: bool) -> None:
    """The audit of the installed version."""
    for row in audit.matrix(quick=quick, statistics=names):
        if not row.passed:
            subject = Subject(row.statistic, mechanism=row.mechanism, relation=row.relation)
            raise subject.violation("privacy loss is within the guarantee", str(row.report))


def shifted() -> None:
    for mechanism in (
        ln.PiecewiseLaplace(base="log", scale=1),
        ln.PiecewiseLaplace(base="round"),
    ):
        check_mechanism(mechanism, [ln.Median(bounds=(0, 4))], universe=(0, 1, 4))
    check_mechanism(
        ln.PiecewiseLaplace(shift=1), [ln.Sum(bounds=(-1, 2), max_rows=3)], universe=(-1, 0, 2), n=2
    )


def laplace() -> None:
    check_mechanism(ln.Laplace())


def levels() -> None:
    check_mechanism(ln.PiecewiseLaplace())
    check_mechanism(ln.InverseSensitivity(rho=1))


def smooth() -> None:
    check_mechanism(
        ln.SmoothLaplace(delta="1e-9"), [ln.Median(bounds=(-1, 2)), ln.Mean(bounds=(-1, 2))]
    )
    large = {"universe": (0, 5, 10), "n": 2, "relation": "edit", "epsilon": 64}
    enumerated(ln.Median(bounds=(0, 10)), ln.SmoothLaplace(delta="1e-6"), **large)


def ratio() -> None:
    check_mechanism(ln.LaplaceRatio())
    # the noise of the count is the larger one, and the range cuts off little of it
    rates = {"rate_total": Fraction(1), "rate_count": Fraction(1, 3)}
    parts = RatioParts(total=90, count=20, middle=0, scale=Fraction(8), low=0, high=200, **rates)
    check_law(RatioLaw(parts, Fraction(1, 8)))


def gaussian() -> None:
    check_mechanism(ln.Gaussian(delta="1e-3"), draws=1500)


def selection() -> None:
    """Choices among candidates whose scores count records, by enumeration and by their draws."""
    for mechanism in (ln.Exponential(), ln.PermuteAndFlip()):
        check_law(mechanism.law(ln.Scores(values=[0, 3, 4, 4, -9, 1]), 1), draws=20_000)
        for relation in ("replace-one", "add-remove", "edit"):

            def law_of(data: Any, chosen: Any = mechanism, rises: bool = relation[0] == "a") -> Any:
                values = [3 * data.count(label) for label in ("a", "b", "c")]
                return chosen.law(ln.Scores(values=values, sensitivity=3, monotone=rises), 1)

            report = audit.exact_law(
                law_of, universe=["a", "b", "c"], n=4, relation=relation, claim=ln.PureDP(1)
            )
            if not report.passed:
                raise PrivacyViolation(mechanism.name, str(report.claim), str(report))


def asymmetric() -> None:
    # much noise on the threshold and little on the candidates: a false monotone flag shows
    check_mechanism(
        ln.AsymmetricSensitivity(spacing="uniform", split="1/8"),
        [ln.InterquartileRange(bounds=(0, 4)), ln.Median(bounds=(0, 4))],
        universe=(0, 3, 4),
        draws=0,
    )


def tight_or_loose() -> None:
    # a gate that few records open, beside a walk over few candidates
    few = ln.AsymmetricSensitivity(beta=2, scale=2)
    gated = ln.TightOrLoose(walk=few, part="1/2", sure=1)
    variance = ln.Variance(bounds=(0, 10), step=1)
    some: dict[str, Any] = {"universe": (0, 4, 6, 10), "n": 3, "epsilon": 2}
    enumerated(variance, ln.CentredLaplace(), **some)
    for relation in ("replace-one", "add-remove", "edit"):
        enumerated(variance, gated, relation=relation, **some)


def laws() -> None:
    right = Side(lambda level: level**2, 400)
    left = Side(lambda level: 7 * level, 300)
    for sloped in (True, False):
        for epsilon in (Fraction(1, 3), Fraction(9)):
            check_law(LevelsLaw(5, LevelLaw(right, left, epsilon, sloped, 60), Fraction(1, 4)))
    check_law(DiscreteLaplaceLaw(2, Fraction(1, 7), Fraction(1)))
    check_law(DiscreteLaplaceLaw(2, Fraction(1, 2**50), Fraction(1)))
    scale = Fraction(23, 3)
    check_law(
        RoundedLaplaceLaw(
            0, lambda bits: (int(scale * 2**bits), int(scale * 2**bits) + 1), Fraction(1)
        )
    )


def vectors() -> None:
    rows = [[x, y] for x in (0, 2) for y in (-1, 0, 1)]
    moments = ln.MomentVector(bounds=[(0, 2), (-1, 1)])
    check_vector(moments, rows, relations=["add-remove"], balls=("l1", "linf"), draws=100)
    axes = [[(Fraction(1, 10) if i == 0 else 1) * (i == j) for j in range(6)] for i in range(6)]
    narrow = Linear(axes, LpBall("inf", 6))  # a ball that sees the count above all
    kinds = ("linf", "paper", "plus", "tri", "cycles", "blocks", narrow)
    check_vector(moments, [*rows, [None, 1]], relations=["edit"], balls=kinds, draws=100)
    check_vector(moments, rows, relations=["replace-one"], balls=kinds[:-1], draws=100)
    waves = ln.RecordSum(
        lambda r: (r[0] * r[1], 1 / r[0]), bounds=[(0, 2), (-1, 1)], box=[(-1, 1)] * 2
    )
    check_vector(waves, rows, balls=("linf",), draws=100)


def releases() -> None:
    bounds: dict[str, Any] = {"bounds": (0, 100)}
    for statistic in (
        ln.Median(**bounds),
        ln.Median("age", bounds=(0, 100), missing="none"),
        ln.Quantiles(q=[0.25, 0.75], **bounds),
        ln.Mean(**bounds),
        ln.Mean("age", bounds=(0, 100), missing=50),
        ln.Sum(bounds=(-5, 100)),
        ln.Count(),
    ):
        check_release(statistic)
    texts = {"texts": [(["a", "b", "c", None], ["a", "z", "b", "a"]), ([], [])]}
    check_release(ln.ConfusionMatrix(labels=["a", "b"]), data=texts)
    check_release(
        ln.ConfusionMatrix(labels=[0, 1]), data={"lists": [([0, 1, 1], [1, 1, 0]), ([], [])]}
    )


def blocks() -> None:
    """Sample and aggregate: every way to deal the records into blocks, enumerated."""
    median = ln.Median(bounds=(0, 4), missing="none")
    for function in (max, lambda members: 4 * (sum(members) % 2)):
        aggregate = ln.SampleAndAggregate(function, bounds=(0, 4), blocks=2)

        def law_of(data: Any, chosen: Any = aggregate) -> Any:
            def deal(source: Any) -> Any:
                with simulation(source):
                    return np.sort(
                        chosen._answers(len(data), block_maker(list(data)))[:, 0]
                    ).astype(int)

            laws = ((weight, ln.profile(median, found)) for weight, found in outcomes(deal))
            return audit.Mixture([(w, ln.PiecewiseLaplace().law(p, 2)) for w, p in laws])

        for relation in ("replace-one", "add-remove", "edit"):
            report = audit.exact_law(
                law_of, universe=[0, 3, 4], n=3, relation=relation, claim=ln.PureDP(2),
                permutations=True,
            )  # fmt: skip
            if not report.passed:
                raise PrivacyViolation(repr(aggregate), str(report.claim), str(report))


def rows_of(data: tuple[Any, ...]) -> dict[str, Any]:
    """A table of persons, each a tuple of rows (group, value)."""
    rows = [(i, *row) for i, person in enumerate(data) for row in person]
    ids, groups, values = ([row[i] for row in rows] for i in range(3))
    return {
        "id": np.array(ids, np.int64), "g": groups, "x": np.array(values, np.int64),
    }  # fmt: skip


def subsets() -> None:
    """Filters, groups and persons, by exact enumeration of their joint laws."""
    limits: dict[str, Any] = {"bounds": (0, 4)}
    median, total = ln.Median("x", **limits), ln.Sum("x", bounds=(-2, 3), max_rows=6)
    rows = [(("a", 0),), (("a", 3),), (("b", -2),), (("b", 3),)]
    persons = [(), (("a", 0), ("b", 3)), (("a", 3), ("a", 3)), (("b", 4),)]
    many = [(), (("a", 1),), (("a", 0), ("a", 4), ("a", 0), ("a", 4))]
    apart = [(("a", 0), ("a", 8)), (("a", 6), ("a", 6)), (("a", 0), ("a", 6))]
    threshold = ln.AsymmetricSensitivity(spacing="uniform", split="1/10")
    for relation in ("replace-one", "add-remove", "edit"):
        common: dict[str, Any] = {"relation": relation, "epsilon": 1, "build": rows_of, "n": 3}
        for statistic in (median, total, ln.Count()):
            one = {**common, "universe": rows}
            enumerated(statistic, **one, group_by={"g": ["a", "b"]})
            enumerated(statistic, **one, where=ln.col("g") == "a")
            some = {**common, "universe": persons, "unit": "id", "max_rows": 2}
            enumerated(statistic, **some)
            enumerated(statistic, **some, group_by={"g": ["a", "b"]}, max_groups=2)
            # who has more rows than are used needs a random choice, which is refused here
            full = {**common, "universe": many, "unit": "id", "max_rows": 2}
            enumerated(statistic, **full)
        keys = ln.PrivateKeys("g", delta="1/10")
        enumerated(keys, **{**common, "universe": rows[1:3], "n": 7})
        same = [(("a", 0), ("a", 1)), (("b", 0), ("b", 1))]
        enumerated(keys, **{**common, "universe": same, "n": 7}, unit="id", max_rows=2)
        some["group_by"], some["max_groups"] = {"g": ["a", "b"]}, 2
        enumerated(ln.Count(max_rows=6), ln.InverseSensitivity(), **some)
        wide = {**common, "universe": apart, "n": 2, "epsilon": "1.1"}
        enumerated(ln.Median("x", bounds=(0, 8)), threshold, **wide, unit="id", max_rows=2)


def comments() -> None:
    """A text file whose lines can be comments: whether a line is a row is one row's own secret."""
    with tempfile.TemporaryDirectory() as folder:

        def build(data: tuple[Any, ...]) -> Any:
            path = Path(folder, f"{'-'.join(('t', *data))}.csv")
            path.write_text("\n".join(["x", *data]), encoding="utf-8")
            return open_table(path, comment="#")

        limits: dict[str, Any] = {"bounds": (0, 4), "missing": "none"}
        for relation in ("replace-one", "add-remove", "edit"):
            asked = (ln.Count(), None), (ln.Median("x", **limits), None)
            for statistic, mechanism in (*asked, (ln.Mean("x", **limits), ln.PiecewiseLaplace())):
                common: dict[str, Any] = {"relation": relation, "epsilon": 1, "n": 3}
                enumerated(statistic, mechanism, **common, universe=["0", "4", "#4"], build=build)


def engines() -> None:
    """Persons in a table of an engine: the rows that are used follow a hash, so their law is exact
    for persons of any number of rows."""
    import polars as pl

    def build(data: tuple[Any, ...]) -> Any:
        rows = [(i, x) for i, person in enumerate(data) for x in person]
        return pl.LazyFrame(rows, schema={"id": pl.Int64, "x": pl.Int64}, orient="row")

    universe = [(), (-2, -2, -2), (3, 3, 3), (3, -1)]
    common: dict[str, Any] = {"universe": universe, "n": 2, "epsilon": 1, "build": build}
    for relation in ("replace-one", "add-remove", "edit"):
        for statistic in (ln.Sum("x", bounds=(-2, 3), max_rows=6), ln.Count()):
            enumerated(statistic, relation=relation, unit="id", max_rows=2, **common)


def estimators() -> None:
    """One robust coefficient, whose law is that of a profile, with missing entries."""
    from leastnoise.estimators import HuberLoss, PrivateRobustRegression

    # steep slopes and records at the ends: one that others follow moves all of their gradients
    limits: dict[str, Any] = {"bounds": (-2, 2), "coef_bounds": (-2, 2), "step": "1/4"}
    universe = [(2.0, 4.0), (-2.0, 4.0), (2.0, -4.0), (2.0, None), (None, 4.0)]
    for relation in ("replace-one", "add-remove", "edit"):
        for policy in ("drop", "none"):
            model = PrivateRobustRegression(
                loss=HuberLoss("1/20"), relation=relation, missing=policy, **limits
            )

            def law_of(data: Any, asked: Any = model) -> Any:
                rows = np.array(data, dtype=np.float64).reshape(-1, 2)
                return ln.InverseSensitivity().law(asked.profile(rows[:, :1], rows[:, 1]), 1)

            report = audit.exact_law(
                law_of, universe=universe, n=4, relation=relation, claim=ln.PureDP(1)
            )
            if not report.passed:
                raise PrivacyViolation(repr(model), str(report.claim), str(report))


def enumerated(statistic: Any, mechanism: Any = None, **options: Any) -> None:
    try:
        report = audit.exact(statistic, mechanism, **options)
    except ParameterError as error:
        if "max_rows" not in str(error):
            raise
        return
    if not report.passed:
        raise PrivacyViolation(repr(statistic), str(report.claim), str(report))


CHECKS: dict[str, Callable[[], None]] = {
    check.__name__: check
    for check in (
        *(order, differences, moments, imputed, rounded, spread, counts, metrics, scores, cells),
        *(laplace, levels, shifted, smooth, ratio, asymmetric, tight_or_loose, intervals, searches),
        *(gaussian, selection, graphs, choices, combined),
        *(laws, vectors, releases, subsets, comments, engines, blocks, estimators),
        check_samplers,
    )
}


def main(names: list[str]) -> int:
    warnings.simplefilter("error")
    for name in names:
        if name.startswith("tests/"):  # what the kit cannot look at: a ledger, a process
            code = pytest.main([*_PYTEST, *name.split()])
            if code == pytest.ExitCode.TESTS_FAILED:
                print(f"the bug breaks {name}")
                return CAUGHT
            if code:
                return int(code) + CAUGHT
            continue
        try:
            CHECKS[name]()
        except PrivacyViolation as violation:
            print(f"{name}: {violation}")
            return CAUGHT
        except LeastNoiseError as error:
            # parameters that are sound in the unchanged library are refused: seen by everyone
            print(f"{name}: refused, {type(error).__name__}: {error}")
            return CAUGHT + 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
