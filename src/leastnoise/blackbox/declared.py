"""A program whose sensitivity is known by proof: responses with a guarantee that is not random."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from leastnoise.blackbox.identity import name_of
from leastnoise.blackbox.norms import check_cut, in_dimension, norm_name, parse_norm
from leastnoise.blackbox.program import public_bounds
from leastnoise.blackbox.stored import lattice_step
from leastnoise.errors import ParameterError, quoted
from leastnoise.guarantees import ApproxDP, Guarantee, PureDP, Scope
from leastnoise.params import parse_count, parse_number, parse_relation
from leastnoise.record import Release


@dataclass(frozen=True, slots=True)
class Declared:
    """What ``respond`` needs of a sensitivity; whoever declares it must have proved it."""

    sensitivity: Fraction
    norm: str
    dimension: int
    step: Fraction
    bounds: tuple[Fraction, Fraction] | None
    function: str
    code: str | None
    relation: str
    n: int | None = None

    @property
    def key(self) -> str | None:
        """No estimate, so no ledger knows it."""
        return None

    @property
    def kind(self) -> str:
        """How the record calls the sensitivity."""
        return "declared"

    def promise(self, epsilon: Fraction, delta: Fraction = Fraction(0)) -> Guarantee:
        """The guarantee of one release, if the declaration is true."""
        scope = Scope(self.relation)
        return ApproxDP(epsilon, delta, scope) if delta else PureDP(epsilon, scope)

    def in_words(self) -> str:
        """The condition of the guarantee."""
        return (
            "the guarantee holds if one record changes the answers, the constant for failures "
            f"included, by at most {self.sensitivity} in the norm {self.norm}, as declared by "
            "whoever released them"
        )

    def record(self) -> dict[str, Any] | None:
        """Nothing was sampled."""
        return None


class BlackBox:
    """A program with a declared, proved sensitivity: any mechanism for numbers, vectors, choices.

    Parameters
    ----------
    function : callable
        From the records, in the form in which they are given (a list stays a list), to
        ``dimension`` numbers.
    sensitivity : number
        By how much one record can change the answers, over *all* data sets, in ``norm``; > 0. The
        guarantee rests on it: prove it, or use ``SampleAndAggregate``.
    norm : "l1", "l2", "linf" or a ball
        As for ``SensitivitySampler``. For one number a ball only gives the unit: the sensitivity is
        kept as an absolute change, in "l1".
    dimension : int
        Length of an answer: coordinates, or scores of candidates.
    bounds : pair, optional
        Public limits of every coordinate; answers are cut to them. With a ball it must be
        ``orthant_monotone``: in the norms of others a cut can move two answers apart.
    relation : "replace-one", "add-remove" or "edit"
        For which neighbours the sensitivity holds. Under "replace-one" the number of records is
        public.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is invalid; checked before any data is read.

    Notes
    -----
    Guarantee: epsilon-DP, or (epsilon, delta) with Gaussian noise, on the condition that the
    sensitivity holds for what the program computes, in doubles. Failures count as the middle of
    the bounds, else 0, so the sensitivity must hold for that constant too where a program may fail.
    ``docs/proofs/bernstein.md``, ``docs/proofs/selection.md``.

    Examples
    --------
    >>> import leastnoise as ln
    >>> def votes(records):
    ...     return [records.count(x) for x in ("red", "green", "blue")]
    >>> poll = ln.BlackBox(votes, sensitivity=1, norm="linf", dimension=3)
    >>> choice = poll.respond(
    ...     ["red"] * 90 + ["blue"] * 10,
    ...     epsilon=1,
    ...     mechanism=ln.PermuteAndFlip(),
    ...     candidates=["red", "green", "blue"],
    ... )
    >>> choice.value, choice.guarantee.epsilon
    (0, Fraction(1, 1))
    """

    def __init__(
        self,
        function: Callable[[Any], Any],
        *,
        sensitivity: object,
        norm: Any = "l1",
        dimension: int = 1,
        bounds: object = None,
        relation: str = "replace-one",
    ) -> None:
        if not callable(function):
            raise ParameterError(f"function must be callable, got {type(function).__name__}")
        size = parse_number(sensitivity, "sensitivity")
        if size <= 0:
            raise ParameterError(f"sensitivity must be greater than 0, got {quoted(sensitivity)}")
        if parse_relation(relation) == "edge":
            raise ParameterError('relation must be "replace-one", "add-remove" or "edit"')
        count = parse_count(dimension, "dimension")
        self.function = function
        self.norm, factor = in_dimension(parse_norm(norm), count)
        size *= factor
        limits = None if bounds is None else public_bounds(bounds)
        if limits is not None:
            check_cut(self.norm)
        self.declared = Declared(
            sensitivity=size,
            norm=norm_name(self.norm),
            dimension=count,
            step=lattice_step(size, count),
            bounds=limits,
            function=name_of(function),
            code=None,
            relation=relation,
        )

    def __repr__(self) -> str:
        d = self.declared
        return (
            f"BlackBox({d.function}, sensitivity={d.sensitivity}, norm={d.norm!r}, "
            f"dimension={d.dimension}, relation={d.relation!r})"
        )

    def respond(
        self,
        data: object,
        *,
        epsilon: object,
        mechanism: object = None,
        candidates: Sequence[object] | None = None,
        ledger: object = None,
        dataset: str | None = None,
        table: str = "main",
        purpose: str | None = None,
    ) -> Release:
        """Release the function of private data.

        Parameters
        ----------
        data
            Records, rows first: a list, a numpy array, a pandas, Polars or Arrow series or table.
        epsilon, mechanism, candidates, ledger, dataset, table, purpose
            As for ``leastnoise.SensitivitySampler.respond``; the ledger's budget is one of
            ``PureDP``, ``ApproxDP`` or ``ZCDP``.

        Raises
        ------
        ParameterError, ParameterTypeError, LedgerError, BudgetExceededError
            Before the function sees private data and at no cost.
        """
        from leastnoise.blackbox.respond import Reply, respond

        answer = Reply(self.function, False, mechanism, self.norm, candidates)
        return respond(
            self.declared,
            answer,
            data,
            epsilon=epsilon,
            ledger=ledger,
            dataset=dataset,
            table=table,
            purpose=purpose,
        )
