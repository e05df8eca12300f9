"""``leastnoise plan``: many tables from one file, under one budget, with a report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from leastnoise.cli import show
from leastnoise.cli.outputs import check_free, check_writable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leastnoise.plans.forecast import Expected
    from leastnoise.plans.run import Outcome, Prepared


# Of one table in the terminal; the report has all.
_MOST_LINES = 200


def plan(
    file: str,
    /,
    *,
    data: str | None = None,
    out: str | None = None,
    dry_run: Annotated[bool, Parameter(show_default=False)] = False,
    stand_in: str | None = None,
    target_error: str | None = None,
    overwrite: Annotated[bool, Parameter(show_default=False)] = False,
    as_json: Annotated[bool, Parameter(name="--json", show_default=False)] = False,
) -> None:
    """Publish all tables of a plan, with a report for people and JSON for programs.

    leastnoise plan hours.toml

    The plan is checked whole, then charged in one step, then read and drawn. It writes NAME.html, a
    page that needs nothing else, and NAME.json, all records.

    Parameters
    ----------
    file
        The plan, a .toml file; docs/tables.md describes it.
    data
        The data file, instead of the one that the plan names.
    out
        Where the report and the records go, without an ending. Default: the plan's own name.
    dry_run
        Check everything and show what would be charged; nothing is spent and no value is read.
    stand_in
        A PUBLIC or synthetic file with the same columns: shows the error to expect, without
        spending anything. Never the private file.
    target_error
        With --stand-in: the epsilon at which each statistic has this expected error, in its unit.
    overwrite
        Write over an earlier report.
    as_json
        Print the records, or what a dry run found, as JSON and nothing else.
    """
    from leastnoise.accounting import SchemaChangedWarning
    from leastnoise.cli.requests import parse_text
    from leastnoise.errors import ParameterError
    from leastnoise.params import parse_epsilon
    from leastnoise.plans.plan import load_plan
    from leastnoise.plans.run import prepare

    if target_error is not None and stand_in is None:
        raise ParameterError("--target-error needs a --stand-in, a public file: give it too")
    target = (
        None if target_error is None else parse_text(parse_epsilon, target_error, "target-error")
    )
    chosen = load_plan(file, file=data)
    expected: list[Expected] = []
    if stand_in is not None:
        from leastnoise.plans.forecast import forecast

        with show.progress("expected errors", after=2.0) as step:
            expected = forecast(chosen, Path(stand_in), target, step)
    look = dry_run or stand_in is not None
    page, records = _outputs(file, out, overwrite or look)
    if not look:
        show.check_output()
        check_writable("--out", page, records)
    with show.warnings_of(SchemaChangedWarning), prepare(chosen) as prepared:
        if look:
            _show_check(prepared, expected, as_json)
            return
        with show.progress("releasing", after=2.0) as step:
            outcome = prepared.release(step)
    again = "set reuse = true under [privacy] and run the plan again, at no charge"
    with show.delivery(outcome.records, again):
        _write(outcome, page, records)
        if as_json:
            show.json(outcome.to_dict())
            return
        for table in outcome.tables:
            show.write(table.plan.title, "", show.values(table.releases, _MOST_LINES), "")
        lines = [
            ("whole report", outcome.promise),
            ("not protected", outcome.records[0].not_protected),
            ("budget", outcome.tracked),
        ]
        if outcome.remaining is not None:
            lines.append(("left", outcome.remaining))
        show.write(show.facts([*lines, ("report", str(page)), ("records", str(records))]))


def _outputs(file: str, out: str | None, overwrite: bool) -> tuple[Path, Path]:
    """Where the page and the records go; refused now, not when the budget is spent."""
    base = Path(file).with_suffix("") if out is None else Path(out)
    found = base.with_name(f"{base.name}.html"), base.with_name(f"{base.name}.json")
    for path in found:
        check_free(path, "--out", overwrite)
    return found


def _write(outcome: Outcome, page: Path, records: Path) -> None:
    """Write both files; if that fails, the numbers that were paid for still come out."""
    from leastnoise.plans.report import render

    text = show.json_text(outcome.to_dict())
    try:
        records.write_text(text + "\n", encoding="utf-8")
        page.write_text(render(outcome), encoding="utf-8")
    except OSError as error:
        where = error.filename or f"{page} or {records}"
        show.error(f"{where} cannot be written: {error.strerror}; the records follow")
        print(text)


def _show_check(prepared: Prepared, expected: Sequence[Expected], as_json: bool) -> None:
    """The cost of the plan, and the errors to expect."""
    from leastnoise.accounting.budget import told_left

    plan = prepared.plan
    if as_json:
        show.json(
            {
                "plan": plan.title,
                "charge": prepared.charge.to_dict(),
                "tables": [
                    {
                        "name": table.name,
                        "epsilon_per_group": str(prepared.epsilons[table.name]),
                        "charge": prepared.batch.charge(table.name).to_dict(),
                    }
                    for table in plan.tables
                ],
                "expected": [_expected(one) for one in expected],
            }
        )
        return
    costs = show.table("table", "statistics", "each group gets", "charge", right=(1,))
    for table in plan.tables:
        costs.add_row(
            show.clean(table.title),
            str(len(table.statistics)),
            f"epsilon {show.exact(prepared.epsilons[table.name])}",
            str(prepared.batch.charge(table.name)),
        )
    show.write(costs, "")
    if expected:
        errors = show.table(
            *("table", "statistic", "epsilon", "expected error", "worst group", "for the target"),
            right=(2, 3, 4, 5),
        )
        for one in expected:
            errors.add_row(
                show.clean(one.table),
                show.clean(one.statistic),
                show.exact(one.epsilon),
                "-" if one.typical is None else show.number(one.typical, 3),
                "-" if one.worst is None else show.number(one.worst, 3),
                _proposal(one),
            )
        show.write(errors, "")
    lines = [("charge", f"{prepared.charge} for the whole plan; nothing was spent")]
    if prepared.session.ledger is not None:
        left = prepared.session.ledger.remaining
        lines.append(("left", told_left(left, [prepared.charge])))
    if expected:
        lines.append(("expected error", STAND_IN))
        lines += [
            ("no formula", f"{one.statistic}: {one.reason}") for one in expected if one.reason
        ]
    show.write(show.facts(lines))


STAND_IN = (
    "mean distance of an answer from the value on the stand-in: the median over its groups, and "
    "the largest. NOT PRIVATE: shown only because the stand-in is declared public"
)


def _proposal(one: Expected) -> str:
    if one.target is None:
        return ""
    if one.needed is None:
        return f"{show.exact(one.target)}: out of reach" if not one.reason else "-"
    return f"{show.exact(one.target)}: epsilon {show.exact(one.needed)}"


def _expected(one: Expected) -> dict[str, Any]:
    return {
        "table": one.table,
        "statistic": one.statistic,
        "epsilon": str(one.epsilon),
        "typical_error": one.typical,
        "worst_error": one.worst,
        "groups": one.groups,
        "target_error": None if one.target is None else str(one.target),
        "needed_epsilon": None if one.needed is None else str(one.needed),
        "reason": one.reason,
    }
