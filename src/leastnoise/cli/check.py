"""``leastnoise check``: what a curator may see of a file before anything is released."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from leastnoise.cli import show
from leastnoise.cli.in_shell import as_options
from leastnoise.cli.reading import BLANKS, PLAIN_FILE, FileOptions

if TYPE_CHECKING:
    from leastnoise.summaries.predicates import Predicate


def check(
    file: str,
    /,
    *,
    column: str | None = None,
    bounds: tuple[str, str] | None = None,
    nodes: str | None = None,
    where: str | None = None,
    as_json: Annotated[bool, Parameter(name="--json", show_default=False)] = False,
    reading: FileOptions = PLAIN_FILE,
) -> None:
    """Look at a file yourself. NOT PRIVATE: for whoever may see all of it; publish nothing of it.

    leastnoise check pay.csv --column pay --bounds 0 10000

    It says what share of each column reads as numbers or dates, what the other entries look like,
    whether rows were swallowed by a quote, and which options would fix it.

    Parameters
    ----------
    file
        As for leastnoise release.
    column
        One column; all of them without it.
    bounds
        Limits of that column, to be told whether they clip more than a tenth of it.
    nodes
        Of a file of edges: how many nodes there are, to see which edges have others.
    where
        Of a text file: look at the rows that meet a condition alone, as for leastnoise release.
    as_json
        Print JSON and nothing else.
    reading
        How the file is read.
    """
    from leastnoise.cli.requests import parse_limits
    from leastnoise.errors import ParameterError
    from leastnoise.frames.checks.look import check as look
    from leastnoise.plans.conditions import parse_condition, written
    from leastnoise.production import forbid_in_production

    forbid_in_production("check")
    if bounds is not None and column is None:
        raise ParameterError("--bounds are those of one column: give --column as well")
    if nodes is not None and not nodes.isdecimal():
        raise ParameterError(f"--nodes must be a whole number of nodes, got {nodes!r}")
    limits: Any = None if bounds is None else parse_limits(bounds)
    found = look(
        file,
        column,
        bounds=limits,
        nodes=None if nodes is None else int(nodes),
        where=None if where is None else parse_condition(where),
        **reading.given(),
    )
    if not as_json:
        lines = [_as_typed(line) for line in found.lines(_where)]
        if found.options:
            lines += ["", f"{found.fixing} {' '.join(_options(found.options))}"]
        print(show.clean("\n".join(lines)))  # not wrapped: options are pasted
        return
    show.json(
        {
            "private": False,
            "columns": [
                {
                    "name": one.name,
                    "rows": one.rows,
                    "numbers": one.numbers,
                    "dates": one.dates,
                    "missing": one.missing,
                    "others": dict(one.others),
                }
                for one in found.columns
            ],
            "findings": [
                {
                    "where": one.where,
                    "what": one.what,
                    "cure": one.cure,
                    "options": one.options,
                    "kept": None if one.kept is None else written(one.kept),
                }
                for one in found.findings
            ],
            "options": found.options,
        }
    )


def _options(options: Mapping[str, Any]) -> Iterator[str]:
    """Options as they are typed."""
    for name, value in options.items():
        if name == "missing_values":
            yield from (_typed("--missing-value", str(one)) for one in value)
        elif isinstance(value, bool):
            yield f"--no-{name}"
        else:
            names = [called for called, blank in BLANKS.items() if blank == value]
            yield _typed(f"--{name.replace('_', '-')}", names[0] if names else str(value))


def _as_typed(line: str) -> str:
    """A finding in the words of the command line."""
    for called, blank in BLANKS.items():
        line = line.replace(repr(blank), called)
    return as_options(line)


def _where(kept: Predicate) -> str:
    """A condition in quotes that a shell leaves as it is."""
    from leastnoise.plans.conditions import written

    condition = written(kept)
    plain = "'" in condition and not set(condition) & {*'"`$\\!'}
    return f'--where "{condition}"' if plain else f"--where {quote(condition)}"


def _typed(option: str, value: str) -> str:
    """What begins with a minus would be taken for an option."""
    return f"{option}{'=' if value.startswith('-') else ' '}{quote(value)}"
