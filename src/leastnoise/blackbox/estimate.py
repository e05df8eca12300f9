"""A sampled sensitivity: what it is, what it promises, and how it is kept for later."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from hashlib import sha256
from typing import Any

from leastnoise._version import __version__
from leastnoise.blackbox.forms import Form
from leastnoise.blackbox.stored import FORMAT, parse_stored
from leastnoise.errors import ParameterError
from leastnoise.guarantees import RandomDP, Scope
from leastnoise.params import parse_flag, parse_number
from leastnoise.record import Release


@dataclass(frozen=True, slots=True)
class SensitivityEstimate:
    """A sensitivity measured on public, synthetic pairs of databases.

    Made by ``SensitivitySampler.estimate`` or read by ``SensitivityEstimate.from_json``. Nothing in
    it depends on private data: it may be stored, shown, reused and exported.

    Attributes
    ----------
    sensitivity : Fraction
        The k-th smallest change over m pairs, in the function's units and the norm, > 0.
    norm : str
        "l1", "l2", "linf", or the name of a ball with a key of its contents.
    n : int
        Records of a database.
    m, k : int
        Pairs sampled; the order statistic that is used.
    guarantee : str
        "two-level", "marginal" or "paper".
    gamma, beta : Fraction
        The share of pairs that may change by more, and the chance that the share is larger.
    rho : Fraction or None
        The free parameter of the paper's Theorem 15.
    dimension : int
        Length of an answer.
    step : Fraction
        The output lattice, a power of two far below the sensitivity.
    bounds : pair or None
        Public limits of every coordinate.
    function : str
        The function's name; ``code`` distinguishes plain functions.
    form : Form
        Kind, columns and declared types of drawn databases, which private data must have.
    batch : bool
        Whether the function takes many databases at once, stacked along the first axis.
    failures : int
        Evaluations, of 2 m, that became the failure constant.
    version : str
        Of the library that sampled it.

    Raises
    ------
    ParameterError
        If ``sensitivity`` is not above 0.

    Notes
    -----
    Guarantee of a release with it: ``RandomDP(epsilon, delta, gamma, beta)``. Source: Rubinstein
    and Alda (2017), Algorithm 2; errata 4.8 (``docs/proofs/sensitivity-sampler.md``).
    """

    sensitivity: Fraction
    norm: str
    n: int
    m: int
    k: int
    guarantee: str
    gamma: Fraction
    beta: Fraction
    rho: Fraction | None
    dimension: int
    step: Fraction
    bounds: tuple[Fraction, Fraction] | None
    function: str
    code: str | None
    form: Form
    batch: bool
    failures: int
    version: str = __version__

    def __post_init__(self) -> None:
        if not parse_number(self.sensitivity, "sensitivity") > 0:
            raise ParameterError(
                "sensitivity must be above 0: noise of scale 0 would release the exact answer"
            )

    def __float__(self) -> float:
        return float(self.sensitivity)

    @property
    def kind(self) -> str:
        """How the record calls the sensitivity."""
        return "sampled"

    @property
    def relation(self) -> str:
        """One record of a pair is replaced, and n is public."""
        return "replace-one"

    @property
    def key(self) -> str:
        """A short name of this very estimate, by which a ledger knows it again."""
        return sha256(self.to_json().encode()).hexdigest()[:24]

    def promise(self, epsilon: Fraction, delta: Fraction = Fraction(0)) -> RandomDP:
        """The guarantee of one release with this sensitivity."""
        return RandomDP(epsilon, delta, self.gamma, self.beta, Scope())

    def in_words(self) -> str:
        """What random differential privacy means here, and what it does not."""
        luck = (
            f"with probability {float(1 - self.beta):g} over the sampler, "
            if self.beta
            else "counting the sampler's own bad luck, "
        )
        return (
            f"random differential privacy: {luck}the release is private for all but a share "
            f"{float(self.gamma):g} of pairs of {self.n} records drawn as draw_record draws them, "
            "of which one at a random place is exchanged. It promises nothing for any one given "
            "database, nor for records that draw_record is unlikely to draw"
        )

    def record(self) -> dict[str, Any]:
        """How the sensitivity was found, as plain values for a record."""
        return {
            "sensitivity": str(self.sensitivity),
            "norm": self.norm,
            "n": self.n,
            "m": self.m,
            "k": self.k,
            "guarantee": self.guarantee,
            "gamma": str(self.gamma),
            "beta": str(self.beta),
            "rho": None if self.rho is None else str(self.rho),
            "failures": self.failures,
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain values that every JSON writer takes; numbers as exact text."""
        bounds = None if self.bounds is None else [str(end) for end in self.bounds]
        return {
            "format": FORMAT,
            **self.record(),
            "dimension": self.dimension,
            "step": str(self.step),
            "bounds": bounds,
            "function": self.function,
            "code": self.code,
            "form": asdict(self.form),
            "batch": self.batch,
            "version": self.version,
        }

    def to_json(self, *, indent: int | None = None) -> str:
        """Strict JSON; ``from_json`` reads it back."""
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False, sort_keys=True)

    @staticmethod
    def from_json(text: str) -> SensitivityEstimate:
        """The estimate that ``to_json`` wrote.

        Raises
        ------
        ParameterError
            If a field is missing, unknown or damaged, or if m, k and the rule do not promise gamma
            and beta; the field is named.
        """
        return SensitivityEstimate(**parse_stored(text))

    def respond(
        self,
        function: Callable[[Any], Any],
        data: object,
        *,
        epsilon: object,
        mechanism: object = None,
        norm: Any = None,
        batch: bool | None = None,
        same_function: bool = False,
        same_norm: bool = False,
        candidates: Sequence[object] | None = None,
        ledger: object = None,
        dataset: str | None = None,
        table: str = "main",
        purpose: str | None = None,
    ) -> Release:
        """Release ``function`` of private data with noise scaled to this sensitivity.

        Parameters
        ----------
        function : callable
            The one that was sampled.
        data, epsilon, mechanism, candidates, ledger, dataset, table, purpose
            As for ``leastnoise.SensitivitySampler.respond``.
        norm : "l1", "l2", "linf" or a ball, optional
            The norm of the estimate. Needed where that is a ball, which a text cannot hold.
        batch : bool, optional
            How the function was sampled; compared with the estimate.
        same_function, same_norm : bool
            Say that the function (the ball) is the one that was sampled, where that cannot be seen
            from code, captured values and globals (of a ``Custom`` ball: at all).

        Raises
        ------
        ParameterError, ParameterTypeError
            As for ``leastnoise.SensitivitySampler.respond``; also if the function or the norm is
            another one.
        BudgetExceededError, LedgerError
            From the ledger; nothing was drawn.
        """
        from leastnoise.blackbox.norms import parse_norm
        from leastnoise.blackbox.respond import Reply, respond

        chosen = self.norm if norm is None else norm
        if not isinstance(chosen, str):
            parse_norm(chosen)
        assume = parse_flag(same_function, "same_function")
        ball = parse_flag(same_norm, "same_norm")
        if batch is not None and parse_flag(batch, "batch") != self.batch:
            raise ParameterError(f"batch must be {self.batch}, as when the function was sampled")
        answer = Reply(function, self.batch, mechanism, chosen, candidates, assume, ball)
        return respond(
            self,
            answer,
            data,
            epsilon=epsilon,
            ledger=ledger,
            dataset=dataset,
            table=table,
            purpose=purpose,
        )


def changed_distribution(promise: RandomDP, *, n: int, divergence: object) -> RandomDP:
    """The guarantee under another distribution Q of records that one under P implies.

    Parameters
    ----------
    promise : RandomDP
        The guarantee with respect to P.
    n : int
        Records of a database.
    divergence : number
        A bound of the Kullback-Leibler divergence KL(P || Q) of one record, in nats, >= 0.

    Returns
    -------
    RandomDP
        gamma grows by a bound of the distance of the laws of n + 1 records: the smaller of
        sqrt((n + 1) KL / 2) (Pinsker) and sqrt(1 - exp(-(n + 1) KL)) (Bretagnolle and Huber).

    Raises
    ------
    ParameterError
        If gamma would reach 1, so that nothing would be promised.

    Notes
    -----
    Source: Rubinstein and Alda (2017), Proposition 8. The statement there prints the term as
    sqrt((n + 1) KL)/2, its proof, and this function, sqrt((n + 1) KL/2).
    """
    from leastnoise.blackbox.sizes import distance_bound
    from leastnoise.params import parse_count

    count, each = parse_count(n, "n"), parse_number(divergence, "divergence")
    if each < 0:
        raise ParameterError("divergence must be at least 0")
    gamma = promise.gamma + distance_bound((count + 1) * each)
    if gamma >= 1:
        raise ParameterError(
            f"at divergence {divergence} per record the guarantee says nothing for {count} "
            "records: gamma would reach 1. Sample from the distribution itself, or from a closer "
            "one"
        )
    return RandomDP(promise.epsilon, promise.delta, gamma, promise.beta, promise.scope)
