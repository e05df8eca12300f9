"""``leastnoise sql``: a question in SQL about a private file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from leastnoise.cli import show
from leastnoise.cli.names import RelationName
from leastnoise.cli.reading import PLAIN_FILE, FileOptions
from leastnoise.errors import LeastNoiseError, ParameterError
from leastnoise.sql.asking import Asking, table_name

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from leastnoise.sql.answer import Answer
    from leastnoise.sql.run import Prepared
    from leastnoise.sql.text import Query, QueryError

_PLAIN = Asking()
# Of one table in the terminal.
_MOST_LINES = 200


def sql(
    *arguments: str,
    asking: Annotated[Asking, Parameter(name="*", show_default=False)] = _PLAIN,
    relation: RelationName | None = None,
    unit: str | None = None,
    max_rows: str | None = None,
    missing: str | None = None,
    ledger: str | None = None,
    dataset: str | None = None,
    table: str | None = None,
    as_json: Annotated[bool, Parameter(name="--json", show_default=False)] = False,
    as_csv: Annotated[bool, Parameter(name="--csv", show_default=False)] = False,
    reading: FileOptions = PLAIN_FILE,
) -> None:
    """Answer a question in SQL about CSV or Parquet files with differential privacy.

    leastnoise sql pay.csv "SELECT region, COUNT(*), MEDIAN(pay) FROM pay GROUP BY region" --schema
    schema.toml --epsilon 1

    docs/sql.md describes the language and the schema. Every call spends its epsilon anew.

    Parameters
    ----------
    arguments
        The file, then the query, or a file of it whose name ends in .sql. A pattern in quotes,
        'pay/*.parquet', is one table of many files of the same columns. Of several files FROM names
        the one that is meant: pay.csv is pay.
    asking
        How the query is asked.
    relation
        Which data sets are neighbours; see leastnoise release.
    unit
        The column that names persons, if persons are protected and not single rows.
    max_rows
        With --unit: how many rows of one person are used at most.
    missing
        Missing and unparsable values: drop, none, or a number to put in their place.
    ledger
        A ledger file: the query is charged to it before the data is read, or refused.
    dataset
        The declared name of the data set, as the ledger knows it.
    table
        Which table of the same persons this file is; all share the budget. Default: main.
    as_json
        Print the answer and its records as JSON and nothing else.
    as_csv
        Print the answer as comma-separated values and nothing else.
    reading
        How the file is read.
    """
    from leastnoise.accounting import SchemaChangedWarning
    from leastnoise.cli.requests import check_file, parse_policy
    from leastnoise.cli.rows import Rows
    from leastnoise.session import open
    from leastnoise.sql.options import option, read_options
    from leastnoise.sql.schema import load_schema
    from leastnoise.sql.text import QueryError, read_query

    if as_json and as_csv:
        raise ParameterError("--json and --csv are two forms of one answer: give one of them")
    files, text = _given(arguments)
    for one in (*files, *(asking.public or ())):
        check_file(one)
    try:
        query = read_query(text)
    except QueryError as error:
        raise _told_with_names(files, text, reading, error) from None
    facts = asking.facts(query)
    tables = load_schema(asking.schema).tables
    file, asked = _chosen(files, query, tables), read_options(query)
    persons = Rows(unit=unit, max_rows=max_rows).persons()
    if unit is None and asked.privacy_unit_column is not None:
        if asked.max_rows_contributed is None and "max_rows" not in facts.opening:
            query.refuse(
                option(query, "privacy_unit_column"),
                "how many rows of one person are used at most? Write it from public knowledge: "
                "OPTIONS (max_rows_contributed = 2)",
            )
        persons = {"unit": asked.privacy_unit_column, "max_rows": asked.max_rows_contributed}
    given: dict[str, Any] = {
        "relation": relation,
        "missing": parse_policy(missing),
        "ledger": ledger,
        "dataset": dataset,
        "table": table,
        **persons,
    }
    if table is None and len(files) > 1 and "table" not in facts.opening:
        given["table"] = table_name(file)  # each of them is a table of its own in the ledger
    chosen = {name: value for name, value in given.items() if value is not None}
    read = {**facts.reading, **reading.given()}  # options of the command come before the schema
    if missing is not None:
        facts = replace(facts, opening={**facts.opening, "missing": chosen["missing"]})
    facts = replace(facts, reading={name: read[name] for name in facts.reading})
    show.check_output()
    with (
        show.warnings_of(SchemaChangedWarning),
        open(file, **{**read, **facts.opening, **chosen}) as data,
    ):
        prepared = asking.prepared(data, text, facts)
        if asking.dry_run:
            _show_check(prepared, as_json)
            return
        answer = asking.answer(prepared)
    with show.delivery(answer.records, "give the same command with --reuse, at no charge"):
        _show(answer, as_json, as_csv)


def _told_with_names(
    files: Sequence[str], text: str, reading: FileOptions, error: QueryError
) -> QueryError:
    """Why a query cannot be read, with the names of columns that need quotes in it."""
    from leastnoise.session import open
    from leastnoise.sql.text import QueryError

    try:
        with open(files[0], **reading.given()) as data:
            data.prepare_sql(text)
    except QueryError as told:
        return told
    except LeastNoiseError:  # it is opened in vain
        pass
    return error


def _chosen(files: Sequence[str], query: Query, tables: Collection[str]) -> str:
    """The file that a query is about: the only one, or that which FROM names."""
    from leastnoise.sql.from_clause import private_table
    from leastnoise.sql.relations import same

    names = [table_name(file) for file in files]
    node = private_table(query)
    called = "" if node is None else node.name
    if len(files) == 1:
        if same(names[0], tables) and not same(called, names):
            query.refuse(
                node,
                f"{called} is another table of the schema than that of the file: write FROM "
                f"{names[0]}, or give the file of {called}",
            )
        return files[0]
    found = [file for file, name in zip(files, names, strict=True) if same(called, [name])]
    if len({Path(file).resolve() for file in found}) < len(found):
        query.refuse(node, f"{found[0]} is given twice: leave one of them out")
    if len(found) > 1:
        query.refuse(
            node,
            f"{' and '.join(found)} are both called {called}: give one of them alone, or rename "
            "it; as one table they are given by a pattern in quotes, 'pay-*.csv'",
        )
    if not found:
        query.refuse(node, f"FROM takes one of the files, {', '.join(names)}")
    return found[0]


def _given(arguments: tuple[str, ...]) -> tuple[Sequence[str], str]:
    """The files and the text of the query."""
    if len(arguments) < 2:
        raise ParameterError(
            'give a file and a query in quotes: leastnoise sql pay.csv "SELECT COUNT(*) FROM pay"; '
            "public tables are named in the schema, or by --public"
        )
    *files, text = arguments
    for file in files:
        if file.split()[:1] and file.split()[0].upper() in ("SELECT", "WITH"):
            raise ParameterError(
                "two queries are given: give files first, and then one query in quotes"
            )
    if text.endswith(".sql"):
        try:
            text = Path(text).read_text(encoding="utf-8-sig")
        except OSError as error:
            raise ParameterError(f"{text} cannot be read: {error.strerror}") from None
        except UnicodeDecodeError:
            raise ParameterError(f"{text} is not UTF-8 text") from None
    return files, text


def _show_check(prepared: Prepared, as_json: bool) -> None:
    """The charge of a query, and whether it fits."""
    cost = prepared.cost()
    if as_json:
        left = {} if cost.left is None else {"left": cost.left.to_dict(), "fits": cost.fits}
        show.json({"charges": [one.to_dict() for one in cost.charges], **left})
        return
    show.write(show.facts(cost.facts()))


def _show(answer: Answer, as_json: bool, as_csv: bool) -> None:
    from leastnoise.record.flat import shown
    from leastnoise.sql.answer import written_truth

    if as_json:
        show.json(answer.to_dict())
        return
    if as_csv:
        print(answer.to_csv(), end="")
        return
    numeric = [
        i
        for i in range(len(answer.columns))
        if not any(isinstance(row[i], (str, bool)) for row in answer.rows)
    ]
    drawn = show.table(*(show.clean(name) for name in answer.columns), right=numeric)
    for row in answer.rows[:_MOST_LINES]:
        drawn.add_row(*(show.clean(shown(written_truth(entry))) for entry in row))
    if len(answer.rows) > _MOST_LINES:
        drawn.add_row(f"... {len(answer.rows) - _MOST_LINES} more lines")
    first, charged = answer.records[0], answer.charged
    lines = [
        ("guarantee", show.guarantee(answer.records, answer.guarantee)),
        ("protects", first.protects.removeprefix("protects ")),
        ("not protected", first.not_protected),
        ("budget", first.tracked if charged is None else f"{first.tracked}: {charged}"),
    ]
    show.write(drawn, "", show.facts(lines))
