"""``%%leastnoise``: a cell of a notebook that holds a question in SQL."""

from __future__ import annotations

import shlex
from argparse import Action, ArgumentParser, Namespace
from dataclasses import fields
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, NoReturn

from leastnoise.errors import LeastNoiseError, ParameterError
from leastnoise.sql.asking import Asking
from leastnoise.sql.options import no_number, read_options
from leastnoise.sql.text import QueryError, read_query

if TYPE_CHECKING:
    from leastnoise.sql.answer import Answer, Cost

_EXAMPLE = "%%leastnoise data --schema schema.toml --epsilon 1"


class _Line(ArgumentParser):
    """The options of the first line; a wrong one is an error of ours, and ends no process."""

    def error(self, message: str) -> NoReturn:
        raise ParameterError(f"{message}; write it like {_EXAMPLE}")


class _Once(Action):
    """An option that is given twice is refused: else the last one would count."""

    def __call__(
        self, parser: ArgumentParser, namespace: Namespace, values: Any, option: str | None = None
    ) -> None:
        if getattr(namespace, self.dest) is not None:
            parser.error(f"{option} is given twice")
        setattr(namespace, self.dest, values)


def _parser() -> _Line:
    """The session, the options of every query, and the name of the answer."""
    line = _Line(prog="%%leastnoise", add_help=False, allow_abbrev=False)
    line.add_argument("session")
    for each in fields(Asking):
        option, kind = f"--{each.name.replace('_', '-')}", str(each.type)
        if kind == "bool":
            line.add_argument(option, action="store_true")
        elif kind.startswith("list"):
            line.add_argument(option, action="append")
        else:
            line.add_argument(option, action=_Once)
    line.add_argument("--into", action=_Once)
    return line


def answered(line: str, cell: str, names: dict[str, Any]) -> Answer | Cost:
    """The answer to a cell, in a notebook with these names; with ``--dry-run`` what it would cost.

    Parameters
    ----------
    line
        The name of an open session, then the options of ``leastnoise sql`` that are about a query
        (see `Asking`): ``--schema`` may be a name, too; and ``--into``, the name that the answer
        gets.
    cell
        The query.
    names
        The names of the notebook.

    Raises
    ------
    ParameterError
        If an option is unknown, the first word names no session, or ``--into`` names one.
    """
    from leastnoise.session import Session

    try:
        words = shlex.split(line)
    except ValueError:
        raise ParameterError(f"a quote is not closed; write it like {_EXAMPLE}") from None
    given = _parser().parse_args(words)
    session = names.get(given.session)
    if not isinstance(session, Session):
        raise ParameterError(
            f"{given.session} is not an open session: make one first, {given.session} = "
            "ln.open('pay.csv')"
        )
    if given.into is not None and (not given.into.isidentifier() or iskeyword(given.into)):
        raise ParameterError(f"--into {given.into!r} is no name: write --into answer")
    if given.into is not None and isinstance(names.get(given.into), Session):
        raise ParameterError(
            f"--into {given.into} would take the place of an open session: write another name, "
            "--into answer"
        )
    if given.into is not None and given.dry_run:
        raise ParameterError(
            "--dry-run gives no answer that --into could keep: leave one of them out"
        )
    asking = Asking(**{each.name: getattr(given, each.name) for each in fields(Asking)})
    try:
        query = read_query(cell)
    except QueryError:
        session.prepare_sql(cell)  # which knows the columns, and tells of their names
        raise
    if asking.epsilon is None and read_options(query).epsilon is None:
        query.refuse(None, no_number("epsilon", "--epsilon 1"))
    prepared = asking.prepared(session, cell, asking.facts(query, names))
    if asking.dry_run:
        return prepared.cost()
    answer = asking.answer(prepared)
    if given.into is not None:
        names[given.into] = answer
    return answer


def register(shell: Any) -> None:
    """Tell a shell of IPython the magic."""

    from IPython.core.error import UsageError  # which is shown as one line

    def leastnoise(line: str, cell: str) -> Answer | Cost:
        try:
            return answered(line, cell, shell.user_ns)
        except LeastNoiseError as error:
            raise UsageError(str(error)) from None

    shell.register_magic_function(leastnoise, magic_kind="cell", magic_name="leastnoise")
