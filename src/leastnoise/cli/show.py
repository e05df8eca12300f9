"""Writing answers and errors: tables for a person, strict JSON for a program.

Text is never read as markup, and characters that a terminal would obey are shown as escapes, so a
column may have any name. Colours appear on a terminal only.
"""

from __future__ import annotations

import json as json_module
import os
import select
import sys
import warnings
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from io import UnsupportedOperation
from math import ceil, exp, log
from stat import S_ISFIFO, S_ISREG
from time import monotonic
from typing import TYPE_CHECKING, Any, cast

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from leastnoise.guarantees import Guarantee
    from leastnoise.record import Release, Releases


Time = date | timedelta  # a datetime is a date

# The least width in columns: in a narrower terminal (COLUMNS=0) a table would show no number.
_NARROWEST = 40


class OutputError(Exception):
    """An answer cannot be written; ``charged`` says whether it was paid for."""

    def __init__(self, message: str, *, charged: bool = False) -> None:
        super().__init__(message)
        self.charged = charged


def console(*, stderr: bool = False) -> Console:
    """A console that prints text unchanged, and that is never too narrow to show any."""
    made = Console(stderr=stderr, markup=False, emoji=False, highlight=False)
    made.width = max(_NARROWEST, made.width)
    return made


def check_output() -> None:
    """Refuse a standard output that cannot take an answer, before anything is charged.

    Raises
    ------
    OutputError
        If it is closed, nobody reads it any more, or its disk is full.
    """
    why = ""
    try:
        descriptor = sys.stdout.fileno()
        kind = os.fstat(descriptor).st_mode
    except (AttributeError, ValueError, OSError) as error:
        if isinstance(error, UnsupportedOperation):  # a stream in memory
            return
        raise OutputError("standard output is closed, so no answer could be given") from None
    if hasattr(select, "poll") and S_ISFIFO(kind):
        reader = select.poll()
        reader.register(descriptor, 0)
        if any(event & select.POLLERR for _, event in reader.poll(0)):
            why = "nothing reads standard output any more"
    elif S_ISREG(kind) and hasattr(os, "fstatvfs") and not os.fstatvfs(descriptor).f_bavail:
        why = "the disk of standard output is full"
    if why:
        raise OutputError(f"{why}, so no answer could be given; nothing was charged")


@contextmanager
def delivery(records: Iterable[Release], again: str) -> Generator[None]:
    """Write answers in the block; if that fails, the error says what they cost.

    ``again`` says how to get a stored answer again.
    """
    from leastnoise.production import quiet  # numpy is loaded where there are answers

    try:
        with quiet():
            yield
        sys.stdout.flush()
    except OSError as error:
        raise OutputError(
            f"the answer could not be written to standard output ({error.strerror}). "
            f"{_cost(records, again)}",
            charged=True,
        ) from None


def _cost(records: Iterable[Release], again: str) -> str:
    """The charge for these records, and how to get them again."""
    found = {one.ledger["entry"]: one.ledger for one in records if one.ledger is not None}
    if not found:
        return "No ledger kept it: its epsilon is spent, and the answer cannot be recovered"
    paid = [one for one in found.values() if not one["from_cache"]]
    charges = "; ".join(
        f"{', '.join(f'{name} {amount}' for name, amount in one['charged'].items())} to the ledger "
        f"of {one['dataset']!r} as entry {one['entry']}"
        for one in paid
    )
    return f"Charged: {charges or 'nothing, it came from the ledger'}. The ledger keeps it: {again}"


def write(*parts: RenderableType) -> None:
    """Print tables and texts on standard output, without spaces at line ends."""
    out = console()
    with out.capture() as written:
        for part in parts:
            out.print(part)
    lines = [line.rstrip() for line in written.get().split("\n")]
    print("\n".join(lines), end="")


@contextmanager
def progress(title: str, *, after: float = 0) -> Generator[Callable[[int, int], None]]:
    """A bar on standard error while the block runs, where that is a terminal; else nothing.

    It appears once the block has run for ``after`` seconds.
    """
    from rich.progress import Progress

    out = console(stderr=True)
    if not out.is_terminal:  # older rich ends even a bar that is switched off with an empty line
        yield lambda done, total: None
        return
    bar = Progress(console=out, transient=True)
    task = bar.add_task(title, total=None)
    begin = monotonic() + after

    def step(done: int, total: int) -> None:
        bar.update(task, completed=done, total=total)
        if monotonic() >= begin:
            bar.start()

    try:
        if not after:
            bar.start()
        yield step
    finally:
        bar.stop()


def clean(text: str) -> str:
    """The text with its control characters as escapes; line ends stay."""
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text)


def error(message: str) -> None:
    """One message on standard error, not cut to the width of a terminal."""
    console(stderr=True).print(
        Text.assemble(("error: ", "bold red"), clean(message)), soft_wrap=True
    )


@contextmanager
def warnings_of(category: type[Warning]) -> Generator[None]:
    """Print warnings of this kind on standard error; others stay silent."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", category)
        yield
    for warning in caught:
        text = Text.assemble(("warning: ", "bold yellow"), clean(str(warning.message)))
        console(stderr=True).print(text, soft_wrap=True)


def json(value: Any) -> None:
    """Strict JSON in ASCII, and nothing else, on standard output."""
    print(json_text(value))


def json_text(value: Any) -> str:
    """Strict JSON in ASCII."""
    return json_module.dumps(value, allow_nan=False, indent=2)


def number(value: float | Time, digits: int = 10) -> str:
    """A number for a person: whole ones and times in full, others to some significant digits."""
    if isinstance(value, Time):
        return str(value)
    return str(value) if isinstance(value, int) else format(value, f".{digits}g")


def short(value: float) -> str:
    """A measured size in three digits."""
    return f"{value:.0f}" if 1000 <= value < 1e6 else f"{value:#.3g}".rstrip(".")


def exact(value: Fraction) -> str:
    """An exact number: decimal where that is short, else a fraction, cut where that is long."""
    near = Decimal(value.numerator) / Decimal(value.denominator)
    plain = 1e-300 < abs(value) < 1e300
    short = format(float(value), ".10g") if plain else str(near.normalize()).lower()
    if Fraction(Decimal(short)) == value:
        return short
    return str(value) if len(str(value)) <= 30 else f"about {near:.10g}"


def table(*columns: str, right: Sequence[int] = ()) -> Table:
    """A table without frame lines; the columns of these positions are flush right."""
    made = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for position, name in enumerate(columns):
        made.add_column(name, justify="right" if position in right else "left", overflow="fold")
    return made


def facts(lines: Sequence[tuple[str, str]]) -> Table:
    """Names and texts in two columns; the texts wrap inside theirs."""
    made = Table.grid(padding=(0, 2))
    made.add_column(style="bold", no_wrap=True)
    made.add_column(overflow="fold")
    for name, text in lines:
        made.add_row(Text(name), Text(clean(text)))
    return made


def label(record: Release, orders: Sequence[str] = ()) -> str:
    """The name of a released statistic, such as "median of pay"."""
    words = "".join(f" {c.lower()}" if c.isupper() else c for c in record.statistic).strip()
    if record.statistic == "Quantile" and orders:
        words = f"{orders[0]} quantile"
    of = "rows" if record.column is None else record.column
    return clean(f"{words} of {of}")


def releases(records: Sequence[Release], *, orders: Sequence[str] = ()) -> None:
    """Values in a table, then what they promise and what they do not."""
    from leastnoise.record.flat import ends

    answers = table("statistic", "private value", "epsilon", "mechanism", right=(1, 2))
    for record in records:
        epsilon = exact(record.guarantee.numbers()["epsilon"])
        if isinstance(record.value, list):
            shares = set(record.parts.values())  # a joint draw has none
            share = f"({exact(Fraction(shares.pop()))})" if len(shares) == 1 else ""
            answers.add_row(Text(label(record)), "", epsilon, record.mechanism)
            for name, value in _listed(record, orders):
                answers.add_row(Text(f"  {name}"), number(value), share, "")
        else:
            name = Text(label(record, orders))
            value = cast("str | float | Time", record.value)
            shown = clean(value) if isinstance(value, str) else number(value)
            answers.add_row(name, Text(shown), epsilon, record.mechanism)
            for title, end in ends(record):
                answers.add_row(Text(f"  {title}"), number(end), "", "")
    write(answers, "", facts(_promises(records, orders)))


def _listed(record: Release, orders: Sequence[str]) -> list[tuple[str, float | Time]]:
    """The numbers or times of a list, each with its label."""
    from leastnoise.record.flat import cells

    found: list[tuple[str, float | Time]] = []
    for name, cell in cells(record):
        if cell is not None and not isinstance(cell, str):
            found.append((clean(str(name)), cell))
    if record.statistic != "Quantiles":
        return found
    return [(f"{order} quantile", value) for order, (_, value) in zip(orders, found, strict=True)]


# More do not fit in a terminal.
_MOST_COLUMNS = 10


def values(made: Releases[Any, Any], most: int | None = None) -> Table:
    """The values of a table, one line a group; one line a number without groups, or if many.

    Of more than ``most`` lines only the first are shown, and the last says how many are not.
    """
    from leastnoise.record.flat import LONG, flat

    found = flat(made)
    if not made.by or (len(found.columns) > _MOST_COLUMNS and not set(LONG) & set(made.by)):
        found = flat(made, "long")
    right = [i for i, name in enumerate(found.columns) if i >= found.keys or name == "value"]
    drawn = table(*(clean(name) for name in found.columns), right=right)
    lines = list(found.shown())
    for row in lines[:most]:
        drawn.add_row(*(Text(clean(entry)) for entry in row))
    if most is not None and len(lines) > most:
        drawn.add_row(f"... {len(lines) - most} more lines")
    return drawn


def groups(made: Releases[Any, Any]) -> None:
    """A table by groups, then what it promises and what it does not."""
    first = next(iter(made.rows())).records
    records = list(first.values())
    found = all("limit of groups" in record.parts for record in records)
    lines = [
        ("guarantee", guarantee(records, made.guarantee)),
        (
            "all groups" if found else "each group",
            f"epsilon = {exact(epsilon_of(records))}"
            + (", which the groups of a person share" if found else " for its answers"),
        ),
        *_shared(records, list(first)),
    ]
    write(values(made), "", facts(lines))


def epsilon_of(records: Sequence[Release]) -> Fraction:
    """The sum of the records' epsilons."""
    return sum((r.guarantee.numbers()["epsilon"] for r in records), Fraction(0))


def _promises(records: Sequence[Release], orders: Sequence[str]) -> list[tuple[str, str]]:
    """The lines below the values; a line that differs between statistics names them."""
    lines = [("guarantee", guarantee(records))]
    if len(records) > 1:
        shares = " + ".join(exact(r.guarantee.numbers()["epsilon"]) for r in records)
        lines.append(("split", f"epsilon = {shares}, in the order of the statistics"))
    return [*lines, *_shared(records, [label(r, orders) for r in records])]


def _shared(records: Sequence[Release], names: Sequence[str]) -> list[tuple[str, str]]:
    """Each fact once, with the names of the statistics where they differ."""
    lines: list[tuple[str, str]] = []
    rows: list[tuple[str, list[str]]] = [
        ("protects", [r.protects.removeprefix("protects ") for r in records]),
        ("not protected", [r.not_protected for r in records]),
        ("rows", ["" if r.where is None else f"those with {r.where}" for r in records]),
        ("bounds", [_bounds(r) for r in records]),
        ("missing values", [_missing(r) for r in records]),
        ("noise", [_noise(r) for r in records]),
        ("interval", [_interval(r) for r in records]),
        ("note", ["; ".join(r.notes) for r in records]),
        ("budget", [_tracked(r) for r in records]),
    ]
    for title, texts in rows:
        if len(set(texts)) == 1:
            lines.append((title, texts[0]))
        else:
            for text in dict.fromkeys(texts):
                who = ", ".join(n for n, t in zip(names, texts, strict=True) if t == text)
                lines.append((title, text and f"{who}: {text}"))
    return [(title, text) for title, text in lines if text]


def guarantee(records: Sequence[Release], whole: Guarantee | None = None) -> str:
    """The promise of all records together, or of the whole table, in words."""
    numbers = [record.guarantee.numbers() for record in records]
    if whole is not None:
        numbers = [whole.numbers()]
    epsilon = sum((n["epsilon"] for n in numbers), Fraction(0))
    delta = sum((n.get("delta", Fraction(0)) for n in numbers), Fraction(0))
    scope = records[0].guarantee.scope
    change = {"replace-one": "changing", "add-remove": "adding or removing"}.get(
        scope.relation, "changing, adding or removing"
    )
    factor = f"e^epsilon = {exp(float(epsilon)):.3g}" if epsilon <= 20 else "e^epsilon"
    name = "epsilon-differential privacy" if delta == 0 else "(epsilon, delta)-differential privacy"
    text = (
        f"{name} with epsilon = {exact(epsilon)}: {change} one {scope.unit} multiplies the "
        f"probability of any answer by at most {factor}"
    )
    return text if delta == 0 else f"{text}, up to an added probability delta = {exact(delta)}"


def _bounds(record: Release) -> str:
    if record.bounds is None:
        return ""
    pairs = record.bounds if isinstance(record.bounds[0], tuple) else (record.bounds,)
    found = ", ".join(" to ".join(map(number, pair)) for pair in pairs)
    origin = "declared" if record.limits is None else "found privately"
    return f"{found}, {origin}; values beyond them count as the nearest limit"


def _missing(record: Release) -> str:
    if record.missing == "in no cell":
        return "a row with a missing or an undeclared entry is in no cell"
    if record.missing == "drop":
        return "their rows are dropped, so the number of remaining rows is private"
    if record.missing == "none":
        return (
            ""
            if record.bounds is None
            else "declared absent; any count as the middle of the bounds"
        )
    return f"replaced by {record.missing}"


def _tracked(record: Release) -> str:
    if record.ledger is not None:
        return record.tracked
    return f"{record.tracked}: the epsilons of all releases of the same data add up"


def _is_day(limit: object) -> bool:
    return isinstance(limit, date) and not isinstance(limit, datetime)


def _interval(record: Release) -> str:
    if record.interval is None or record.coverage is None:
        return ""
    sure = number(float(100 * Fraction(record.coverage["level"])))
    method = record.coverage.get("method")
    told = f"{sure} % sure to hold {record.coverage['holds']}"
    return told if method is None else f"{told} ({method})"


def _noise(record: Release) -> str:
    if record.interval is not None:
        return ""
    if record.statistic == "Mode":
        return "one of the declared categories is drawn; the more frequent, the likelier"
    share = record.parts.get("each cell")
    if share is not None and record.noise is None and record.mechanism == "Laplace()":
        half = ceil(log(20) / Fraction(share))
        return f"95 % of the noise of each cell lies within +-{half} (no sampling error)"
    if record.noise_scale is None or isinstance(record.value, list):
        return "its width depends on the data and is private, so no interval is printed"
    if isinstance(record.value, Time):
        unit = "days" if _is_day((record.bounds or (None,))[0]) else "seconds"
        return f"{record.noise} noise of scale {number(record.noise_scale, 4)} {unit}"
    step = Fraction(record.step)
    low, high = record.noise_interval(0.95)
    half = ceil(Fraction(high - low) / 2 / step) * step  # whole steps: at least 95 %
    width = int(half) if half.denominator == 1 else float(half)
    return (
        f"95 % of it lies within +-{number(width, 6)} (noise only: no sampling or clipping error)"
    )
