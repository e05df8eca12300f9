"""``leastnoise describe``: what an unknown file holds, for one epsilon."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from leastnoise.cli import show
from leastnoise.cli.names import RelationName
from leastnoise.cli.outputs import check_free, check_writable
from leastnoise.cli.reading import PLAIN_FILE, FileOptions

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from leastnoise.session.describing.outline import Outline

Format = Literal["text", "markdown", "html", "json"]
_MANY_ROWS = 1000


def describe(
    file: str,
    /,
    *,
    epsilon: str,
    delta: str | None = None,
    person: str | None = None,
    max_rows: str | None = None,
    columns: Annotated[list[str] | None, Parameter(consume_multiple=True)] = None,
    weights: Annotated[list[str] | None, Parameter(consume_multiple=True)] = None,
    column_weights: Annotated[list[str] | None, Parameter(consume_multiple=True)] = None,
    labels: Annotated[list[str] | None, Parameter(consume_multiple=True)] = None,
    relation: RelationName | None = None,
    where: str | None = None,
    format: Format = "text",
    output: str | None = None,
    write_plan: str | None = None,
    write_schema: str | None = None,
    overwrite: Annotated[bool, Parameter(show_default=False)] = False,
    dry_run: Annotated[bool, Parameter(show_default=False)] = False,
    ledger: str | None = None,
    dataset: str | None = None,
    table: str | None = None,
    purpose: str | None = None,
    reuse: Annotated[bool, Parameter(show_default=False)] = False,
    reading: FileOptions = PLAIN_FILE,
) -> None:
    """Describe a private file of which nothing is known, with differential privacy.

    leastnoise describe pay.csv --epsilon 2 --delta 1e-6

    It says of each column how many entries are missing, what they read as and how many differ; of
    numbers quartiles, limits and mean, of dates quartiles and limits, of labels the most frequent
    ones; and how many rows there are. How epsilon is split over all that is printed first, on
    standard error.

    Parameters
    ----------
    file
        A .csv, .tsv, .txt (each also .gz) or .parquet file.
    epsilon
        What the whole description is charged; smaller is more private.
    delta
        What finding labels is charged, far below one over the number of persons. Without it labels
        are only shown where --labels declares them.
    person
        The column that names persons, if persons are protected and not single rows.
    max_rows
        With --person: how many rows of one are used at most. Default: 1000. A released number says
        how many really are.
    columns
        The columns to describe. Default: all.
    weights
        How epsilon is split over facts, such as quartiles=4 mean=0; 0 leaves one out.
    column_weights
        How it is split over columns, such as pay=3; others have 1.
    labels
        Declared labels of columns, such as sex=f,m: they need no delta.
    relation
        Which data sets are neighbours; see leastnoise release. Default: the ledger's, or
        add-remove, under which the number of rows is private.
    where
        The rows to describe, such as 'age >= 18'.
    format
        What is written: text, markdown, html (one page with small pictures), or json.
    output
        A file to write instead of standard output.
    write_plan
        A plan file to write, with the limits and labels that were found: for leastnoise plan.
    write_schema
        A schema to write, with the same: for leastnoise sql.
    overwrite
        Write over earlier files.
    dry_run
        Show how epsilon would be split; nothing is spent and no value is read.
    ledger, dataset, table, purpose, reuse
        As for leastnoise release.
    reading
        How the file is read. What the line of names tells is found without an option.
    """
    from leastnoise.accounting import SchemaChangedWarning
    from leastnoise.cli.requests import check_file
    from leastnoise.cli.rows import Rows, parse_declared
    from leastnoise.errors import ParameterError
    from leastnoise.frames.readers.by_header import options_by_header
    from leastnoise.session import open

    check_file(file)
    given = reading.given()
    found = options_by_header(file, given)
    if max_rows is not None and person is None:
        raise ParameterError("--max-rows is for persons: give --person COLUMN as well")
    if (ledger is None) != (dataset is None):
        raise ParameterError("give --ledger and --dataset together, or neither")
    if ledger is None and (table or purpose or reuse):
        raise ParameterError("--table, --purpose and --reuse are for a --ledger: give it too")
    most = str(_MANY_ROWS) if person is not None and max_rows is None else max_rows
    rows = Rows(where=where, unit=person, max_rows=most)
    options: dict[str, Any] = {
        "relation": relation,
        "ledger": ledger,
        "dataset": dataset,
        "table": table,
        **rows.persons(),
    }
    asked: dict[str, Any] = {
        "epsilon": epsilon,
        "delta": delta,
        "columns": columns,
        "weights": {name.replace("-", " "): w for name, w in _numbers(weights, "weights").items()},
        "column_weights": _numbers(column_weights, "column-weights"),
        "labels": dict(
            parse_declared(text, "--labels", "--labels sex=f,m") for text in labels or ()
        ),
    }
    chosen = {name: value for name, value in options.items() if value is not None}
    condition = rows.subset()["where"]
    places = {
        "--output": output,
        "--write-plan": write_plan,
        "--write-schema": write_schema,
    }
    files = {option: Path(name) for option, name in places.items() if name is not None}
    for option, path in files.items():
        check_free(path, option, overwrite or dry_run)
    with (
        show.warnings_of(SchemaChangedWarning),
        open(file, **{**given, **found, **chosen}) as data,
    ):
        view = data if condition is None else data.where(condition)
        prepared = view.prepare_description(**{n: v for n, v in asked.items() if v})
        if dry_run:
            show.write(_split(prepared.outline, found))
            return
        show.check_output()
        for option, path in files.items():
            check_writable(option, path)
        show.console(stderr=True).print(_split(prepared.outline, found))
        with show.progress("describing", after=2.0) as step:
            made = prepared.release(purpose=purpose, reuse=reuse, progress=step)
    with show.delivery(made.records, "give the same command with --reuse, at no charge"):
        text = {
            "text": made.to_text,
            "markdown": made.to_markdown,
            "html": made.to_html,
            "json": lambda: show.json_text(made.to_dict()) + "\n",
        }[format]()
        if output is None:
            print(text, end="")
        if write_plan is not None:
            from leastnoise.plans.described import plan_of

            written = plan_of(made, file=file, reading={**given, **found}, beside=write_plan)
            _write(files["--write-plan"], written)
        if write_schema is not None:
            from leastnoise.plans.described import schema_of, undeclared

            _write(files["--write-schema"], schema_of(made, reading={**given, **found}))
            why = undeclared(made)
            if why is not None:
                note = f"{write_schema}: {show.clean(why)}"
                show.console(stderr=True).print(note, soft_wrap=True)
        if output is not None:
            _write(files["--output"], text)
            show.write(show.facts([("description", output)]))


def _write(path: Path, text: str) -> None:
    """Write a file; if that fails, what was paid for is printed."""
    try:
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        show.error(f"{path} cannot be written: {error.strerror}; its text follows")
        print(text, end="")


def _numbers(given: Sequence[str] | None, option: str) -> dict[str, str]:
    """Numbers by name, written "pay=3"."""
    from leastnoise.errors import ParameterError

    found: dict[str, str] = {}
    for text in given or ():
        name, sign, number = text.rpartition("=")
        if not sign or not name.strip():
            raise ParameterError(f"--{option} {text!r} names nothing: write it like pay=3")
        found[name.strip()] = number
    return found


def _split(outline: Outline, arguments: dict[str, Any]) -> Any:
    """How epsilon is split, before it is spent."""
    by_column: dict[str, list[tuple[str, Fraction]]] = {}
    for column, fact, share in outline.split():
        by_column.setdefault(column, []).append((fact, share))
    drawn = show.table("column", "facts and their shares of epsilon")
    for column, facts in by_column.items():
        shares = ", ".join(f"{fact} {float(share):.3g}" for fact, share in facts)
        drawn.add_row(show.clean(column) or "(the table)", show.clean(shares))
    total = f"epsilon {show.exact(outline.epsilon)}"
    if outline.delta is not None:
        total += f", delta {show.exact(outline.delta)}"
    drawn.add_row("(all)", total)
    for name, value in arguments.items():
        drawn.add_row(f"({name})", f"{show.clean(repr(value))}, as the line of names tells")
    return drawn
