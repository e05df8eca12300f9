"""The sparse vector technique as a building block: which of many questions pass a threshold."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from fractions import Fraction
from math import ceil

from leastnoise import randomness
from leastnoise.accounting.entries import Receipt
from leastnoise.errors import ParameterError, ParameterTypeError, quoted
from leastnoise.guarantees import PureDP, Scope
from leastnoise.numbers import as_fraction
from leastnoise.params import parse_count, parse_flag, parse_name, parse_number, parse_total
from leastnoise.record.release import NOT_TRACKED
from leastnoise.sampling import geometric
from leastnoise.session.door import charges, pay, tracked_by
from leastnoise.session.opening import MAIN_TABLE, open_ledger


class SparseVector:
    """Answer a stream of sensitivity-1 questions with at most ``answers`` positives.

    Parameters
    ----------
    epsilon : number
        Total privacy parameter, charged whole at construction however many questions follow.
    threshold : number
        A question is above when its value plus noise reaches the threshold plus noise. Public.
    answers : int
        The number of positive answers c after which the vector refuses to go on.
    monotone : bool
        True only when, between neighbours, the values of all questions move in one direction, as
        counts do under "add-remove". Under "replace-one" one count may rise and another fall.
    split : number
        e1 : c e2, the shares of the threshold noise and of the questions' noise.
    relation : "replace-one", "add-remove", "edit" or "edge", optional
        The neighbours between which your questions move by at most 1. It is what the guarantee says
        and what the ledger is charged for. Default: that of the ledger, or "replace-one".
    unit : str, optional
        The column that names persons, if your questions move by at most 1 when all rows of one
        person change; as the ledger names it. Default: one row (one edge under "edge").
    ledger : path or Ledger, optional
        Charged epsilon at construction, before any question, and never refunded. Without one,
        you must add up the epsilons yourself.
    dataset : str
        The declared name of the data set, as the ledger knows it.
    table : str
        The name of the table that the questions are about.
    purpose : str, optional
        Why, for the history of the ledger.

    Attributes
    ----------
    guarantee : PureDP
        epsilon under ``relation``, for one ``unit``.
    tracked : str
        The ledger entry that paid, or that there was none.
    exhausted : bool
        True after the last positive answer.
    simulated : bool
        True where the noise comes from a public seed: NOT PRIVATE, for tests.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is invalid; checked before anything is charged.
    BudgetExceededError
        If the ledger has less left than epsilon; nothing is spent and no vector is made.
    LedgerError
        If the ledger is missing, damaged, that of another data set or unit, or kept under a
        relation for which ``relation`` says nothing.

    Notes
    -----
    Guarantee: epsilon-DP with e1 + 2 c e2 = epsilon, or e1 + c e2 = epsilon when ``monotone``, for
    questions whose value moves by at most 1 between neighbours under the relation (integers,
    half-integers or any exact number). That they do is your claim, and nothing here can check it: a
    number of rows moves by 1 under every relation, a sum by as much as one row may hold. Threshold
    noise is drawn once and used for nothing else; an answer is a bool, never a number. One-sided
    geometric noise, exact arithmetic (``docs/proofs/above-threshold.md``). Source: Dwork et al.
    (2009); Lyu, Su and Li (2017); Durfee (2023).

    A vector made inside ``simulate`` is not charged and answers only there; one made outside
    answers only outside.

    Any number of threads may use one vector, but only one process: a vector cannot be copied or
    pickled, and a forked child is refused.

    Examples
    --------
    >>> import leastnoise as ln
    >>> vector = ln.SparseVector(epsilon=1, threshold=100, answers=1)
    >>> vector.above(10**6)
    True
    >>> vector.exhausted
    True
    """

    __slots__ = (
        *("_asking", "_left", "_noisy", "_process"),
        *("answers", "e1", "e2", "guarantee", "simulated", "threshold", "tracked"),
    )

    def __init__(
        self,
        *,
        epsilon: object,
        threshold: object,
        answers: int = 1,
        monotone: bool = False,
        split: object = 1,
        relation: str | None = None,
        unit: str | None = None,
        ledger: object = None,
        dataset: str | None = None,
        table: str = MAIN_TABLE,
        purpose: str | None = None,
    ) -> None:
        total = parse_total(epsilon)
        ratio = parse_number(split, "split")
        if not ratio > 0:
            raise ParameterError(f"split must be greater than 0, got {quoted(split)}")
        cost = 1 if parse_flag(monotone, "monotone") else 2
        self.answers = parse_count(answers, "answers")
        self.threshold = parse_number(threshold, "threshold")
        # e1 = ratio c e2 and e1 + cost c e2 = epsilon
        self.e2: Fraction = total / (self.answers * (ratio + cost))
        self.e1: Fraction = ratio * self.answers * self.e2
        if unit is not None:
            parse_name(unit, "unit")
        parse_name(table, "table")
        if ledger is None and purpose is not None:
            raise ParameterError("purpose= needs a ledger; give ledger= and dataset=")
        opened, chosen = open_ledger(ledger, dataset, relation)
        kind = "replace-one" if chosen is None else chosen
        one = "edge" if kind == "edge" else "row"
        self.guarantee = PureDP(total, Scope(kind, one if unit is None else unit))
        self._left, self._asking, self._process = self.answers, threading.Lock(), os.getpid()
        self.tracked, self.simulated = NOT_TRACKED, randomness.simulating()
        public = {
            "statistic": type(self).__name__,
            "column": None,
            "mechanism": type(self).__name__,
            "guarantee": self.guarantee.to_dict(),
        }

        def draw(receipts: Sequence[Receipt]) -> Fraction:
            if receipts:
                self.tracked = tracked_by(receipts[0])
            return self._drawn()

        self._noisy = pay(
            opened,
            charges([self.guarantee], public),
            draw,
            lambda _: [{**public, "answers": self.answers, "tracked": self.tracked}],
            table=table,
            purpose=purpose,
        )
        if opened is not None:
            opened.close()

    def _drawn(self) -> Fraction:
        """The threshold with its noise, drawn once."""
        noise = geometric(self.e1.numerator, self.e1.denominator, randomness.active())
        return self.threshold + noise

    def __repr__(self) -> str:
        mark = "SIMULATED, NOT PRIVATE: " if self.simulated else ""
        return f"{mark}SparseVector(answers={self.answers}, threshold={self.threshold})"

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a SparseVector holds secret noise and cannot be copied or pickled")

    @property
    def exhausted(self) -> bool:
        """True after the last positive answer."""
        return self._left == 0

    def above(self, value: object) -> bool:
        """Whether the question's noisy value reaches the noisy threshold.

        Parameters
        ----------
        value : int, Fraction or another exact number
            The question's answer on the private data, before noise.

        Raises
        ------
        RuntimeError
            After ``answers`` positive answers: the budget is spent. In a forked child: the same
            budget would pay for the answers of two. Inside ``simulate`` where the vector was made
            outside, or outside where it was made inside: some of its noise would be public.
        ParameterTypeError
            If ``value`` is not a finite number. Clip anything that can be NaN or infinite
            beforehand: whether a question fails is not protected.
        """
        if self._process != os.getpid():  # before the lock, which may have been held at the fork
            raise RuntimeError(
                "this SparseVector belongs to the process that made it, and its budget pays for "
                "the answers of one process: ask there, or make a new one, at its own cost"
            )
        if self.simulated is not randomness.simulating():
            raise RuntimeError(
                "this SparseVector was made inside simulate() and is not private: make one outside"
                if self.simulated
                else "this SparseVector is not a simulation: ask it outside simulate(), where its "
                "noise is secret"
            )
        try:
            exact = as_fraction(value)
        except (TypeError, ValueError):  # the message must not hold the private value
            raise ParameterTypeError("value must be a finite number, such as a count") from None
        with self._asking:  # no other thread asks between the check of what is left and the answer
            if self.exhausted:
                raise RuntimeError(
                    f"this SparseVector has given all of its {self.answers} positive answers; "
                    "make a new one, at its own cost"
                )
            needed = max(0, ceil(self._noisy - exact))
            noise = geometric(self.e2.numerator, self.e2.denominator, randomness.active())
            if noise < needed:
                return False
            self._left -= 1
            return True
