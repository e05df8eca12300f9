"""The exact audit: every neighbouring pair of a small universe, worst loss in exact arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import permutations as orderings
from math import inf
from typing import Any, cast

from leastnoise.audit.adapt import Adapter, AnyLaw, Audited
from leastnoise.audit.divergence import concentrated, hockey_stick
from leastnoise.audit.forms import Form, Placed, Product
from leastnoise.audit.inputs import Dataset, Inputs
from leastnoise.audit.losses import Bound, greater, log_ratio_of
from leastnoise.audit.neighbours import Places, check_relation, neighbouring_pairs, random_pairs
from leastnoise.audit.releases import ReleaseLaws, array_builder
from leastnoise.audit.report import MEASURES, ExactReport
from leastnoise.errors import ParameterError, ParameterTypeError, quoted
from leastnoise.foreign import is_tuple
from leastnoise.guarantees import ZCDP, ApproxDP, BoundedRange, Guarantee, PureDP
from leastnoise.params import Relation, parse_count, parse_epsilon, parse_list
from leastnoise.statistics.foreign import as_statistic
from leastnoise.summaries.subset import parse_subset


def exact(
    statistic: object,
    mechanism: object = None,
    *,
    universe: Sequence[object],
    n: int,
    relation: str = "replace-one",
    epsilon: object,
    measure: str | None = None,
    claim: Guarantee | None = None,
    step: object = None,
    missing: object = None,
    build: Callable[[Dataset], object] | None = None,
    where: object = None,
    group_by: object = None,
    unit: object = None,
    max_rows: object = None,
    max_groups: object = None,
    other: object = False,
    permutations: bool = False,
    sample: int | None = None,
    seed: int = 0,
    adapter: Adapter | None = None,
) -> ExactReport:
    """The worst privacy loss of a statistic and a mechanism over a small universe.

    Every data set over ``universe`` is turned into the law that a release would draw from, and
    every neighbouring pair is compared in exact or certified arithmetic.

    Parameters
    ----------
    statistic, mechanism
        As for ``leastnoise.release``; a mechanism left out is the statistic's own.
    universe : sequence
        The records: ints (an int64 array, so the lattice is the integers), floats or None (a
        float64 array, None a missing value), or anything that ``build`` understands.
    n : int
        Records of a data set: exactly n under "replace-one", 0 to n under the other relations.
    relation : "replace-one", "add-remove", "edit" or "edge"
        Which data sets are neighbours. "edge" needs ``build`` and enumerates sets.
    epsilon
        As for ``leastnoise.release``.
    measure : "pure", "bounded-range", "zcdp" or "approx", optional
        What is compared. Default: what the mechanism's guarantee promises.
    claim : Guarantee, optional
        What must hold. Default: the mechanism's guarantee. For "bounded-range" and "zcdp" epsilon
        and epsilon^2 / 8 where the mechanism says that it has bounded range, else what epsilon-DP
        implies, 2 epsilon and epsilon^2 / 2.
    step : number, optional
        Input lattice spacing, handed to the statistic's field of that name.
    missing
        As for ``leastnoise.release``.
    build : callable, optional
        From a tuple of records to the data that a release would get. Default: an array.
    where, group_by, max_groups, other, unit, max_rows
        As for ``leastnoise.release`` and ``Session.group_by``: the joint law of all groups is
        audited, against what all of them are charged. ``build`` then gives a table; where persons
        are protected, a record of the universe is a person, and ``build`` writes out the rows.
    permutations : bool
        Also check that the order of the records makes no difference.
    sample, seed : int, optional
        Compare this many random pairs of a larger universe instead of all.
    adapter : audit.Adapter, optional
        Shared by several audits, it computes laws and losses that recur once.

    Returns
    -------
    ExactReport
        ``passed``, the worst loss ``lo`` .. ``hi`` and the pair where it is attained.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is invalid, a release would refuse the combination, or a law cannot be
        compared exactly.

    Notes
    -----
    A pass proves the claim for the laws of this universe and size. It says nothing about other
    sizes, about the sampler's randomness or about running time. Laws are audited before the last
    clamp, which is post-processing, but the clamp's ends must be equal for neighbours.

    Examples
    --------
    >>> import leastnoise as ln
    >>> from leastnoise import audit
    >>> report = audit.exact(ln.Median(bounds=(0, 4)), universe=[0, 1, 4], n=3, epsilon=1)
    >>> report.passed, report.pairs
    (True, 18)
    """
    exponent = parse_epsilon(epsilon)
    as_statistic(statistic)  # refused here if it is none
    if step is not None:
        statistic = replace(cast("Any", statistic), step=step)
    check_relation(relation)
    universe, n = parse_list(universe, "universe", "records"), parse_count(n, "n")
    if build is not None and not callable(build):
        raise ParameterTypeError(f"build must be callable, got {quoted(build)}")
    maker = array_builder(universe) if build is None else build
    rows = parse_subset(where, group_by, unit, max_rows, max_groups, other)
    shared = Adapter() if adapter is None else adapter
    inputs = Inputs(statistic, relation, missing, maker, rows)
    laws = ReleaseLaws(inputs, mechanism, exponent, shared)
    promise = claim or _promise(laws, measure, exponent)
    audit = Enumeration(laws, promise, tuple(universe), n, shared)
    return audit.run(laws.subject, relation, permutations=permutations, sample=sample, seed=seed)


def exact_law(
    law_of: Callable[[Dataset], AnyLaw],
    *,
    universe: Sequence[object],
    n: int,
    relation: str = "replace-one",
    claim: Guarantee,
    subject: str = "law",
    permutations: bool = False,
    sample: int | None = None,
    seed: int = 0,
) -> ExactReport:
    """The worst privacy loss of any function from data sets to laws.

    Parameters
    ----------
    law_of : callable
        From a data set, a tuple of records, to a ``leastnoise.laws.Law``, a mapping of outputs
        to exact exponents E (p proportional to exp(-E)), ``audit.Probabilities``, or, where a
        secret choice picks one of several laws, ``audit.Mixture``.
    claim : PureDP, ApproxDP, BoundedRange or ZCDP
        What must hold for every neighbouring pair.
    universe, n, relation, permutations, sample, seed
        As for ``exact``.
    subject : str
        How the report calls it.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is invalid, or ``law_of`` returns anything else.

    Examples
    --------
    >>> from fractions import Fraction
    >>> import leastnoise as ln
    >>> from leastnoise import audit
    >>> def answer(data):  # randomised response
    ...     return {bit: Fraction(abs(bit - data[0])) for bit in (0, 1)}
    >>> audit.exact_law(answer, universe=[0, 1], n=1, claim=ln.PureDP(1)).lo
    Fraction(1, 1)
    """
    adapter = Adapter()
    check_relation(relation)
    places = tuple(parse_list(universe, "universe", "records"))
    n = parse_count(n, "n")
    if not callable(law_of):
        raise ParameterTypeError(f"law_of must be callable, got {quoted(law_of)}")
    audit = Enumeration(lambda data: adapter.audited(law_of(data)), claim, places, n, adapter)
    return audit.run(subject, relation, permutations=permutations, sample=sample, seed=seed)


class Enumeration:
    """NOT PRIVATE. One claim over one universe: laws are built once a data set, pairs compared once
    a shape."""

    def __init__(
        self,
        form_of: Callable[[Dataset], Audited],
        claim: Guarantee,
        universe: tuple[Any, ...],
        n: int,
        adapter: Adapter,
    ) -> None:
        self.form_of, self.claim, self.universe, self.n = form_of, claim, universe, n
        self.adapter = adapter
        self.measure, self.limit = _measure(claim)
        self.audited: dict[Places, Audited] = {}
        # the search for a worst rho stops early, so its results depend on the pairs before
        own = self.measure == "zcdp"
        self.known: dict[object, Bound] = {} if own else adapter.losses
        self.kind = (self.measure, claim.epsilon if isinstance(claim, ApproxDP) else None)

    def run(
        self,
        subject: str,
        relation: str,
        *,
        permutations: bool = False,
        sample: int | None = None,
        seed: int = 0,
    ) -> ExactReport:
        """Compare all pairs, or random ones."""
        size = len(self.universe)
        pairs: Iterable[tuple[Places, Places]]
        if sample is None:
            pairs = neighbouring_pairs(size, self.n, relation)
        else:
            count = parse_count(sample, "sample")
            pairs = random_pairs(size, self.n, cast("Relation", relation), count, seed)
        worst = Bound(Fraction(0), Fraction(0))
        where: tuple[Places, Places] | None = None
        reason, count = "", 0
        for one, other in pairs:
            count += 1
            a, b = self._at(one), self._at(other)
            if a.public != b.public:
                worst, where = Bound(inf, inf), (one, other)
                reason = f"public parameters depend on the data: {a.public} against {b.public}"
                break
            found = self._compare(a.form, b.form, worst)
            first = where is None or found.hi > worst.hi
            where, at = ((one, other), found.at) if first else (where, worst.at)
            worst = Bound(max(found.lo, worst.lo), max(found.hi, worst.hi), at)
        if permutations and not reason and (broken := self._order_matters()):
            worst, where, reason = Bound(inf, inf), broken, "the order of the records matters"
        return self._report(subject, relation, worst, where, reason, count, sample is not None)

    def _at(self, places: Places) -> Audited:
        found = self.audited.get(places)
        if found is None:
            found = self.audited[places] = self.form_of(self._data(places))
        return found

    def _data(self, places: Places) -> Dataset:
        return tuple(self.universe[i] for i in places)

    def _compare(self, a: Form, b: Form, worst: Bound) -> Bound:
        key = self.kind, _pair_key(a, b)
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = self._loss(a, b, worst)
        return found

    def _loss(self, a: Form, b: Form, worst: Bound) -> Bound:
        match self.measure:
            case "pure":
                return log_ratio_of(a, b).worst
            case "bounded-range":
                return log_ratio_of(a, b).range
            case "zcdp":
                return concentrated(a, b, Fraction(worst.lo) if worst.lo < inf else Fraction(0))
            case _:
                epsilon = cast("ApproxDP", self.claim).epsilon
                return greater(hockey_stick(a, b, epsilon), hockey_stick(b, a, epsilon))

    def _order_matters(self) -> tuple[Places, Places] | None:
        for places, expected in list(self.audited.items()):
            for order in set(orderings(places)):
                if self.form_of(self._data(order)) != expected:
                    return places, order
        return None

    def _report(
        self,
        subject: str,
        relation: str,
        worst: Bound,
        where: tuple[Places, Places] | None,
        reason: str,
        pairs: int,
        sampled: bool,
    ) -> ExactReport:
        pair = output = None
        if where is not None:
            pair = (self._data(where[0]), self._data(where[1]))
            if worst.at is not None:
                output = self._output(self._at(where[0]).form, worst.at)
        return ExactReport(
            subject,
            self.claim,
            self.measure,
            worst.lo,
            worst.hi,
            self.limit,
            pair,
            output,
            pairs,
            len(self.audited),
            relation,
            self.universe,
            self.n,
            sampled,
            reason,
        )

    def _output(self, form: Form, at: object) -> object:
        """An output in the user's units."""
        if isinstance(form, Product):
            flat = list(_flat(at))
            if len(flat) != len(form.parts):
                return at
            return tuple(self._output(p, y) for p, y in zip(form.parts, flat, strict=True))
        if self.adapter.outputs:
            return self.adapter.name(at)
        if isinstance(form, Placed) and isinstance(at, int):
            exact_value = (form.origin + at) * form.step
            whole = exact_value.denominator == 1
            return exact_value.numerator if whole else exact_value
        return at


def _flat(at: object) -> Iterable[object]:
    if is_tuple(at):
        for part in at:
            yield from _flat(part)
    else:
        yield at


def _pair_key(a: Form, b: Form) -> object:
    """Equal for pairs of laws that differ by a shift only."""
    if isinstance(a, Placed) and isinstance(b, Placed):
        return a.shape, b.shape, b.origin - a.origin
    if isinstance(a, Product) and isinstance(b, Product):
        return tuple(_pair_key(p, q) for p, q in zip(a.parts, b.parts, strict=False))
    return a, b


def _measure(claim: Guarantee) -> tuple[str, Fraction]:
    """What is measured and the number that it must not exceed."""
    match claim:
        case PureDP():
            return "pure", claim.epsilon
        case BoundedRange():
            return "bounded-range", claim.eta
        case ZCDP():
            return "zcdp", claim.rho
        case ApproxDP():
            return "approx", claim.delta
        case _:
            raise ParameterError(f"{type(claim).__name__} cannot be audited by enumeration")


def _promise(laws: ReleaseLaws, measure: str | None, epsilon: Fraction) -> Guarantee:
    """The mechanism's own guarantee, or what it implies for another measure."""
    guarantee, strongest = laws.guarantee, laws.strongest
    if measure is None or measure == _measure(guarantee)[0]:
        return guarantee
    if isinstance(guarantee, PureDP):
        scope = guarantee.scope
        bounded = isinstance(strongest, BoundedRange)
        if measure == "bounded-range":
            return strongest if bounded else BoundedRange(2 * epsilon, scope)
        if measure == "zcdp":
            return ZCDP(epsilon * epsilon / (8 if bounded else 2), scope)
    raise ParameterError(
        f"measure must be one of {', '.join(map(repr, MEASURES))} and follow from the mechanism's "
        f"guarantee {guarantee}, or come with a claim; got {quoted(measure)}"
    )
