"""``leastnoise audit``: attack every privacy claim of this installation by enumeration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from leastnoise.cli import show
from leastnoise.cli.names import RelationName
from leastnoise.errors import ParameterError

if TYPE_CHECKING:
    from leastnoise.audit import MatrixRow
    from leastnoise.audit.peers.check import Outcome

VIOLATION, NOT_RUN = 1, 2
NOT_PROVED_PEER = (
    "A pass covers these calls on these pairs only. Losses are exact where noise was replayed, and "
    "lower bounds at confidence 1 - 1e-8 where outputs were sampled."
)
_FLAG = Parameter(show_default=False)


def audit(
    *,
    statistic: list[str] | None = None,
    mechanism: list[str] | None = None,
    relation: list[RelationName] | None = None,
    epsilon: list[str] | None = None,
    quick: Annotated[bool, _FLAG] = False,
    peer: str | None = None,
    as_json: Annotated[bool, Parameter(name="--json", show_default=False)] = False,
) -> int:
    """Compare the laws of all neighbouring data sets of small universes, in exact arithmetic.

    Reads no data of yours. Exit code 1 when a claim does not hold: that would be a privacy bug.

    Parameters
    ----------
    statistic
        Only statistics whose name contains this; may repeat.
    mechanism
        Only mechanisms whose name contains this; may repeat.
    relation
        Only this relation; may repeat. Default: all.
    epsilon
        Default: 1/2 and 2; may repeat.
    quick
        At most 3 rows a data set, and no larger ones at random.
    peer
        Audit another library instead, in the version installed here: its name, or "list" for the
        names. Goes with --json only.
    as_json
        Print the rows as a JSON list and nothing else.
    """
    if peer is not None:
        if quick or any((statistic, mechanism, relation, epsilon)):
            raise ParameterError("--peer audits another library and goes with --json only")
        return _audit_peer(peer, as_json)
    from leastnoise.audit import matrix
    from leastnoise.audit.cases import MECHANISMS, STATISTICS
    from leastnoise.audit.searches import SEARCHES
    from leastnoise.cli.requests import parse_text
    from leastnoise.params import parse_epsilon

    names = [n for case in STATISTICS for n in (case.name, type(case.statistic).__name__)]
    names += [search.name for search in SEARCHES]
    statistic = _known("statistic", statistic, names)
    kinds = [case.name for case in MECHANISMS] + [search.mechanism for search in SEARCHES]
    mechanism = _known("mechanism", mechanism, list(dict.fromkeys(kinds)))
    exponents = [parse_text(parse_epsilon, text, "epsilon") for text in epsilon or ()]
    with show.progress("audit") as advance:
        rows = matrix(
            quick=quick,
            statistics=statistic,
            mechanisms=mechanism,
            epsilon=exponents or None,
            relations=relation,
            progress=advance,
        )
    if as_json:
        show.json([row.to_dict() for row in rows])
    else:
        _show(rows)
    return 0 if all(row.passed for row in rows) else VIOLATION


def _audit_peer(name: str, as_json: bool) -> int:
    """One line a check; a check that could not run does not count as passed."""
    from leastnoise.audit.peers import NAMES, peer

    if name == "list":
        if as_json:
            show.json(list(NAMES))
        else:
            show.write(*NAMES)
        return 0
    with show.progress("audit") as advance:
        found = peer(name).run(advance)
    if as_json:
        show.json([outcome.to_dict() for outcome in found])
    else:
        _show_peer(found)
    verdicts = {outcome.verdict for outcome in found}
    return VIOLATION if "VIOLATED" in verdicts else NOT_RUN if "not run" in verdicts else 0


def _show_peer(outcomes: Sequence[Outcome]) -> None:
    """The verdicts, then what was tried, found and reported where a claim does not hold."""
    table = show.table("check", "verdict", "loss at least", "claimed", "found", right=(2, 3))
    for outcome in outcomes:
        loss = "-" if outcome.loss is None else show.number(outcome.loss, 4)
        table.add_row(
            show.Text(outcome.check.name),
            outcome.verdict,
            loss,
            show.number(outcome.check.claimed, 4),
            show.Text(outcome.how),
        )
    details = (
        show.Text(
            f"{outcome.check.name}: {outcome.check.call}; {outcome.check.neighbours}. "
            f"Reported: {outcome.check.source}"
        )
        for outcome in outcomes
        if outcome.verdict == "VIOLATED"
    )
    failed = sum(outcome.verdict == "VIOLATED" for outcome in outcomes)
    idle = sum(outcome.loss is None for outcome in outcomes)
    peer, checks = f"{outcomes[0].library} {outcomes[0].version}", len(outcomes)
    show.write(
        table,
        *details,
        f"{peer}: {failed} of {checks} claims do NOT hold"
        if failed
        else f"{peer}: no violation seen in {checks} checks",
        *([f"{idle} of them show nothing: they did not run here"] if idle else []),
        NOT_PROVED_PEER,
    )


def _known(option: str, parts: list[str] | None, names: Sequence[str]) -> list[str] | None:
    """The requested parts of names, with or without hyphens; refused if no name contains one."""
    if parts is None:
        return None
    text = "\n".join(names).casefold()
    for part in parts:
        if not any(form.casefold() in text for form in _forms(part)):
            raise ParameterError(
                f"no {option} is called {part!r}; give one of these, or a part of its name: "
                f"{'; '.join(names)}"
            )
    return [next(form for form in _forms(part) if form.casefold() in text) for part in parts]


def _forms(part: str) -> tuple[str, str, str]:
    """The part, and what it is in words and in the name of a class."""
    return part, part.replace("-", " "), part.replace("-", "")


def _show(rows: Sequence[MatrixRow]) -> None:
    """The largest share of each claim that any pair uses, then the violations in full."""
    from leastnoise.audit.report import NOT_PROVED_EXACT

    relations = list(dict.fromkeys(row.relation for row in rows))
    shares = show.table("claims", *relations, right=range(1, 1 + len(relations)))
    for statistic in dict.fromkeys(row.statistic for row in rows):
        shares.add_row(show.Text(statistic, style="bold"))
        these = [row for row in rows if row.statistic == statistic]
        for mechanism in dict.fromkeys(row.mechanism for row in these):
            cells = [
                _share([row for row in these if (row.mechanism, row.relation) == (mechanism, name)])
                for name in relations
            ]
            shares.add_row(show.Text(f"  {mechanism}"), *cells)
    failed = [row for row in rows if not row.passed]
    pairs = sum(row.pairs for row in rows)
    verdict = f"{len(failed)} do NOT hold" if failed else "all hold"
    epsilons = ", ".join(dict.fromkeys(show.exact(row.epsilon) for row in rows))
    show.write(
        shares,
        "",
        *(part for row in failed for part in (show.Text(str(row.report)), "")),
        f"{len(rows)} claims at epsilon = {epsilons}, on {pairs:,} pairs of neighbouring data "
        f"sets: {verdict}. The table shows the largest share of a claim that a pair uses.",
        NOT_PROVED_EXACT,
    )


def _share(rows: Sequence[MatrixRow]) -> str:
    if not rows:
        return "-"
    if not all(row.passed for row in rows):
        return "VIOLATED"
    used = max(float(row.report.hi) / float(row.report.claimed) for row in rows)
    return "under 1 %" if used < 0.01 else f"{min(100, 100 * used):.0f} %"
