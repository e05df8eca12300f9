"""``leastnoise budget``: what a ledger has spent, on what, and whether its history is whole."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter
from rich.text import Text

from leastnoise.cli import show
from leastnoise.cli.names import RelationName
from leastnoise.errors import ParameterError

if TYPE_CHECKING:
    from leastnoise.accounting import Ledger
    from leastnoise.accounting.export import ChargeLine
    from leastnoise.guarantees import Guarantee


def budget(
    ledger: str,
    /,
    *,
    init: str | None = None,
    epsilon: str | None = None,
    delta: str | None = None,
    rho: str | None = None,
    relation: RelationName | None = None,
    unit: str | None = None,
    reason: str | None = None,
    note: str | None = None,
    verify: Annotated[list[str] | None, Parameter(consume_multiple=True)] = None,
    anchor: str | None = None,
    export: str | None = None,
    as_json: Annotated[bool, Parameter(name="--json", show_default=False)] = False,
) -> None:
    """Show what a ledger has spent and what is left, release by release.

    leastnoise budget pay.db --init pay-2026 --epsilon 2

    makes a new ledger, and leastnoise release ... --ledger pay.db --dataset pay-2026 spends from
    it. Every look checks all entries against one another.

    Parameters
    ----------
    ledger
        The file of the ledger.
    init
        Make a new ledger for the data set of this name. An existing file is never touched.
    epsilon
        The budget: with --init of a new ledger, with --reason the new one of an existing ledger.
    delta
        The failure probability in the budget, for mechanisms that need one.
    rho
        A budget of zero-concentrated privacy in the place of epsilon.
    relation
        With --init: whom it protects. replace-one: whatever one row contains. add-remove: whether
        one row is there. edit: both. Default: replace-one.
    unit
        With --init: what one person contributes. Default: row.
    reason
        Why the budget is changed; kept in the history.
    note
        A remark for the history.
    verify
        Records of releases or anchors, as JSON files: any that is later than a restored older copy
        exposes the copy.
    anchor
        Write the present state to this JSON file, to keep elsewhere for --verify.
    export
        Write the whole history to this .json or .csv file.
    as_json
        Print the sums and the releases as JSON and nothing else.
    """
    from leastnoise.accounting import Ledger

    limit = _limit(epsilon, delta, rho)
    if init is not None:
        if limit is None:
            raise ParameterError("the budget is missing: give --epsilon (and --delta), or --rho")
        if reason is not None:
            raise ParameterError("--reason is for changing the budget; omit it with --init")
        opened = Ledger.create(
            ledger,
            dataset=init,
            budget=limit,
            relation="replace-one" if relation is None else relation,
            unit=unit,
        )
    else:
        if relation is not None or unit is not None:
            raise ParameterError(
                "the relation and unit of a ledger never change: give --relation and --unit with "
                "--init"
            )
        if (limit is None) != (reason is None):
            raise ParameterError(
                "to change the budget, give the new one and --reason; to make a ledger, give --init"
            )
        opened = Ledger.open(ledger)
    with closing(opened):
        if init is None and limit is not None and reason is not None:
            opened.change_budget(limit, reason=reason)
        if note is not None:
            opened.note(note)
        checked = opened.verify(*(Path(file) for file in verify or ()))
        if anchor is not None:
            _write(anchor, show.json_text(opened.anchor()))
        if export is not None:
            _write(export, _history(opened, export))
        if as_json:
            show.json(_summary(opened, checked))
        else:
            _show(opened, checked, verify or ())


def _limit(epsilon: str | None, delta: str | None, rho: str | None) -> Guarantee | None:
    """The budget that the options name, or None."""
    from leastnoise.cli.requests import parse_text
    from leastnoise.guarantees import ZCDP, ApproxDP, PureDP
    from leastnoise.params import parse_delta, parse_epsilon

    if rho is not None:
        if epsilon is not None or delta is not None:
            raise ParameterError("a budget is kept in rho or in epsilon: give only one of them")
        return ZCDP(parse_text(parse_epsilon, rho, "rho"))
    if epsilon is None:
        if delta is not None:
            raise ParameterError("--delta needs --epsilon as well")
        return None
    size = parse_text(parse_epsilon, epsilon, "epsilon")
    if delta is None:
        return PureDP(size)
    return ApproxDP(size, parse_text(parse_delta, delta, "delta"))


def _history(ledger: Ledger, path: str) -> str:
    match Path(path).suffix.lower():
        case ".json":
            return ledger.to_json()
        case ".csv":
            return ledger.to_csv()
        case _:
            raise ParameterError(f"{path}: write the history as .json or .csv")


def _write(path: str, text: str) -> None:
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise ParameterError(f"{path} cannot be written: {error.strerror}") from None


def _summary(ledger: Ledger, checked: int) -> dict[str, Any]:
    """Plain values for a program."""
    from leastnoise.record import protection

    return {
        "ledger": ledger.path,
        "dataset": ledger.dataset,
        "budget": ledger.budget.to_dict(),
        "spent": ledger.spent.to_dict(),
        "remaining": ledger.remaining.to_dict(),
        "protects": protection(ledger.scope),
        "entries": checked,
        "head": ledger.head,
        "releases": [
            {
                "entry": line.entry,
                "time": line.time,
                "table": line.table,
                "statistic": line.statistic,
                "column": line.column,
                "mechanism": line.mechanism,
                "charged": line.charged.to_dict(),
                "purpose": line.purpose,
                "released": line.released,
            }
            for line in ledger.charges
        ],
    }


def _show(ledger: Ledger, checked: int, evidence: Sequence[str]) -> None:
    """A table of releases, then the sums and what they protect."""
    from leastnoise.record import protection

    names = list(ledger.spent.numbers)
    lines = ledger.charges
    shown = show.table(
        "entry", "time (UTC)", "released", *names, "purpose", right=[0, *range(3, 3 + len(names))]
    )
    for line in lines:
        numbers = line.charged.numbers
        amounts = [show.exact(numbers[n]) if n in numbers else "0" for n in names]
        time = line.time[:16].replace("T", " ")
        purpose = Text(show.clean(line.purpose or ""))
        shown.add_row(str(line.entry), time, Text(_what(line)), *amounts, purpose)
    whole = "hashes and sums are correct"
    if evidence:
        whole += f", and match {', '.join(evidence)}"
    facts = [
        ("data set", ledger.dataset),
        ("budget", _amount(ledger, ledger.budget.numbers())),
        ("spent", _amount(ledger, ledger.spent.numbers)),
        ("remaining", _amount(ledger, ledger.remaining.numbers)),
        ("protects", protection(ledger.scope).removeprefix("protects ")),
        ("checked", f"{checked} {'entry' if checked == 1 else 'entries'}: {whole}"),
        ("note", "no refunds: a release that was interrupted stays charged"),
    ]
    if not lines:
        show.write(Text("nothing has been released yet"), "", show.facts(facts))
    else:
        show.write(shown, "", show.facts(facts))


def _what(line: ChargeLine) -> str:
    """Statistic, column and table in words."""
    words = "".join(f" {c.lower()}" if c.isupper() else c for c in line.statistic).strip()
    of = "rows" if line.column is None else line.column
    text = f"{words or 'release'} of {of}"
    if line.table != "main":
        text += f" ({line.table})"
    return show.clean(text if line.released else f"{text}, interrupted")


def _amount(ledger: Ledger, numbers: dict[str, Fraction]) -> str:
    """Numbers in words; a share of the budget where it is one number."""
    text = ", ".join(f"{name} = {show.exact(value)}" for name, value in numbers.items())
    limits = ledger.budget.numbers()
    if len(limits) == 1 and numbers != limits:
        (name,) = limits
        text += f" ({float(numbers[name] / limits[name]):.0%} of the budget)"
    return text
