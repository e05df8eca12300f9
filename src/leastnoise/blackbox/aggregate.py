"""Sample and aggregate: a proved guarantee for any program, by a private median of blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import floor
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from leastnoise import randomness
from leastnoise.accounting import basic
from leastnoise.blackbox.charging import Charging
from leastnoise.blackbox.identity import name_of
from leastnoise.blackbox.program import Program, public_bounds
from leastnoise.blackbox.tables import as_records
from leastnoise.errors import ParameterError
from leastnoise.frames import open_table
from leastnoise.frames.blocks import block_maker
from leastnoise.guarantees import Guarantee, Scope
from leastnoise.params import parse_count, parse_relation, parse_step, parse_total
from leastnoise.production import releasing, sealed
from leastnoise.randomness import BitSource
from leastnoise.record import Release
from leastnoise.session.checking import kind_of
from leastnoise.session.prepare import choose_mechanism, plan
from leastnoise.statistics import Median
from leastnoise.summaries.lattice import power_of_two_at_least

Array = NDArray[Any]
_BITS_A_BLOCK = Fraction(36067, 100000)  # log2(e) / 4


class SampleAndAggregate:
    """Run a program on random blocks of the records and release a private median of its answers.

    Parameters
    ----------
    function : callable
        From the records of a block, at least one, to ``dimension`` numbers. They come in the form
        of the data: an array, series, frame or Arrow table with the same types, else a list.
    bounds : pair of numbers
        Public limits of every coordinate of an answer. Wide ones cost resolution where blocks are
        few: see ``step``.
    blocks : int
        The public number of blocks. More blocks: a smaller effect of one record; fewer: each answer
        is closer to that on all records. About the square root of n, and at least 40 / epsilon for
        each coordinate, is a start.
    dimension : int
        Length of an answer. Each coordinate gets epsilon / dimension.
    step : number, optional
        Spacing of the released answers, in the units of an answer. Default: a power of two, between
        width / 2**10 and width / 2**48, as fine as epsilon and the number of blocks let the median
        find where all blocks agree.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is invalid; checked before any data is read.

    Notes
    -----
    Guarantee: epsilon-DP under "replace-one", "add-remove" and "edit", for every program and every
    data set; nothing is sampled and nothing assumed. One record is in one block, which is chosen by
    randomness of its own, secret and independent of values, order and other records; so it can
    change one of the answers, whose median has the replace-one profile of ``blocks`` numbers. An
    empty block and a failure count as the middle of the bounds. The program must not carry
    anything from one block to the next. Source: Nissim, Raskhodnikova and Smith (2007), section 4;
    ``docs/proofs/sample-and-aggregate.md``.

    Examples
    --------
    >>> import numpy as np
    >>> import leastnoise as ln
    >>> mean = ln.SampleAndAggregate(np.mean, bounds=(0, 100), blocks=60)
    >>> data = 40 + np.arange(3000) % 21
    >>> record = mean.respond(data, epsilon=1)
    >>> 40 < record.value < 60, record.guarantee.epsilon
    (True, Fraction(1, 1))
    """

    def __init__(
        self,
        function: Callable[[Any], Any],
        *,
        bounds: object,
        blocks: int,
        dimension: int = 1,
        step: object = None,
    ) -> None:
        if not callable(function):
            raise ParameterError(f"function must be callable, got {type(function).__name__}")
        self.blocks = parse_count(blocks, "blocks")
        size = parse_count(dimension, "dimension")
        self.program = Program(function, size, public_bounds(bounds))
        self.step = parse_step(step)

    def __repr__(self) -> str:
        low, high = self._bounds
        return (
            f"SampleAndAggregate({name_of(self.program.function)}, bounds=({low}, {high}), "
            f"blocks={self.blocks}, dimension={self.program.dimension})"
        )

    @releasing()
    def respond(
        self,
        data: object,
        *,
        epsilon: object,
        mechanism: object = None,
        relation: str | None = None,
        ledger: object = None,
        dataset: str | None = None,
        table: str = "main",
        purpose: str | None = None,
    ) -> Release:
        """Release the function of private data.

        Parameters
        ----------
        data
            Records, rows first: a list, a numpy array, a pandas, Polars or Arrow series or table. A
            list stays a list. A block is made anew from its rows and the declared types: a pandas
            index and lists of categories are left out, objects in cells are copies, and one that
            cannot be copied is None.
        epsilon : number
            The privacy parameter of the whole answer.
        mechanism
            For the median of the answers; default ``PiecewiseLaplace()``.
        relation : "replace-one", "add-remove" or "edit"
            Default: that of the ledger, or "replace-one".
        ledger, dataset, table, purpose
            As for ``leastnoise.release``.

        Raises
        ------
        ParameterError, ParameterTypeError, LedgerError, BudgetExceededError
            Before the function sees private data and at no cost; also if data is not a table, or
            has columns from which blocks cannot be made: codes inside lists and structs, runs,
            views, texts and objects in the fields of an array.
        """
        share = parse_total(epsilon) / self.program.dimension
        charging = Charging.open(ledger, dataset, table, purpose, relation or "")
        scope = Scope(parse_relation(relation or charging.relation))
        if scope.relation == "edge":
            raise ParameterError(
                'relation="edge" is for graphs; blocks are of records: use "replace-one", '
                '"add-remove" or "edit"'
            )
        median = self._median(share)
        chosen = choose_mechanism(mechanism, median, "replace-one")
        kind = kind_of(plan(median, np.zeros(self.blocks), "replace-one", None), chosen, share)
        draws: tuple[Guarantee, ...] = (chosen.strongest(share, scope),) * self.program.dimension
        promise = basic([chosen.guarantee(share, scope)] * self.program.dimension)
        name = name_of(self.program.function)
        details = {
            "statistic": f"{name} (sample and aggregate)",
            "mechanism": chosen.name,
            "guarantee": promise.to_dict(),
        }
        records = as_records(data)
        block = block_maker(records)

        def make() -> Release:
            with sealed():
                answers = self._answers(len(records), block)
            tables = [open_table(column) for column in answers.T]
            released = kind.records(kind.draw(tables))
            values = [record.value for record in released]
            return replace(
                released[0],
                value=values[0] if len(values) == 1 else cast("Any", values),
                statistic=name,
                guarantee=promise,
                draws=draws,
                relation=scope.relation,
                profile_relation=scope.relation,
                n_public=scope.relation == "replace-one",
                missing="none",
                notes=(
                    *released[0].notes,
                    f"the median of the answers on {self.blocks} random blocks of the records, "
                    "not the answer on all of them",
                ),
            )

        return charging.release(draws, details, make)

    def _median(self, share: Fraction) -> Median:
        """The median on its public lattice."""
        step = self.step or default_step(self._bounds, self.blocks, share)
        return Median(bounds=cast("Any", self._bounds), step=step, missing="none")

    @property
    def _bounds(self) -> tuple[Fraction, Fraction]:
        return cast("tuple[Fraction, Fraction]", self.program.bounds)

    def _answers(self, count: int, block: Callable[[Sequence[int]], Any]) -> Array:
        """One answer a block, shape (blocks, dimension), whatever the records hold."""
        members = assigned(count, self.blocks, randomness.active())
        found = np.full((self.blocks, self.program.dimension), self.program.constant)
        for number, places in enumerate(members):
            if places:
                found[number], _ = self.program.run_on(partial(block, places))
        return found


def default_step(bounds: tuple[Fraction, Fraction], blocks: int, share: Fraction) -> Fraction:
    """The finest lattice on which the median of blocks that agree is found; public.

    Where all answers are one point, any other has exp(-epsilon blocks / 4) of its weight, or more
    near it: 2^b points weigh about 1/1000 of it together for b = epsilon blocks log2(e) / 4 - 10.
    """
    bits = floor(share * blocks * _BITS_A_BLOCK) - 10
    return power_of_two_at_least((bounds[1] - bounds[0]) / 2 ** min(48, max(10, bits)))


def assigned(count: int, blocks: int, source: BitSource) -> list[list[int]]:
    """The places of the records of each block: every record draws its own, alone."""
    members: list[list[int]] = [[] for _ in range(blocks)]
    for place in range(count):
        members[source.below(blocks)].append(place)
    return members
