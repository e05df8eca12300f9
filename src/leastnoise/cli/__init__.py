"""The command line: one file a command, ``requests`` reads options, ``show`` writes answers.

Exit codes: 0 done; 1 an audit or a reproduction failed; 2 wrong usage, parameters, schema or
ledger, or an output that cannot be written, with the cure on standard error; 3 the budget has less
left than the call needs, and nothing was spent; 4 a fault of ours; 5 something was charged and its
answer did not come out, with what it was and how to have it on standard error; 130 interrupted.
"""

from __future__ import annotations

import io
import os
import re
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress

from cyclopts import App, Parameter
from cyclopts.exceptions import CycloptsError

from leastnoise._version import __version__
from leastnoise.cli import (
    audit,
    budget,
    check,
    compare,
    demo,
    describe,
    explore,
    inspect,
    plan,
    release,
    reproduce,
    show,
    sql,
)
from leastnoise.cli.in_shell import as_keys, as_options
from leastnoise.cli.usage import cure_of
from leastnoise.errors import BudgetExceededError, LeastNoiseError

USAGE, EXCEEDED, FAULT, LOST, INTERRUPTED = 2, 3, 4, 5, 130

_NEGATIVE = re.compile(
    r"-(?:[0-9]+/[0-9]+|P[0-9WDTHMS.]+"
    r"|[0-9.]+ ?(?:w|d|h|min|s|sec|weeks?|days?|hours?|minutes?|seconds?))"
)

app = App(
    name="leastnoise",
    help="""Publish statistics of private data with the least noise that the data allows.

Start with: leastnoise demo""",
    version=__version__,
    help_format="markdown",  # paragraphs are wrapped anew to the terminal
    default_parameter=Parameter(negative=()),
)
for command in (
    *(demo.demo, inspect.inspect, check.check, describe.describe, release.release),
    *(sql.sql, plan.plan),
    *(compare.compare, explore.explore),
    *(budget.budget, audit.audit, reproduce.reproduce),
):
    app.command(command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and tell the exit code."""
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # a warning that only some data sets raise would be a leak
    for stream in (sys.stdout, sys.stderr):
        if isinstance(
            stream, io.TextIOWrapper
        ):  # a column name may not fit the encoding of a terminal
            stream.reconfigure(errors="backslashreplace")
    # a negative fraction or duration looks like an option; after a space, which is stripped, not
    given = sys.argv[1:] if arguments is None else arguments
    tokens = [f" {word}" if _NEGATIVE.fullmatch(word) else word for word in given]
    try:
        code = app(tokens, print_error=False, exit_on_error=False, result_action="return_value")
        if sys.stdout is not None:  # pyright: ignore[reportUnnecessaryComparison]  # it was closed
            sys.stdout.flush()
    except CycloptsError as error:
        told = cure_of(str(error), tokens, _options(tokens))
        return _refuse(f"{told} See leastnoise {_command(tokens)}--help", USAGE)
    except LeastNoiseError as error:
        code = EXCEEDED if isinstance(error, BudgetExceededError) else USAGE
        written = as_keys if tokens[:1] == ["plan"] else as_options
        return _refuse(written(str(error)), code, error)
    except show.OutputError as error:
        _give_up_output()
        return _refuse(str(error), LOST if error.charged else USAGE)
    except BrokenPipeError:  # the reader, such as head, has had enough
        _give_up_output()
        return 0
    except OSError as error:  # standard output, or a file that the user named
        _give_up_output()
        what = "output" if error.filename is None else error.filename
        return _refuse(f"{what} cannot be read or written: {error.strerror}", USAGE, error)
    except KeyboardInterrupt as error:
        message = "interrupted"
        if not _charged(error):
            message += (
                "; if a ledger was named, its history tells what was charged before this, and "
                "--reuse gives what was released again at no charge"
            )
        return _refuse(message, INTERRUPTED, error)
    except Exception as error:
        if os.environ.get("LEASTNOISE_DEBUG") == "1":
            raise
        return _refuse(
            f"this is a bug in leastnoise ({type(error).__name__}); please report it. Its message "
            "is withheld because it might contain data; on public data LEASTNOISE_DEBUG=1 shows "
            "it",
            FAULT,
            error,
        )
    return code if isinstance(code, int) else 0


def _command(tokens: Sequence[str]) -> str:
    """The command's name as help wants it, or nothing."""
    return f"{tokens[0]} " if tokens and tokens[0] in app else ""


def _options(tokens: Sequence[str]) -> list[str]:
    """The options of the command, without dashes."""
    if not _command(tokens):
        return []
    arguments = app[tokens[0]].assemble_argument_collection()
    return [name.lstrip("-") for one in arguments for name in one.names if name.startswith("--")]


def _charged(error: BaseException) -> str:
    """The note of an error that says what stays charged."""
    return " ".join(getattr(error, "__notes__", ()))


def _give_up_output() -> None:
    """Write nothing more, not even at the end of the process."""
    with suppress(Exception):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _refuse(message: str, code: int, error: BaseException | None = None) -> int:
    noted = "" if error is None else _charged(error)
    with suppress(OSError):  # standard error may be gone as well
        show.error(f"{message}. {noted}" if noted else message)
    return LOST if noted and code == USAGE else code
