"""The exact audit: what it computes is right, and every shipped claim holds under it.

The matrix at the end is the required one: every shipped statistic x mechanism x relation, over
every neighbouring pair of small universes, at epsilon 1/2 or 2 and at one of the cases of that
statistic in turn: one in nine up to the case's own number of records, the others up to three. At
night all of it in full.
"""

import json
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import product
from math import exp, inf, log

import numpy as np
import pytest

import leastnoise as ln
from leastnoise import audit, mechanisms, statistics
from leastnoise.audit import coverage
from leastnoise.audit.cases import EPSILONS, MECHANISMS, STATISTICS
from leastnoise.audit.coverage import audit_cell
from leastnoise.audit.neighbours import neighbouring_pairs, random_pairs
from leastnoise.audit.searches import SEARCHES
from leastnoise.laws import DiscreteLaplaceLaw, RoundedLaplaceLaw
from leastnoise.mechanisms import AsymmetricSensitivity, PiecewiseLaplace, PrivateLimits
from leastnoise.mechanisms.joint.mechanism import JointMechanism
from leastnoise.profiles import on_grid

F = Fraction
FEW = (0, 1, 2, 4)


# --- what is enumerated ---------------------------------------------------------------------


def by_definition(size: int, n: int, relation: str) -> set[frozenset[tuple[int, ...]]]:
    """Neighbouring pairs of multisets from the definition, over all sequences."""

    def moves(data: tuple[int, ...]):
        for i in range(len(data)):
            if relation != "add-remove":
                yield from ((*data[:i], v, *data[i + 1 :]) for v in range(size))
            if relation != "replace-one":
                yield data[:i] + data[i + 1 :]

    sizes = [n] if relation == "replace-one" else range(n + 1)
    found = set()
    for k in sizes:
        for data in product(range(size), repeat=k):
            for other in moves(data):
                pair = frozenset((tuple(sorted(data)), tuple(sorted(other))))
                if len(pair) == 2:
                    found.add(pair)
    return found


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_every_neighbouring_pair_is_listed_once(relation: str, n: int):
    pairs = [frozenset(pair) for pair in neighbouring_pairs(3, n, relation)]
    assert len(pairs) == len(set(pairs))
    assert set(pairs) == by_definition(3, n, relation)


def test_edges_form_sets():
    pairs = list(neighbouring_pairs(3, 3, "edge"))
    assert len(pairs) == 3 * 4  # every edge present or absent beside every set of the others
    assert all(len(set(b)) == len(b) and len(b) == len(a) + 1 for a, b in pairs)


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
def test_random_pairs_are_neighbours_or_equal(relation: str):
    pairs = list(random_pairs(5, 6, relation, 200, seed=1))
    assert pairs == list(random_pairs(5, 6, relation, 200, seed=1))
    for a, b in pairs:
        assert a == tuple(sorted(a))
        assert b == tuple(sorted(b))
        shared = sum(min(a.count(v), b.count(v)) for v in set(a))
        assert max(len(a), len(b)) - shared <= 1


# --- what is computed -----------------------------------------------------------------------


def loss_in_floats(p: dict[object, float], q: dict[object, float]) -> float:
    return max(abs(log(p[y] / q[y])) for y in p)


def normalised(exponents: dict[object, Fraction]) -> dict[object, float]:
    total = sum(exp(-e) for e in exponents.values())
    return {y: exp(-e) / total for y, e in exponents.items()}


def test_tables_of_exponents_agree_with_floats():
    rng = np.random.default_rng(7)
    for _ in range(30):
        tables = [
            {y: F(int(e), 7) for y, e in zip("abcde", rng.integers(-9, 30, 5), strict=True)}
            for _ in range(2)
        ]
        report = audit.exact_law(lambda x, t=tables: t[x[0]], universe=[0, 1], n=1, claim=pure(9))
        p, q = map(normalised, tables)
        assert float(report.lo) == pytest.approx(loss_in_floats(p, q), rel=1e-12)
        assert report.hi - report.lo < F(1, 2**200)
        at = max(p, key=lambda y: abs(log(p[y] / q[y])))
        assert report.output == at


def test_tables_of_probabilities_agree_with_exponents():
    tables = [
        {"a": F(1, 2), "b": F(1, 3), "c": F(1, 6)},
        {"a": F(1, 4), "b": F(1, 4), "c": F(1, 2)},
    ]
    law = lambda x: audit.Probabilities(tables[x[0]])
    report = audit.exact_law(law, universe=[0, 1], n=1, claim=pure(1))
    assert float(report.hi) == pytest.approx(log(3), rel=1e-14)
    assert not report.passed
    assert report.output == "c"
    approx = audit.exact_law(law, universe=[0, 1], n=1, claim=ln.ApproxDP(F(1, 1000), F(1, 3)))
    factor = exp(0.001)
    forward = max(0, 1 / 2 - factor / 4) + max(0, 1 / 3 - factor / 4)
    backward = max(0, 1 / 2 - factor / 6)
    assert float(approx.hi) == pytest.approx(max(forward, backward), rel=1e-12)


@pytest.mark.parametrize("rate", [F(1, 3), F(2), F(1, 2**40)])
def test_endless_runs_are_compared_to_the_end(rate: Fraction):
    law = lambda x: DiscreteLaplaceLaw(3 * x[0], rate, F(1))
    report = audit.exact_law(law, universe=[0, 1], n=1, claim=ln.PureDP(3 * rate))
    assert (report.lo, report.hi, report.attained) == (3 * rate, 3 * rate, True)
    faster = lambda x: DiscreteLaplaceLaw(0, rate * (1 + x[0]), F(1))
    report = audit.exact_law(faster, universe=[0, 1], n=1, claim=pure(100))
    assert (report.lo, report.hi, report.passed) == (inf, inf, False)


def test_an_impossible_output_is_an_infinite_loss():
    report = audit.exact_law(
        lambda x: {0: F(0), **({1: F(50)} if x[0] else {})}, universe=[0, 1], n=1, claim=pure(99)
    )
    assert (report.lo, report.output, report.verdict) == (inf, 1, "VIOLATED")


def rounded(centre: int, scale: Fraction) -> RoundedLaplaceLaw:
    def enclosure(bits: int) -> tuple[int, int]:
        low = (scale.numerator << bits) // scale.denominator
        return low, low + 1

    return RoundedLaplaceLaw(centre, enclosure, F(1))


@pytest.mark.parametrize("shift", [0, 1, 3])
@pytest.mark.parametrize("scales", [(F(3), F(3)), (F(3), F(4)), (F(5), F(2)), (F(1, 3), F(1, 2))])
@pytest.mark.parametrize("epsilon", [F(1, 10), F(1, 2), F(2)])
def test_hockey_stick_of_rounded_laplace(
    shift: int, scales: tuple[Fraction, Fraction], epsilon: Fraction
):
    laws = rounded(0, scales[0]), rounded(shift, scales[1])
    report = audit.exact_law(
        lambda x: laws[x[0]], universe=[0, 1], n=1, claim=ln.ApproxDP(epsilon, F(1, 2))
    )
    p, q = (np.array([law.point_mass(y) for y in range(-400, 401)]) for law in laws)
    expected = max(np.maximum(a - exp(epsilon) * b, 0).sum() for a, b in ((p, q), (q, p)))
    assert float(report.hi) == pytest.approx(expected, rel=1e-9, abs=1e-14)
    assert report.lo <= report.hi <= report.lo + F(1, 2**200)


def test_hockey_stick_of_log_linear_laws():
    median = lambda data: ln.PiecewiseLaplace().law(profile_of(ln.Median(bounds=(0, 9)), data), 1)
    claim = ln.ApproxDP(F(1, 5), F(1, 2))
    report = audit.exact_law(median, universe=[0, 3, 9], n=3, claim=claim)
    worst = 0.0
    for a, b in neighbouring_pairs(3, 3, "replace-one"):
        laws = [median([(0, 3, 9)[i] for i in places]) for places in (a, b)]
        p, q = (np.array([law.point_mass(y) for y in range(10)]) for law in laws)
        for one, other in ((p, q), (q, p)):
            worst = max(worst, np.maximum(one - exp(0.2) * other, 0).sum())
    assert float(report.hi) == pytest.approx(worst, rel=1e-12)


def test_zcdp_of_laplace_noise():
    """Continuous Laplace noise has rho = eps + e^-eps - 1 (Harrison and Manurangsi 2025)."""
    noisy = lambda x: DiscreteLaplaceLaw(2**20 * x[0], F(1, 2**20), F(1))
    report = audit.exact_law(noisy, universe=[0, 1], n=1, claim=ln.ZCDP(F(1, 2)))
    assert float(report.lo) <= exp(-1) <= float(report.hi)
    assert float(report.hi) < 1.01 * exp(-1)


@pytest.mark.parametrize("mechanism", [ln.InverseSensitivity(), ln.PiecewiseLaplace()])
@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
def test_adaptive_mechanisms_have_bounded_range(mechanism: object, relation: str):
    """Epsilon-bounded range, hence eps^2/8-zCDP (errata 3)."""
    for claim in (ln.BoundedRange(1), ln.ZCDP(F(1, 8))):
        report = audit.exact(
            ln.Median(bounds=(0, 4)),
            mechanism,
            universe=(0, 1, 4),
            n=3,
            relation=relation,
            epsilon=1,
            claim=claim,
        )
        assert report.passed, report


# --- what is reported -----------------------------------------------------------------------


def pure(epsilon: object) -> ln.PureDP:
    return ln.PureDP(epsilon)


def profile_of(statistic: object, data: object, relation: str = "replace-one") -> ln.Profile:
    return ln.profile(statistic, np.array(data, dtype=np.int64), relation=relation)


def test_report_is_readable_and_plain():
    report = audit.exact(ln.Median(bounds=(0, 4)), universe=FEW, n=3, epsilon=1, permutations=True)
    text = str(report)
    assert "Median, PiecewiseLaplace(), epsilon=1: holds" in text
    assert "all 60 neighbouring pairs of 20 data sets" in text
    assert "A pass covers this universe and these sizes only" in text
    assert json.loads(json.dumps(report.to_dict(), allow_nan=False))["passed"] is True


def test_missing_values_turn_replace_one_into_edit():
    report = audit.exact(ln.Count(), universe=(0.0, None), n=3, epsilon=1)
    assert report.attained
    report = audit.exact(ln.Count(), universe=(0.0, None), n=3, epsilon=1, missing="none")
    assert report.hi == 0


def test_a_step_reaches_the_statistic():
    report = audit.exact(
        ln.Median(bounds=(0, 2)), universe=(0.0, 0.6, 2.0), n=2, epsilon=1, step="1/2"
    )
    assert report.passed
    assert isinstance(report.output, int | Fraction)


def test_a_public_parameter_that_moves_with_the_data_is_a_violation():
    @dataclass(frozen=True)
    class RangeOfTheData:
        bounds: tuple[int, int] = (0, 4)

        def spec(self):
            return ln.spec.ranks(None, at=(F(1, 2),), bounds=self.bounds)

        def profile(self, s, relation):
            found = ln.Median(bounds=self.bounds).profile(s, relation)
            return replace(found, support=(0, max(1, s.rank(0))))

    report = audit.exact(RangeOfTheData(), ln.Laplace(), universe=FEW, n=2, epsilon=1)
    assert report.verdict == "VIOLATED"
    assert "public parameters depend on the data" in report.reason


def test_order_that_matters_is_a_violation():
    report = audit.exact_law(
        lambda x: {"yes": F(x[0], 8), "no": F(0)},
        universe=[0, 1],
        n=2,
        claim=pure(1),
        permutations=True,
    )
    assert report.verdict == "VIOLATED"
    assert report.reason == "the order of the records matters"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"relation": "swap"}, "relation must be one of"),
        ({"measure": "renyi"}, "measure must be one of"),
        ({"epsilon": 0}, "epsilon must be greater than 0"),
        ({"claim": ln.RandomDP(1, "1e-6", "0.1")}, "cannot be audited by enumeration"),
    ],
)
def test_wrong_parameters_are_named(arguments: dict[str, object], message: str):
    settings = {"universe": FEW, "n": 2, "epsilon": 1} | arguments
    with pytest.raises(ln.errors.ParameterError, match=message):
        audit.exact(ln.Median(bounds=(0, 4)), **settings)


# --- that it fires --------------------------------------------------------------------------


@dataclass(frozen=True)
class Tampered:
    """A mechanism that sees a tampered profile, or another epsilon."""

    inner: object
    change: object = None
    factor: int = 1

    @property
    def name(self) -> str:
        return f"Tampered({self.inner.name})"

    def law(self, profile, epsilon):
        profile = profile if self.change is None else self.change(profile)
        return self.inner.law(profile, epsilon * self.factor)

    def guarantee(self, epsilon, scope):
        return self.inner.guarantee(epsilon, scope)

    def depth(self, epsilon, range_bits):
        return self.inner.depth(epsilon, range_bits)


def local_scale(p: ln.Profile) -> ln.Profile:
    return replace(p, sensitivity=max(1, on_grid(p).upper(1) - on_grid(p).centre))


def off_by_one(p: ln.Profile) -> ln.Profile:
    return replace(p, upper=lambda level: p.upper(max(0, level - 1)))


def this_data_only(p: ln.Profile) -> ln.Profile:
    """The local sensitivity of this data set at every distance: not smooth."""
    return replace(p, local_sensitivity=lambda level: p.local_sensitivity(0))


@pytest.mark.parametrize(
    "mechanism",
    [
        Tampered(ln.Laplace(), factor=2),
        Tampered(ln.Laplace(), local_scale),
        Tampered(ln.PiecewiseLaplace(), factor=2),
        Tampered(ln.PiecewiseLaplace(), off_by_one),
        Tampered(ln.InverseSensitivity(), off_by_one),
        Tampered(ln.SmoothLaplace(delta="1e-6"), this_data_only),
        Tampered(ln.SmoothLaplace(delta="1e-6"), factor=3),
        Tampered(AsymmetricSensitivity(beta=2, scale=2), factor=2),
        Tampered(AsymmetricSensitivity(beta=2, scale=2), off_by_one),
    ],
    ids=lambda m: f"{m.name}-{getattr(m.change, '__name__', m.factor)}",
)
def test_a_broken_mechanism_is_refuted(mechanism: Tampered):
    report = audit.exact(
        ln.Median(bounds=(0, 50)), mechanism, universe=(0, 25, 26, 50), n=3, epsilon=2
    )
    assert report.verdict == "VIOLATED", report


def test_add_remove_profile_is_not_monotone():
    """The exact add-remove profile of a median at eps1 + eps2 loses more (errata 3)."""
    honest = AsymmetricSensitivity(spacing="uniform", scale=1, split="1/20")
    greedy = Tampered(honest, lambda p: replace(p, monotone=True))
    for mechanism, verdict in ((honest, True), (greedy, False)):
        report = audit.exact(
            ln.Median(bounds=(-1, 4)),
            mechanism,
            universe=(0, 1, 4),
            n=3,
            relation="add-remove",
            epsilon=2,
        )
        assert report.passed is verdict, report


# --- the matrix -----------------------------------------------------------------------------

SHIPPED = {name for name in statistics.__all__ if hasattr(getattr(ln.statistics, name), "spec")}
# no statistics of their own: a protocol, a protocol, the value of a release
SHIPPED -= {"Statistic", "VectorStatistic", "NoisyConfusion"}
# vectors that are released by the noise of a ball: test_k_norm, test_real_vectors, test_trimmed
SHIPPED -= {"Correlation", "Covariance", "MeanVector", "MomentVector", "RecordSum"}
SHIPPED -= {"TrimmedMeanVector", "PrivateKeys"}  # the latter a choice of rows: test_private_keys


def test_every_shipped_statistic_and_mechanism_has_a_case():
    """A new statistic needs one line in ``audit/cases.py``."""
    searched = {case.mechanism.partition("(")[0] for case in SEARCHES}
    kinds = {type(case.statistic).__name__ for case in STATISTICS}
    assert SHIPPED - kinds - searched == set()
    tried = {type(case.mechanism).__name__ for case in MECHANISMS} | searched
    offered = {name for name in mechanisms.__all__ if name[0].isupper()} - {"Mechanism"}
    offered -= {"Bernstein", "DiscreteGaussian"}  # of functions and of vectors
    assert offered - tried == set()


def test_every_statistic_is_released_by_every_mechanism_that_takes_it():
    """What is left out is refused for its parameters, and that is little."""
    cells = list(coverage._cells(None, None, EPSILONS[:1], None))
    found = Counter((case.name, relation) for case, _, relation, _ in cells)
    few = {"interval of the median": 1, "mean squared error without limit": 2}
    for case in STATISTICS:
        for relation in case.relations:
            least = 2 if getattr(case.statistic, "answers", None) else few.get(case.name, 8)
            assert found[case.name, relation] >= least, (case.name, relation)
            own = getattr(case.statistic, "default_mechanism", lambda relation: PiecewiseLaplace())
            kind = type(own(relation))
            covered = {type(m.mechanism) for c, m, r, _ in cells if c is case and r == relation}
            assert kind in covered or kind in (JointMechanism, PrivateLimits), (
                case.name,
                relation,
                kind,
            )


@cache
def cells():
    """What is audited with every change: in full, and up to three records; and all in full.

    A kind is a class of statistics with a mechanism and a relation. Every kind is audited with
    every change: at one of its cases and epsilons, in turn, and every ninth one in full.
    """
    every = list(coverage._cells(None, None, EPSILONS, None))
    kinds = defaultdict(list)
    for cell in every:
        case, mechanism, relation, _ = cell
        kinds[type(case.statistic), mechanism.name, relation].append(cell)
    chosen = [kind[turn % len(kind)] for turn, kind in enumerate(kinds.values())]
    full = [cell for turn, cell in enumerate(chosen) if (turn + turn // 9) % 9 == 0]
    return full, [cell for cell in chosen if cell not in full], every


def audit_all(case, some, *, quick=False):
    shared = audit.Adapter()
    for _, mechanism, relation, epsilon in (cell for cell in some if cell[0] is case):
        row = audit_cell(case, mechanism, relation, epsilon, quick=quick, adapter=shared)
        assert row.passed, row.report


@pytest.mark.parametrize("case", STATISTICS, ids=lambda case: case.name)
def test_matrix(case):
    """Exhaustive for every mechanism and relation; in full: up to the case's n, sampled beyond."""
    full, quick, _ = cells()
    assert any(cell[0] is case for cell in (*full, *quick))
    audit_all(case, full)
    audit_all(case, quick, quick=True)


@pytest.mark.nightly
@pytest.mark.parametrize("case", STATISTICS, ids=lambda case: case.name)
def test_the_whole_matrix(case):
    audit_all(case, cells()[2])


# test_with_interval.py audits the others with every change
@pytest.mark.parametrize(
    "case", [c for c in SEARCHES if c.mechanism != "WithInterval"], ids=lambda case: case.name
)
def test_matrix_of_searches(case):
    """Each relation at one of the epsilons, in turn."""
    for turn, relation in enumerate(case.relations):
        row = coverage.audit_search(case, relation, EPSILONS[turn % len(EPSILONS)])
        assert row.passed, row.report


@pytest.mark.nightly
@pytest.mark.parametrize("case", SEARCHES, ids=lambda case: case.name)
def test_the_whole_matrix_of_searches(case):
    for relation in case.relations:
        for epsilon in EPSILONS:
            row = coverage.audit_search(case, relation, epsilon)
            assert row.passed, row.report


def test_matrix_is_filtered_and_rendered():
    steps = []
    rows = audit.matrix(
        quick=True,
        statistics=["median"],
        mechanisms=["laplace"],
        epsilon="1",
        relations=["edit"],
        progress=lambda done, total: steps.append((done, total)),
    )
    assert {row.statistic for row in rows} == {
        "median",
        "median of a short range",
        "median of records far apart",
        "median with missing values",
        "weighted median",
    }
    assert steps[-1] == (len(rows), len(rows))
    table = audit.render(rows)
    assert table.row_count == len(rows)
    assert json.loads(json.dumps([row.to_dict() for row in rows], allow_nan=False))
    with pytest.raises(ln.errors.ParameterError, match="no case of the matrix"):
        audit.matrix(statistics=["harmonic"])
