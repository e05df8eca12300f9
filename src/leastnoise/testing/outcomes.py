"""Every outcome of a draw, by running it once for each way its secret choices can fall."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TypeVar

from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.params import parse_count
from leastnoise.randomness import BitSource

T = TypeVar("T")


def outcomes(
    draw: Callable[[BitSource], T], *, most: int = 100_000
) -> Iterator[tuple[Fraction, T]]:
    """Enumerate a draw: its exact probability and its result, for every way it can go.

    Parameters
    ----------
    draw : callable
        From a source of bits to a result. It must draw finitely often and use nothing else that is
        random: samplers that start again until they accept have no end.
    most : int
        Refuse more ways than this.

    Yields
    ------
    pairs (probability, result)
        The probabilities add up to 1. With ``audit.Mixture`` they turn an algorithm that makes
        secret choices, such as which block a record joins, into its exact law.

    Raises
    ------
    ParameterError, ParameterTypeError
        When there are more than ``most`` ways, for a ``most`` that is not a whole
        number above 0, and for a ``draw`` that cannot be called.

    Examples
    --------
    >>> from leastnoise.testing import outcomes
    >>> [(str(p), y) for p, y in outcomes(lambda source: source.below(2) + source.below(3))]
    [('1/6', 0), ('1/6', 1), ('1/6', 2), ('1/6', 1), ('1/6', 2), ('1/6', 3)]
    """
    most = parse_count(most, "most")
    if not callable(draw):
        raise ParameterTypeError(f"draw must be callable, got {draw!r}")
    script: list[tuple[int, int]] = []
    ways = 0
    while True:
        source = _Choices(script)
        result = draw(source)
        ways += 1
        if ways > most:
            raise ParameterError(f"there are more than {most:,} ways for this draw to go")
        weight = Fraction(1)
        for _, n in source.script:
            weight /= n
        yield weight, result
        script = source.script
        while script and script[-1][0] == script[-1][1] - 1:
            script.pop()
        if not script:
            return
        chosen, n = script.pop()
        script.append((chosen + 1, n))


class _Choices:
    """Follows a script of choices (chosen, out of n), then takes 0 each time and writes it down."""

    def __init__(self, script: list[tuple[int, int]]) -> None:
        self.script, self._at = script, 0

    def below(self, n: int) -> int:
        if n == 1:
            return 0
        if self._at == len(self.script):
            self.script.append((0, n))
        chosen, wide = self.script[self._at]
        if wide != n:
            raise ParameterError("a draw must make the same choices when it is repeated")
        self._at += 1
        return chosen

    def bits(self, k: int) -> int:
        return self.below(1 << k)
