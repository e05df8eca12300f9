"""``leastnoise release``: publish statistics of one column of a file."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from leastnoise.cli import show
from leastnoise.cli.names import IntervalOf, MechanismName, RelationName, StatisticName
from leastnoise.cli.reading import PLAIN_FILE, FileOptions


def release(
    file: str,
    /,
    *,
    stat: list[StatisticName],
    epsilon: str,
    column: str | None = None,
    bounds: tuple[str, str] | None = None,
    q: Annotated[list[str] | None, Parameter(consume_multiple=True)] = None,
    bins: Annotated[list[str] | None, Parameter(consume_multiple=True)] = None,
    categories: Annotated[list[str] | None, Parameter(consume_multiple=True)] = None,
    against: str | None = None,
    interval: str | None = None,
    interval_of: IntervalOf | None = None,
    weights: Annotated[list[str] | None, Parameter(consume_multiple=True)] = None,
    relation: RelationName | None = None,
    where: str | None = None,
    group_by: Annotated[list[str] | None, Parameter(consume_multiple=True)] = None,
    keys: Annotated[list[str] | None, Parameter(consume_multiple=True)] = None,
    unit: str | None = None,
    max_rows: str | None = None,
    max_groups: str | None = None,
    other: Annotated[bool, Parameter(show_default=False)] = False,
    mechanism: MechanismName | None = None,
    delta: str | None = None,
    missing: str | None = None,
    step: str | None = None,
    labels: Annotated[bool, Parameter(show_default=False)] = False,
    ledger: str | None = None,
    dataset: str | None = None,
    table: str | None = None,
    purpose: str | None = None,
    reuse: Annotated[bool, Parameter(show_default=False)] = False,
    as_json: Annotated[bool, Parameter(name="--json", show_default=False)] = False,
    reading: FileOptions = PLAIN_FILE,
) -> None:
    """Publish statistics of a column of a CSV or Parquet file with differential privacy.

    leastnoise release pay.csv --stat median --column pay --bounds 0 500000 --epsilon 1

    Every call spends its epsilon anew, and the epsilons of all calls on the same data add up.

    Parameters
    ----------
    file
        A .csv, .tsv, .txt (each also .gz) or .parquet file.
    stat
        What to publish; may repeat, and epsilon is then split.
    epsilon
        The privacy parameter of the whole call, such as 1, 0.5 or 1/2; smaller is more private.
    column
        The column; a count without it counts all rows.
    bounds
        Public limits of the column, two numbers, dates or durations (2024-01-31, 2h): from public
        knowledge, never from the data.
    q
        The order of a quantile, from 0 to 1; several for quantiles.
    bins
        The edges of a histogram's bins, increasing; the outer ones may be inf.
    categories
        The labels of the column that count, for a histogram instead of bins, a mode or a cross-tab:
        from public knowledge, like the bins. One word of the shell each, commas included:
        "Washington, DC" "Bonn".
    against
        The second column of a cross-tab with its labels, from public knowledge, such as sex=f,m;
        written like keys.
    interval
        How sure an interval beside each value is to hold the exact value, such as 0.95; value and
        interval share epsilon.
    interval_of
        What the interval holds: the statistic of the "data" at hand (the default) or, for a mean,
        a share or a quantile, that of the "population" of which the rows are a random sample.
    weights
        How epsilon is split, one number a statistic. Default: evenly.
    relation
        Which data sets are neighbours. replace-one: one row is changed and the number of rows is
        public. add-remove: one row more or less. edit: either. Default: the ledger's, or
        replace-one.
    where
        The rows to use, such as 'age >= 18 and state in ["N", "S"]'; a name with blanks or signs
        stands in backticks.
    group_by
        Columns by which the rows are divided; epsilon is what the whole table is charged.
    keys
        The keys of each of these columns, from public knowledge, such as sex=f,m. A key with a
        comma stands in double quotes, as in CSV: 'town="Washington, DC",Bonn'.
    unit
        The column that names persons, if persons are protected and not single rows.
    max_rows
        With --unit: how many rows of one person are used at most; private: found privately.
    max_groups
        With --unit and --group-by: in how many groups the rows of one person are used at most;
        private: found privately.
    other
        With --group-by: the rows of no declared key are a group too, the last one.
    mechanism
        Default: the statistic's own, by a public rule.
    delta
        The failure probability of smooth-laplace, gaussian or discrete-gaussian, for the whole
        call.
    missing
        Missing and unparsable values: drop (their rows), none (declares that there are none; any
        count as the midpoint of the bounds), or a number to put in their place. Default: drop,
        for columns that can hold missing values.
    step
        Spacing of the values, such as 1 for whole numbers in a text file; answers are multiples.
    labels
        For a count of the entries of a column: count any that is not missing, such as a label. Of a
        text file a count reads numbers else.
    ledger
        A ledger file: the call is charged to it before the data is read, or refused.
    dataset
        The declared name of the data set, as the ledger knows it.
    table
        Which table of the same persons this file is; all share the budget. Default: main.
    purpose
        Why, for the history of the ledger.
    reuse
        Give the answer of the same earlier request again, at no cost, if the ledger has one.
    as_json
        Print the records as a JSON list, groups as an object, and nothing else.
    reading
        How the file is read.
    """
    from leastnoise.accounting import SchemaChangedWarning
    from leastnoise.cli.requests import Budget, Question, answer
    from leastnoise.cli.rows import Rows

    question = Question(
        file=file,
        names=stat,
        column=column,
        bounds=bounds,
        q=q or (),
        bins=bins or (),
        categories=categories or (),
        against=against,
        step=step,
        labels=labels,
        missing=missing,
        interval=interval,
        interval_of=interval_of,
        reading=reading.given(),
    )
    budget = Budget(
        epsilon=epsilon,
        delta=delta,
        weights=weights or (),
        mechanism=mechanism,
        relation=relation,
        ledger=ledger,
        dataset=dataset,
        table=table,
        purpose=purpose,
        reuse=reuse,
    )
    rows = Rows(where, group_by or (), keys or (), unit, max_rows, max_groups, other)
    show.check_output()
    with show.warnings_of(SchemaChangedWarning):
        made = answer(question, budget, rows)
    records = [record for row in made.rows() for record in row.records.values()]
    with show.delivery(records, "give the same command with --reuse, at no charge"):
        if as_json:
            show.json(made.to_dict() if made.by else [record.to_dict() for record in records])
        elif made.by:
            show.groups(made)
        else:
            show.releases(records, orders=q or ())
