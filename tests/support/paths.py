"""The price of a path: a release is drawn on one data set and retold on a neighbour.

All that a release draws goes through few functions. Here each of them writes down what was public
about its question, the law of the answer, and the answer. On a neighbour the same answers are given
again: the questions must be the same ones, and so must the record that is made of the answers, to
the last character. What the laws of one question tell apart at most adds up to epsilon.

A law that none of these functions draws from is told as a whole: what it tells apart is then that
of its answer. Where answers are told nothing may draw any more (``SHUT``), save the choice of a
person's rows, which comes from a stream of its own.
"""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from itertools import cycle, groupby, islice
from typing import Any, Protocol
from unittest import mock

import numpy as np
from numpy.typing import NDArray

from leastnoise import laws, session
from leastnoise.blackbox import aggregate, respond
from leastnoise.estimators import information, moments, objective, robust_coefficients
from leastnoise.frames.memory import persons
from leastnoise.laws import Law
from leastnoise.laws.gated import GatedLaw
from leastnoise.laws.levels import LevelsLaw
from leastnoise.laws.selection import PermuteAndFlipLaw, SelectionLaw
from leastnoise.mechanisms import joint
from leastnoise.mechanisms.cone_laplace import ConeLaplace
from leastnoise.mechanisms.k_norm import KNorm, chosen_ball
from leastnoise.randomness import BitSource, HashedBits
from leastnoise.sampling import (
    above_threshold,
    discrete_gaussian,
    discrete_laplace,
    finite,
    many_laplace,
    rounded_gaussian,
    unsorted,
)
from leastnoise.sampling.discrete import geometric

Floats = NDArray[np.float64]
# Values of a threshold's noise that are looked at at once.
_AT_ONCE = 256
# Probabilities below this one count as it, so that a loss is never overstated.
_LEAST = 1e-280


class Asked(Protocol):
    """The law of an answer."""

    def lost(self, other: Any) -> float:
        """The largest logarithm of a ratio of probabilities, here over there."""
        ...


@dataclass(frozen=True)
class Hidden:
    """A number with Laplace noise."""

    rate: Fraction
    number: Any

    def lost(self, other: Hidden) -> float:
        return float(self.rate * abs(Fraction(self.number) - Fraction(other.number)))


@dataclass(frozen=True)
class Masses:
    """Candidates with a probability each."""

    masses: Floats

    def lost(self, other: Masses) -> float:
        here, there = (np.maximum(each.masses, _LEAST) for each in (self, other))
        return float(np.log(here / there).max())


@dataclass(frozen=True)
class Walk:
    """The first of some candidates to pass a noisy threshold: runs of equal heights.

    A gate, its height and its rate, may come before them all.
    """

    runs: list[tuple[int, int]]
    e1: float
    e2: float
    gate: tuple[int, float] | None = None

    def lost(self, other: Walk) -> float:
        ends = np.union1d(*(np.cumsum([n for _, n in each.runs]) for each in (self, other)))
        return Masses(self.masses(ends)).lost(Masses(other.masses(ends)))

    def passed(self) -> Masses:
        """That the gate does: what follows is then drawn from what is left."""
        return Masses(self.masses(np.cumsum([n for _, n in self.runs]))[-1:])

    def masses(self, ends: Any) -> Floats:
        """Of the first and the last candidate up to each of some ends, that none passes, and that
        the gate does.
        """
        own = np.cumsum([n for _, n in self.runs])
        heights = np.array([h for h, _ in self.runs], float)[np.searchsorted(own, ends)]
        counts = np.diff(ends, prepend=0).astype(float)
        found = np.zeros(2 * len(ends) + 2)
        for start in range(0, int(45 / self.e1) + 2, _AT_ONCE):
            z = np.arange(start, start + _AT_ONCE, dtype=float)
            exponents = self.e2 * np.maximum(0.0, z[:, None] + heights[None, :])
            quiet = -np.expm1(-exponents)
            before = np.cumprod(quiet**counts, axis=1)
            ahead = np.column_stack([np.ones(len(z)), before[:, :-1]]) * np.exp(-exponents)
            behind = ahead * quiet ** (counts - 1)
            shut = np.ones(len(z))
            if self.gate is not None:
                shut = -np.expm1(-self.gate[1] * np.maximum(0.0, z + self.gate[0]))
            walked = shut[:, None] * np.column_stack([ahead, behind, before[:, -1]])
            found += np.exp(-self.e1 * z) @ np.column_stack([walked, 1 - shut])
        return found


@dataclass(frozen=True)
class Levels:
    """A lattice point whose exponent is known by levels: linear between the ends of runs."""

    law: LevelsLaw

    def lost(self, other: Levels) -> float:
        laws = self.law, other.law
        ends = {
            run.first + run.direction * i
            for law in laws
            for run in law.runs()
            for i in (0, (run.count or 1) - 1)
        }
        here, there = (np.array([law.point_mass(y) for y in sorted(ends)]) for law in laws)
        return Masses(here).lost(Masses(there))


@dataclass(frozen=True)
class Vector:
    """A vector with noise in the shape of a ball."""

    rate: Fraction
    ball: Any
    values: Sequence[Any]

    def lost(self, other: Vector) -> float:
        apart = [a - b for a, b in zip(self.values, other.values, strict=True)]
        return float(self.rate) * self.ball.norm(apart)


@dataclass(frozen=True)
class Promised:
    """A vector of which no norm is known, but what its mechanism promises."""

    epsilon: Fraction
    values: Sequence[Any]

    def lost(self, other: Promised) -> float:
        return 0.0 if self.values == other.values else float(self.epsilon)


@dataclass(frozen=True)
class Drawn:
    """An answer, and the law that it was drawn from."""

    law: Any
    answer: Any

    def lost(self, other: Drawn) -> float:
        if not isinstance(self.law, Law) or isinstance(self.answer, list):
            return 0.0  # no density is known, or it is one of many laws that were drawn at once
        here, there = (max(each.law.point_mass(self.answer), _LEAST) for each in (self, other))
        return abs(float(np.log(here / there)))


class Shut(BitSource):
    """No bits: all that is drawn is told."""

    def bits(self, k: int) -> int:
        raise AssertionError(f"{k} bits are drawn where every answer is told")

    below = bits


SHUT = Shut()


class Tape:
    """Questions, the laws of their answers, and these; ``told`` are answers to give."""

    def __init__(self, told: Sequence[Any] | None = None) -> None:
        self.told = told
        self.questions: list[tuple[Any, ...]] = []
        self.laws: list[Asked | None] = []
        self.answers: list[Any] = []

    def ask(self, question: tuple[Any, ...]) -> int:
        """The place of a question whose answer follows."""
        self.questions.append(question)
        self.laws.append(None)
        self.answers.append(None)
        if self.told is not None and len(self.answers) > len(self.told):
            raise AssertionError(f"a neighbour is asked one thing more: {question}")
        return len(self.answers) - 1

    def tell(self, place: int, law: Asked, draw: Callable[[], Any]) -> Any:
        """The answer to a question."""
        self.laws[place] = law
        self.answers[place] = draw() if self.told is None else self.told[place]
        return self.answers[place]

    def both(self, question: tuple[Any, ...], law: Asked, draw: Callable[[], Any]) -> Any:
        """An answer that is given at once."""
        return self.tell(self.ask(question), law, draw)

    def lost(self, other: Tape) -> float:
        """What all questions together tell apart at most."""
        pairs = zip(self.laws, other.laws, strict=True)
        return sum(here.lost(there) for here, there in pairs if here is not None)


class Noise(int):
    """Laplace noise that waits for the number it is added to, and may hide no other one."""

    tape: Tape
    place: int
    rate: Fraction
    draw: Callable[[], int]
    hidden: Any

    def __new__(cls, tape: Tape, rate: Fraction, draw: Callable[[], int], *told: Any) -> Noise:
        self = super().__new__(cls, 10**40)  # where it is not added, nothing is right
        self.tape, self.rate, self.draw, self.hidden = tape, rate, draw, None
        self.place = tape.ask(("noise", rate, *told))
        return self

    def __radd__(self, number: Any) -> Any:
        if self.hidden is None:
            self.hidden = number
            law = Hidden(self.rate, number)
            return self.tape.tell(self.place, law, lambda: number + self.draw())
        assert self.hidden == number, "the same noise hides two numbers"
        return self.tape.answers[self.place]

    __add__ = __radd__


class Passing(int):
    """Noise of which only whether it is below a number is told: of a sparse vector."""

    tape: Tape
    rate: Fraction

    def __new__(cls, tape: Tape, rate: Fraction, drawn: int) -> Passing:
        self = super().__new__(cls, drawn)
        self.tape, self.rate = tape, rate
        return self

    def __lt__(self, needed: int) -> bool:
        below = Masses(np.ones(1))  # one question alone has no price: its threshold is shared
        return self.tape.both(("passes", self.rate), below, lambda: int(self) < needed)


@dataclass(frozen=True)
class TapedLaw:
    """The law of a vector whose draw is written down, or told."""

    told: Callable[..., Any]
    question: tuple[Any, ...]
    asked: Asked
    law: Any

    def draw(self, source: Any) -> Any:
        return self.told(self.question, lambda: self.asked, lambda: self.law.draw(source))


def _runs(law: above_threshold.HeightLaw) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    place = 0
    while place < law.count:
        height = law.height(place)
        end = law.first_below(height)
        found.append((height, end - place))
        place = end
    return found


class Recorder:
    """Where questions go at present: to a tape, else past it."""

    tape: Tape | None = None

    @contextmanager
    def taped(self, tape: Tape | None) -> Iterator[None]:
        """What is drawn inside of the block is written down, or told again."""
        before, self.tape = self.tape, tape
        try:
            yield
        finally:
            self.tape = before


# Laws and steps whose draws go through functions that are told by themselves.
_IN_PARTS = frozenset(
    {
        *("DiscreteLaplaceLaw", "RatioLaw", "DiscreteGaussianLaw", "LevelsLaw", "GatedLaw"),
        *("AboveThresholdLaw", "SelectionLaw", "PermuteAndFlipLaw"),
    }
)
_STEPS = (objective.Perturbation, information.Information, robust_coefficients.Several)


def _wholes() -> Iterator[tuple[type, str]]:
    """Every class that draws as a whole, and the name of the method that does."""
    rooms = [
        import_module(f"{room.__name__}.{module.name}")
        for room in (laws, joint, session.kinds)
        for module in pkgutil.iter_modules(room.__path__)
    ]
    for module in rooms:
        for name, found in list(vars(module).items()):
            own = isinstance(found, type) and found.__module__ == module.__name__
            if own and name.endswith("Law") and name not in _IN_PARTS and "draw" in vars(found):
                yield found, "draw"
    yield LevelsLaw, "draws"
    yield from ((step, "draw") for step in _STEPS)


@contextmanager
def recorder() -> Iterator[Recorder]:
    """The functions through which all draws go ask the recorder first."""
    here = Recorder()
    one, many, turns = discrete_laplace, many_laplace.discrete_laplaces, many_laplace.in_turns
    normal, rounded, unlike = discrete_gaussian, rounded_gaussian, respond.vector_noise
    numbers, blocks = persons.random_numbers, aggregate.assigned
    first, index = unsorted.draw_first, above_threshold.draw_index
    flip, proportional = finite.draw_permute_and_flip, finite.draw_proportional
    level, vector = LevelsLaw.draw, moments.noisy
    k_norm, cone, gated = KNorm.law, ConeLaplace.law, GatedLaw.outcome

    def untold(draw: Callable[[], Any]) -> Any:
        with here.taped(None):
            return draw()

    def hiding(draw: Callable[[], int], rate: Fraction, *told: Any) -> int:
        if here.tape is None:
            return draw()
        return Noise(here.tape, rate, lambda: untold(draw), *told)

    def noise(p: int, q: int, source: Any) -> int:
        return hiding(lambda: one(p, q, source), Fraction(p, q))

    def noises(p: int, q: int, count: int, source: Any) -> list[int]:
        return in_turns([(p, q)], count, source)

    def in_turns(rates: Sequence[tuple[int, int]], count: int, source: Any) -> list[int]:
        if here.tape is None:
            return turns(rates, count, source)
        return [noise(*rate, source) for rate in islice(cycle(rates), count)]

    # the loss of these has no bound: what is asked of them is that nothing else hangs on data
    def normals(variance: Fraction, source: Any) -> int:
        return hiding(lambda: normal(variance, source), Fraction(0), variance)

    def one_sided(p: int, q: int, source: Any) -> int:
        if here.tape is None:
            return geometric(p, q, source)
        known = here.tape.told is not None
        return Passing(here.tape, Fraction(p, q), 0 if known else geometric(p, q, source))

    def rounded_normals(sigma: Fraction, source: Any) -> int:
        return hiding(lambda: rounded(sigma, source), Fraction(0), sigma)

    def vector_noise(*given: Any) -> Any:
        drawing = unlike(*given)

        def draw(source: Any) -> list[int]:
            if here.tape is None:
                return drawing(source)
            known = here.tape.told is not None
            drawn = range(given[1]) if known else untold(lambda: drawing(source))
            return [hiding(lambda one=one: one, Fraction(0), *given[1:]) for one in drawn]

        return draw

    def own_stream(choose: Callable[..., Any]) -> Callable[..., Any]:
        def chosen(*given: Any) -> Any:
            return choose(*given[:-1], given[-1] if here.tape is None else HashedBits(b"rows"))

        return chosen

    def whole(kind: type, method: str) -> Callable[..., Any]:
        draw = vars(kind)[method]

        def drawn(law: Any, *given: Any, **options: Any) -> Any:
            question = kind.__name__, getattr(law, "step", None)
            return answered(
                question, lambda answer: Drawn(law, answer), lambda: draw(law, *given, **options)
            )

        return drawn

    def answered(
        question: tuple[Any, ...], law: Callable[[Any], Asked], draw: Callable[[], Any]
    ) -> Any:
        """As ``told``, where what is told apart hangs on the answer."""
        tape = here.tape
        if tape is None:
            return draw()
        place = tape.ask(question)
        answer = untold(draw) if tape.told is None else tape.told[place]
        return tape.tell(place, law(answer), lambda: answer)

    def told(question: tuple[Any, ...], law: Callable[[], Asked], draw: Callable[[], Any]) -> Any:
        if here.tape is None:
            return draw()
        return here.tape.both(question, law(), lambda: untold(draw))

    def walk(heights: Sequence[int], e1: Fraction, e2: Fraction, source: Any) -> int | None:
        def law() -> Asked:
            return Walk([(h, len([*run])) for h, run in groupby(heights)], float(e1), float(e2))

        question = "walk", len(heights), e1, e2
        return told(question, law, lambda: first(heights, e1, e2, source))

    def stream(asked: above_threshold.HeightLaw, source: Any) -> int | None:
        def law() -> Asked:
            if not asked.count:
                return Masses(np.ones(1))
            return Walk(_runs(asked), float(asked.e1), float(asked.e2))

        question = "stream", asked.count, asked.e1, asked.e2
        return told(question, law, lambda: index(asked, source))

    def outcome(law: GatedLaw, source: Any) -> tuple[bool, int | None]:
        asked, walk = law.walk.height_law(), law.walk

        def known(answer: tuple[bool, int | None]) -> Asked:
            gate = law.gate.height, float(law.gate.rate)
            found = Walk(_runs(asked), float(walk.e1), float(walk.e2), gate)
            return found.passed() if answer[0] else found

        question = "gate", law.gate.rate, asked.count, walk.e1, walk.e2
        return answered(question, known, lambda: gated(law, source))

    def choice(draw: Callable[..., int], kind: type[SelectionLaw]) -> Callable[..., int]:
        def chosen(weights: finite.FiniteWeights, source: Any) -> int:
            def law() -> Asked:
                costs = dict(zip(map(int, weights.order), map(int, weights.costs), strict=True))
                made = kind([costs[i] for i in range(len(costs))], weights.rate)
                return Masses(np.array([made.point_mass(i) for i in range(len(costs))]))

            question = kind.__name__, weights.rate, len(weights.order)
            return told(question, law, lambda: draw(weights, source))

        return chosen

    def point(law: LevelsLaw, source: Any) -> int:
        return told(("levels", law.step), lambda: Levels(law), lambda: level(law, source))

    def vectors(values: Sequence[int], ball: Any, rate: Fraction, source: Any) -> list[int]:
        question = "vector", ball.name, rate
        return told(
            question,
            lambda: Vector(rate, ball, [value * moments.UNIT for value in values]),
            lambda: vector(values, ball, rate, source),
        )

    def ball_law(mechanism: KNorm, profile: Any, epsilon: Any) -> Any:
        ball, sensitivity, _ = chosen_ball(mechanism.ball, profile, "KNorm")
        scaled = [v * unit for v, unit in zip(profile.value, profile.units, strict=True)]
        rate = Fraction(epsilon) / sensitivity
        question = "k-norm", ball.name, rate, profile.units
        return TapedLaw(
            told, question, Vector(rate, ball, scaled), k_norm(mechanism, profile, epsilon)
        )

    def cone_law(mechanism: ConeLaplace, profile: Any, epsilon: Any) -> Any:
        law = cone(mechanism, profile, epsilon)
        question = "cone", epsilon, profile.units
        return TapedLaw(told, question, Promised(Fraction(epsilon), profile.value), law)

    held: list[tuple[Any, Any]] = [
        *((one, noise), (many, noises), (turns, in_turns), (first, walk), (index, stream)),
        *((vector, vectors), (normal, normals), (rounded, rounded_normals)),
        *((unlike, vector_noise), (numbers, own_stream(numbers)), (blocks, own_stream(blocks))),
        *((geometric, one_sided), (flip, choice(flip, PermuteAndFlipLaw))),
        (proportional, choice(proportional, SelectionLaw)),
    ]
    methods = [(*found, whole(*found)) for found in _wholes()]
    with ExitStack() as stack:
        for kind, method, instead in (
            *((LevelsLaw, "draw", point), (GatedLaw, "outcome", outcome)),
            *((KNorm, "law", ball_law), (ConeLaplace, "law", cone_law), *methods),
        ):
            stack.enter_context(mock.patch.object(kind, method, instead))
        stack.enter_context(exchanged(held))
        yield here


@contextmanager
def exchanged(pairs: Sequence[tuple[Any, Any]]) -> Iterator[None]:
    """One function for another wherever it has a name in the library, also where it is loaded."""
    try:
        _exchange(pairs)
        yield
    finally:
        _exchange([(instead, own) for own, instead in pairs])


def _exchange(pairs: Sequence[tuple[Any, Any]]) -> None:
    others = {id(own): instead for own, instead in pairs}
    for key, module in list(sys.modules.items()):
        if key.startswith("leastnoise"):
            for name, value in list(vars(module).items()):
                if id(value) in others:
                    setattr(module, name, others[id(value)])
