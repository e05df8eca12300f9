"""The keys of a column, where they cannot be declared."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from leastnoise.errors import ParameterError
from leastnoise.mechanisms.key_selection import KeySelection
from leastnoise.params import parse_column
from leastnoise.statistics.statistic import KeyStatistic
from leastnoise.summaries.keys import KeySpec


@dataclass(frozen=True, slots=True)
class PrivateKeys(KeyStatistic):
    """The entries of a column that occur in enough rows, as a list to group by.

    Declared keys are better wherever they are known: they cost nothing and need no delta.

    Parameters
    ----------
    column : str, optional
        A column of text or numbers; omitted for a bare array. Texts are compared without
        surrounding blanks, numbers by their value; missing and infinite entries are not keys.
    delta : number
        0 < delta < 1, far below one over the number of persons, such as ``"1e-9"``.

    Raises
    ------
    ParameterError, ParameterTypeError
        If delta is missing or impossible, or a table of a class of your own has no
        ``text_values``; before any data is read.

    Notes
    -----
    The value is a sorted list of text or of numbers, perhaps empty. If persons are protected, a key
    counts persons, otherwise rows. Each key is shown with the greatest probability that its count
    allows: at delta = 1e-9 and epsilon = 1 under add-remove, half of the keys with 21 rows. Under
    "replace-one" and "edit" a changed row leaves one key for another, and each gets half of epsilon
    and delta; persons of m rows reach m keys, or 2 m, each with its share. Where that shows less, a
    person with d keys gives each a weight of 1/sqrt(d), and keys are shown whose sum of weights,
    with Gaussian noise, exceeds a threshold; in three rounds, so that whoever has keys that were
    shown gives all weight to the others. Guarantee: (epsilon, delta)-DP by ``KeySelection(delta)``
    (``docs/proofs/private-keys.md``, ``docs/proofs/weighted-keys.md``). Groups by these keys are a
    release of their own.

    Examples
    --------
    >>> import leastnoise as ln
    >>> towns = {"town": ["Aach"] * 300 + ["Ulm"] * 200 + ["Zell"], "pay": [20] * 501}
    >>> with ln.open(towns, relation="add-remove") as data:
    ...     keys = data.release(ln.PrivateKeys("town", delta="1e-9"), epsilon=1)
    ...     table = data.group_by({"town": keys.value}).release(ln.Count(), epsilon=1)
    >>> keys.value
    ['Aach', 'Ulm']
    >>> len(table)
    2
    """

    column: str | None = None
    _: KW_ONLY
    delta: object = None

    def __post_init__(self) -> None:
        if self.delta is None:
            raise ParameterError(
                "delta is required: the probability that a key of one row is shown, far below "
                "one over the number of persons, such as delta='1e-9'"
            )
        self.default_mechanism("")
        self.spec()

    def spec(self) -> KeySpec:
        """The counts of all entries."""
        return KeySpec(parse_column(self.column))

    @staticmethod
    def reached(relation: str, rows: int) -> int:
        """How many keys one row, or a person of so many rows, can change."""
        return rows if relation == "add-remove" else 2 * rows

    def default_mechanism(self, relation: str) -> KeySelection:
        """The only one."""
        return KeySelection(self.delta)
