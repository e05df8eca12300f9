"""Every public name says what it takes, what it raises, what it promises; its examples run.

The names are those of docs/reference. What is raised is found out: every parameter of a working
call is spoiled in turn, and whatever comes must be an error of this library that the section
Raises names. Pictures are left out there: matplotlib answers for what is no Axes.
"""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import leastnoise as ln
from leastnoise import geometry
from leastnoise.errors import LeastNoiseError
from leastnoise.mechanisms.mechanism import Mechanism
from leastnoise.statistics.statistic import Statistic, VectorStatistic
from leastnoise.summaries.moments import RowSummary
from leastnoise.testing import ColumnKind, FrontEnd

ROOT = Path(__file__).resolve().parents[2]
PAGES = {page.stem: page for page in sorted((ROOT / "docs" / "reference").glob("*.md"))}
NAMES = {
    stem: re.findall(r"^::: leastnoise\.(\S+)$", page.read_text("utf-8"), re.MULTILINE)
    for stem, page in PAGES.items()
}
EVERY = [name for names in NAMES.values() for name in names]


def found(name: str) -> Any:
    """The object of a public name."""
    value: Any = ln
    for part in name.split("."):
        if isinstance(value, ModuleType) and not hasattr(value, part):
            importlib.import_module(f"{value.__name__}.{part}")
        value = getattr(value, part)
    return value


def text(value: object) -> str:
    """The docstring; of errors and constants Python's own does not count."""
    return inspect.getdoc(value) or ""


def parameters(value: Any) -> list[str]:
    try:
        names = inspect.signature(value).parameters
        return [p for p in names if p not in ("self", "cls") and p.strip("_")]  # _: not used
    except ValueError:  # an exception without an own __init__
        return []


def sections(value: object) -> dict[str, str]:
    """The numpy-style sections of a docstring by heading."""
    parts = re.split(r"^(\w[\w ]*)\n-+$", text(value), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def raised(value: object) -> set[str]:
    """The classes of the section Raises."""
    lines = re.findall(r"^(\w+(?:, \w+)*)$", sections(value).get("Raises", ""), re.MULTILINE)
    return {name for line in lines for name in line.split(", ")}


WHOLE = ColumnKind("whole", list, lambda random: 1)
# Members that a protocol explains once for all who have them.
SHARED = {
    name
    for kind in (Statistic, VectorStatistic, Mechanism, geometry.Ball)
    for name in vars(kind)
    if not name.startswith("_")
} | {"default_mechanism", "vector", "joint_law", "parts", "splits", "touched", "strongest"}


@pytest.mark.parametrize("name", EVERY)
def test_every_parameter_is_named(name: str) -> None:
    value = found(name)
    if not callable(value):
        return
    assert text(value), "no docstring"
    missing = [p for p in parameters(value) if not re.search(rf"\b{p}\b", text(value))]
    assert not missing, f"not in the docstring: {missing}"


MEMBERS = [
    (name, member)
    for name in EVERY
    if inspect.isclass(found(name)) and not issubclass(found(name), BaseException)
    for member, value in inspect.getmembers(found(name), callable)
    if not member.startswith("_") and member not in SHARED
    if (getattr(value, "__module__", None) or "").startswith("leastnoise")
]


@pytest.mark.parametrize(("name", "member"), MEMBERS)
def test_every_member_says_what_it_is(name: str, member: str) -> None:
    assert text(getattr(found(name), member)), "no docstring"


PROMISING = [*NAMES["mechanisms"], *NAMES["statistics"], *NAMES["blackbox"], "Ledger"]
PROMISING += [name for name in NAMES["estimators"] if "Private" in name]
# What is no statistic on the page of statistics.
NO_STATISTIC = {"Profile", "VectorProfile", "Scores", "spec"}


@pytest.mark.parametrize("name", [n for n in PROMISING if n not in NO_STATISTIC])
def test_what_is_promised_is_told_with_its_source(name: str) -> None:
    told = text(found(name))
    assert "Guarantee" in told or "guarantee and its conditions: as for" in told, "no guarantee"
    assert re.search(r"Sources?:|docs/proofs/|errata \d", told), "no source"


BOUNDS = (0, 10)
NUMBERS = [1, 2, 3, 4, 5]
TWO = {"columns": ["a", "b"], "bounds": [BOUNDS, BOUNDS]}


class Identity:
    """A model without parameters."""

    def predict(self, rows: Any) -> list[float]:
        return [float(row[0]) for row in rows]


def records(rng: np.random.Generator, size: int) -> Any:
    return rng.random(size)


def calls() -> dict[str, dict[str, Any]]:
    """A working call of everything public that takes parameters of a user, but pictures."""
    profile = ln.profile(ln.Median(bounds=BOUNDS), NUMBERS)
    above = ln.profile(ln.Median(bounds=(1, 10)), NUMBERS)
    law = ln.Laplace().law(ln.profile(ln.Count(), NUMBERS), 1)
    cells = ln.release(ln.Histogram(bins=[0, 3, 6]), NUMBERS, epsilon=1)
    ball, diamond = geometry.LpBall("inf", 2), geometry.LpBall(1, 2)
    points = [[1, 0], [0, 1], [-1, 0], [0, -1]]
    space, moments = geometry.SensitivitySpace.from_points(points), geometry.MomentSpace(2)
    median = ln.Median(bounds=BOUNDS)
    column = {"column": None, "bounds": BOUNDS, "step": None, "missing": None}
    loss = {"target": None, "prediction": None, "bounds": BOUNDS, "step": None, "missing": None}
    pair = {"step": None, "missing": None}
    ledger = {"ledger": None, "dataset": None, "purpose": None}
    rows = {"relation": None, "missing": None, "where": None, "unit": None, "max_rows": None}
    noise = {"ball": ball, "epsilon": 1, "sensitivity": 1}
    edges = {"source": None, "target": None, "nodes": 5}
    fit = {"epsilon": 1, "bounds": [(-1, 1)], "fit_intercept": True, "relation": None}
    fit |= {"missing": "none", "ledger": None, "dataset": None}
    small = {"universe": [0, 1], "n": 2, "relation": "add-remove", "sample": None, "seed": 0}
    at = {"profile": profile, "epsilon": 1}
    found = {
        "PrivateBounds": {"share": "1/3"},
        "PrivateLimit": {"share": "1/3"},
        "col": {"name": "a"},
        "compose": {"releases": [ln.PureDP(1)], "delta": 0, "fixed": "plan"},
        "consistent_counts": {"counts": [1, 2], "total": 3},
        "shares": {"counts": [1, 2], "weights": None},
        "share_intervals": {"counts": cells, "level": "0.9", "rows": None, "simultaneous": False},
        "open": {"data": NUMBERS, "table": "main", "ledger": None, "dataset": None}
        | {x: rows[x] for x in ("relation", "missing", "unit", "max_rows")},
        "private_score": {
            **ledger,
            "model": Identity(),
            "X": [[1.0], [2.0]],
            "y": [1.0, 2.0],
            "metric": "neg_mean_squared_error",
            "epsilon": 1,
            "mechanism": None,
            "bounds": BOUNDS,
            "labels": None,
            "one_by_one": False,
        },
        "profile": {"statistic": median, "data": NUMBERS, **rows},
        "release": {"statistic": median, "data": NUMBERS, "epsilon": 1, **rows, **ledger}
        | {"weights": None, "mechanism": None, "reuse": False, "table": "main"},
        "PureDP": {"epsilon": 1},
        "ApproxDP": {"epsilon": 1, "delta": "1e-6", "rho": None},
        "ZCDP": {"rho": 1},
        "BoundedRange": {"eta": 1},
        "RandomDP": {"epsilon": 1, "delta": 0, "gamma": "1/20", "beta": 0},
        "R2": {"target": "a", "prediction": "b", "bounds": BOUNDS, "floor": 0, "missing": None},
        "ConfusionMatrix": {"labels": [0, 1], "nonnegative": False, "target": None},
        "Correlation": {**TWO, **pair, "exclusive": ()},
        "Covariance": {**TWO, **pair, "exclusive": ()},
        "MeanVector": {**TWO, **pair},
        "MomentVector": {**TWO, **pair, "exclusive": (), "degree": 2},
        "TrimmedMeanVector": {**TWO, **pair, "trim": "0.1"},
        "RecordSum": {**TWO, "function": list, "box": [BOUNDS, BOUNDS], "missing": None},
        "Count": {"column": None, "nonnegative": False, "max_rows": 10, "missing": None},
        "CountDistinct": {"column": None, "nonnegative": False},
        "CrossEntropy": loss | {"labels": (0, 1), "logits": True, "loss_bound": None},
        "CrossTab": {"row": None, "column": None, "rows": [1, 2], "columns": [1, 2]},
        "EdgeCount": {**edges, "nonnegative": False},
        "KStarCount": {**edges, "k": 2},
        "TriangleCount": edges,
        "Histogram": {"column": None, "bins": [0, 1, 2], "nonnegative": False},
        "Mode": {"column": None, "categories": ["a", "b"], "score": "count"},
        "NoisyConfusion": {"counts": [[1, 2], [3, 4]]},
        "PrivateKeys": {"column": None, "delta": "1e-6"},
        "Quantile": {**column, "q": "0.5"},
        "Quantiles": {**column, "q": ["0.5"]},
        "QuantileInterval": {**column, "q": "0.5", "confidence": "0.95", "resolution": None},
        "QuantileRatio": {**column, "bounds": (1, 10), "top": "0.9", "bottom": "0.1"},
        "WeightedQuantile": {"column": "a", "weights": "w", "q": "0.5", "bounds": BOUNDS}
        | {"largest": 10, "step": None},
        "RocAuc": {"target": None, "prediction": None, "labels": (0, 1)},
        "Scores": {"values": [1, 2], "sensitivity": 1, "candidates": ["a", "b"]},
        "SmallFunction": {"function": max, "distance": None, "categories": [1, 2], "most": 2}
        | {"answers": None, "resolution": 1},
        "Sum": {**column, "max_rows": 100},
        "AsymmetricSensitivity": {"beta": "1.005", "scale": None, "split": None, "apart": 1}
        | {"side": "up", "spacing": "log"},
        "Bernstein": {"lattice": 4, "order": 1, "dimension": 1, "noise": "linf"},
        "InverseSensitivity": {"rho": 0},
        "PiecewiseLaplace": {"rho": 0, "base": "flat", "shift": None, "scale": None}
        | {"above": None},
        "SparseVector": {"epsilon": 1, "threshold": 3, "answers": 1, "monotone": False, "split": 1}
        | {"relation": None, "unit": None, "table": "main", **ledger},
        "PrivateLimits": {"fewest": 1000},
        "TightOrLoose": {"walk": None, "part": "1/6", "sure": 12},
        "BlackBox": {"function": len, "sensitivity": 1, "norm": "l1", "dimension": 1}
        | {"bounds": BOUNDS, "relation": "replace-one"},
        "SampleAndAggregate": {"function": np.mean, "bounds": BOUNDS, "blocks": 3}
        | {"dimension": 1, "step": None},
        "SensitivitySampler": {"function": np.mean, "draw_record": records, "n": 5, "norm": "l1"}
        | {"gamma": "1/2", "beta": "1e-3", "guarantee": "two-level", "m": None, "bounds": None}
        | {"batch": None, "pair": None, "workers": None, "checkpoint": None},
        "estimators.PrivateLinearRegression": {**fit, "target_bounds": (-1, 1), "exclusive": None}
        | {"ball": "linf", "ridge": "auto"},
        "estimators.PrivateLogisticRegression": {**fit, "classes": [0, 1], "C": 1, "ball": "linf"}
        | {"accountant": "joint", "q": None, "correct": None},
        "estimators.PrivateRobustRegression": {**fit, "coef_bounds": (-2, 2), "alpha": 1}
        | {"loss": "smooth-absolute", "mechanism": None, "step": None, "fit_intercept": False},
        "WithInterval": {"statistic": ln.Median(bounds=(0, 1)), "level": "0.9", "of": "data"},
        "estimators.ConvexLoss": {"derivative": np.tanh, "limit": 2, "lipschitz": 1, "knots": 64},
        "estimators.HuberLoss": {"delta": 1},
        "estimators.SmoothAbsoluteLoss": {"alpha": 1},
        "geometry.Custom": {"norm": max, "half_widths": [1, 1]},
        "geometry.Ellipsoid": {"axes": [[1, 0], [0, 1]]},
        "geometry.Linear": {"matrix": [[1, 0], [0, 1]], "ball": ball},
        "geometry.LpBall": {"p": 1, "dimension": 2},
        "geometry.MomentCone": {"space": moments},
        "geometry.MomentSpace": {"columns": 2, "squares": None, "exclusive": (), "degree": 2},
        "geometry.Polytope": {"points": points, "facets": None},
        "geometry.Product": {"parts": [(ball, [0, 1])]},
        "geometry.SensitivitySpace": {"points": points, "complete": True, "dimension": 2},
        "geometry.compare": {"balls": {"a": ball}, "space": space, "epsilon": 1, "draws": 100},
        "geometry.conditional_variance": {**noise, "direction": [1, 0]},
        "geometry.coordinate_rms": {**noise, "draws": 100},
        "geometry.entropy": noise,
        "geometry.estimate_volume": {"ball": ball, "draws": 100, "confidence": 0.9, "seed": 0},
        "geometry.expected_loss": {**noise, "norm": "linf", "draws": 100},
        "geometry.histogram_space": {"cells": 3, "relation": "replace-one"},
        "geometry.is_contained": {"inner": diamond, "outer": ball, "directions": 100},
        "geometry.lp_balls": {"dimension": 2},
        "geometry.marginals_space": {"levels": [2, 2], "relation": "add-remove"},
        "geometry.moment_ball": {"kind": "linf", "space": moments},
        "geometry.moment_hull": {"space": moments, "grid": 3},
        "geometry.volume_ratio": {"inner": diamond, "outer": ball, "draws": 100, "seed": 0},
        "audit.exact": {**small, "statistic": ln.Count(), "mechanism": None, "epsilon": 1}
        | {"measure": None, "missing": None, "build": None},
        "audit.exact_law": {**small, "law_of": lambda data: {0: 0, 1: 1}, "claim": ln.PureDP(1)},
        "audit.matrix": {"quick": True, "statistics": ["Count"], "mechanisms": ["Laplace"]}
        | {"relations": ["add-remove"], "epsilon": 1},
        "audit.statistical": {"release_function": str, "x": 0, "x_prime": 0, "claimed": 1}
        | {"draws": 200, "confidence": 0.95, "delta": 0},
        "testing.ColumnKind": {"name": "whole", "column": list, "draw": lambda random: 1},
        "testing.FrontEnd": {"name": "list", "kinds": [WHOLE], "table": dict},
        "testing.check_front_end": {"front": FrontEnd("list", [WHOLE]), "cases": 1, "seed": 0},
        "testing.check_law": {"law": law, "draws": 50, "tolerance": 1e-9},
        "testing.check_mechanism": {"mechanism": ln.Laplace(), "statistics": [ln.Count()]}
        | {"universe": (0, 1), "n": 1, "relations": ("edit",), "epsilons": (1,), "draws": 20},
        "testing.check_release": {"statistic": ln.Count(), "mechanism": None, "epsilon": 1}
        | {"relations": ("edit",)},
        "testing.check_samplers": {"draws": 0},
        "testing.check_statistic": {"statistic": ln.Count(), "universe": (0, 1), "n": 1}
        | {"relations": ("edit",), "max_examples": 0, "missing": None, "depths": (None,)},
        "testing.check_summary": {"of": lambda rows: RowSummary(len(rows)), "key": None}
        | {"values": st.integers(), "max_examples": 1, "max_size": 1},
        "testing.check_vector": {"statistic": ln.MeanVector(bounds=[(0, 1)] * 2), "n": 1}
        | {"universe": [(0, 0), (1, 1)], "relations": ("edit",), "draws": 20},
        "testing.outcomes": {"draw": lambda source: 0, "most": 10},
        "testing.simulate": {"seed": 1},
        "plans.parse_condition": {"text": "age >= 18"},
        "accounting.LaplaceNoise": {"epsilon": 1, "steps": None},
        "accounting.to_approx": {"loss": ln.ZCDP(1), "delta": "1e-6"},
        "accounting.to_relation": {"guarantee": ln.PureDP(1), "relation": "replace-one"},
        "accounting.to_zcdp": {"loss": ln.PureDP(1), "tight": False},
        "profiles.monotone_map": {"profile": profile, "function": abs, "resolution": 1},
        "profiles.quotient": {"top": profile, "bottom": above, "resolution": 1},
        "profiles.scale": {"profile": profile, "by": 2},
        "profiles.shift": {"profile": profile, "by": 2},
        "profiles.clip": {"profile": profile, "low": 1, "high": 4},
        "theory.StepCount": {"column": None, "width": 10, "max_rows": 100},
        "theory.chain_error": {"changes": 2, "epsilon": 1},
        "theory.error_ratio": {**at, "mechanism": ln.Laplace()},
        "theory.likely_set": {"law": law, "mass": 0.9},
        "theory.modulus": {"profile": profile, "changes": 1},
        "theory.optimality": {**at, "mechanisms": (ln.Laplace(),)},
        "reproduce.reproduce": {"paper": "errata", "figure": "reference", "out": None},
    }
    alike: dict[tuple[str, ...], dict[str, Any]] = {
        ("Maximum", "Mean", "Median", "Minimum", "StandardDeviation", "Variance"): column,
        ("InterquartileRange",): column,
        ("MeanAbsoluteError", "MeanSquaredError", "RootMeanSquaredError"): loss,
        ("DiscreteGaussian", "Gaussian", "SmoothLaplace"): {"delta": "1e-6"},
        ("KNorm", "PiecewiseKNorm"): {"ball": None},
        ("theory.asymmetry", "theory.minimax_risk", "theory.theorem_2"): at,
        ("theory.growth_ratio", "theory.weighted_modulus"): {**at, "changes": None},
        ("theory.theorem_1",): at,
        ("accounting.basic", "accounting.parallel"): {"guarantees": [ln.PureDP(1)]},
        ("accounting.to_pure", "accounting.to_bounded_range"): {"loss": ln.PureDP(1)},
        ("profiles.maximum", "profiles.minimum", "profiles.tightest", "profiles.total"): {
            "profiles": [profile, profile]
        },
    }
    return found | {name: given for names, given in alike.items() for name in names}


CALLS = calls()
# Made by the library, or taken as they are: their parts are trusted, and errors come where they
# are used.
TRUSTED = {
    *(
        "Balance",
        "Description",
        "Ledger",
        "Release",
        "Releases",
        "Session",
        "Scope",
        "SensitivityEstimate",
    ),
    *("Profile", "VectorProfile", "geometry.Ball", "geometry.Comparison", "geometry.Intersection"),
    *("geometry.VolumeEstimate", "audit.Adapter", "audit.ExactReport", "audit.Exponents"),
    *("audit.MatrixRow", "audit.Mixture", "audit.Probabilities", "audit.StatisticalReport"),
    *("audit.render", "testing.PrivacyViolation", "theory.Optimality", "reproduce.Check"),
    *(name for name in NAMES["profiles"] if ".from_" in name),
    *("plans.load_plan", "plans.prepare", "plans.render"),
    *("reproduce.Panel", "reproduce.Reproduction", *NAMES["errors"], *NAMES["plots"]),
    "sql.answer.Answer",
}
WRONG = (object(), "no", -1, float("nan"), [], True, {"a": 1})


def test_every_callable_is_tried_or_trusted() -> None:
    called = {name for name in EVERY if callable(found(name)) and parameters(found(name))}
    assert called - CALLS.keys() - TRUSTED == set()
    assert (CALLS.keys() | TRUSTED) - set(EVERY) == set()


def outcome(value: Callable[..., Any], given: dict[str, Any]) -> Exception | None:
    """What a call raises, at once or when it is used, or None."""
    try:
        made = value(**given)
        if hasattr(made, "fit"):  # estimators check when they are fitted
            made.fit([[-0.5], [0.5]] * 20, [0, 1] * 20)
        elif inspect.isgenerator(made):
            next(made)
        elif hasattr(made, "gen"):  # a context made of a generator
            with made:
                pass
    except Exception as error:
        return error
    return None


def spoiled(given: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name in given:
        for wrong in WRONG:
            yield f"{name}={wrong!r}", {**given, name: wrong}


@pytest.mark.parametrize("name", CALLS)
def test_what_is_raised_is_told(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # "no" is a path too
    value, told = found(name), raised(found(name))
    given = CALLS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numbers out of range may overflow on the way
        assert outcome(value, given) is None
        for case, wrong in spoiled(given):
            error = outcome(value, wrong)
            if error is not None:
                assert isinstance(error, LeastNoiseError), f"{case}: {error!r}"
                classes = {kind.__name__ for kind in type(error).__mro__}
                assert classes & told, f"{case}: {type(error).__name__} is not under Raises"


MODULES = [
    ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)
    for path in sorted((ROOT / "src" / "leastnoise").rglob("*.py"))
    if ">>> " in path.read_text("utf-8")
]


@pytest.mark.parametrize("module", MODULES)
def test_examples(module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = doctest.testmod(importlib.import_module(module))
    assert found.attempted > 0
    assert found.failed == 0
