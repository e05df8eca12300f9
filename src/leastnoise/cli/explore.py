"""``leastnoise explore``: a page that shows profiles and laws of a public or synthetic file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from leastnoise.cli import show
from leastnoise.cli.reading import PLAIN_TEXT, TextOptions
from leastnoise.errors import ParameterError, SchemaError

NEEDS_PUBLIC = (
    "the explorer looks at the data and nothing it shows is private, so it reads public or "
    "synthetic files only: give --public if this file is one, otherwise use a public or "
    "synthetic stand-in. Nothing was read"
)
_FLAG = Parameter(show_default=False)


def explore(
    file: str,
    /,
    *,
    public: Annotated[bool, _FLAG] = False,
    port: int = 2718,
    host: str = "127.0.0.1",
    no_browser: Annotated[bool, _FLAG] = False,
    reading: TextOptions = PLAIN_TEXT,
) -> int:
    """Show profiles, laws and expected errors of a PUBLIC or synthetic file in the browser.

    leastnoise explore cars.csv --public

    Pick a column, a statistic, bounds and epsilon; see how far the answer can move, what each
    mechanism would answer, its exact expected error, and the code to copy. Nothing of it is
    private. Ctrl-C stops it. Extra: app.

    Parameters
    ----------
    file
        A .csv, .tsv, .txt (each also .gz) or .parquet file, public or synthetic.
    public
        Declares that the file is public or synthetic; nothing is read without it.
    port
        Where the page is served; 0 takes any free port.
    host
        The address to listen at, one that only this machine reaches: 127.0.0.1, ::1 or localhost.
    no_browser
        Only print the address.
    reading
        How the file is read.
    """
    if not public:
        raise ParameterError(NEEDS_PUBLIC)
    from leastnoise.app import serve
    from leastnoise.frames import open_table
    from leastnoise.production import forbid_in_production

    forbid_in_production("explore")
    serve.check_installed()
    if not Path(file).exists():
        raise SchemaError(
            f"there is no file {file!r}: give the path of a .csv, .tsv or .parquet file"
        )
    given = reading.given()
    if given.get("header", True) and not open_table(file, **given).column_names():
        raise SchemaError(f"the file {file!r} has no columns: its first line must name them")
    return serve.serve(
        file,
        given,
        host=host,
        port=port,
        browser=not no_browser,
        say=lambda text: show.write(show.clean(text)),
    )
