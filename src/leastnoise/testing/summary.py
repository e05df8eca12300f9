"""The verdict on a summary: a monoid whose merge is the summary of the concatenation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from leastnoise.errors import ParameterTypeError
from leastnoise.params import parse_count
from leastnoise.testing.violations import Subject

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


@dataclass(frozen=True, slots=True)
class SummaryReport:
    """What was checked, and that nothing was found."""

    summary: str
    examples: int

    def __str__(self) -> str:
        return f"{self.summary}: {self.examples} random examples; no law broken"


def check_summary(
    of: Callable[[list[Any]], Any],
    values: SearchStrategy[Any],
    *,
    key: Callable[[Any], object] | None = None,
    max_examples: int = 200,
    max_size: int = 12,
) -> SummaryReport:
    """Try to refute that a summary is a commutative monoid and equal to the one-shot summary.

    For lists a, b, c of records: ``of(a).merge(of(b))`` equals ``of(a + b)``; merging with
    ``of([])`` changes nothing on either side; merging is associative and commutative; the order of
    the records does not matter; and merging leaves its arguments as they were.

    Parameters
    ----------
    of : callable
        From a list of records to their summary, all public parameters fixed: the reference.
    values : Hypothesis strategy
        One record.
    key : callable, optional
        What two equal summaries have in common, such as a tuple of fields. Default: the summary.
    max_examples, max_size : int
        Random examples, and most records of each of the three lists.

    Returns
    -------
    SummaryReport
        How many random examples were tried.

    Raises
    ------
    ParameterError, ParameterTypeError
        For numbers that are not whole and at least 1, and for what cannot be called.
    PrivacyViolation
        With the smallest lists that were found and the two summaries' keys.

    Examples
    --------
    >>> from hypothesis import strategies as st
    >>> from leastnoise.summaries.moments import RowSummary
    >>> from leastnoise.testing import check_summary
    >>> check_summary(lambda rows: RowSummary(len(rows)), st.integers()).summary
    'RowSummary'
    """
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import strategies as st

    max_examples, max_size = (
        parse_count(max_examples, "max_examples"),
        parse_count(max_size, "max_size"),
    )
    if not hasattr(values, "example"):
        raise ParameterTypeError(f"values must be a Hypothesis strategy, got {values!r}")
    for name, function in (("of", of), ("key", key)):
        if not (callable(function) or (name == "key" and function is None)):
            raise ParameterTypeError(f"{name} must be callable, got {function!r}")
    empty: Any = of([])
    name = type(empty).__name__
    subject = Subject(name)
    look: Callable[[Any], object] = (lambda summary: summary) if key is None else key
    tried = 0
    lists = st.lists(values, max_size=max_size)

    @settings(
        max_examples=max_examples,
        derandomize=True,
        database=None,
        deadline=None,
        print_blob=False,
        report_multiple_bugs=False,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.nested_given],
        phases=(Phase.generate, Phase.shrink),
    )
    @given(lists, lists, lists, st.randoms(use_true_random=False))
    def attack(a: list[Any], b: list[Any], c: list[Any], shuffler: Any) -> None:
        nonlocal tried

        def same(law: str, left: Any, right: Any) -> None:
            ours, theirs = look(left), look(right)
            if ours != theirs:
                raise subject.violation(law, f"{ours!r} is not {theirs!r}", a=a, b=b, c=c)

        def merged(left: Any, right: Any) -> Any:
            before = look(left), look(right)
            result = left.merge(right)
            if (look(left), look(right)) != before:
                raise subject.violation(
                    "merging leaves its arguments alone", f"it changed {before!r}", a=a, b=b, c=c
                )
            return result

        x, y, z = of(list(a)), of(list(b)), of(list(c))
        whole = merged(x, y)
        same("merge is the summary of the concatenation", whole, of([*a, *b]))
        same("the empty summary changes nothing", merged(x, of([])), x)
        same("the empty summary changes nothing", merged(of([]), x), x)
        same("merging is commutative", whole, merged(y, x))
        same("merging is associative", merged(whole, z), merged(x, merged(y, z)))
        mixed = list(a)
        shuffler.shuffle(mixed)
        same("the order of records does not matter", of(mixed), x)
        tried += 1

    attack()
    return SummaryReport(name, tried)
