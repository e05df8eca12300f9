"""Files for an answer: whether they can be written is checked before anything is charged."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

# How many bytes the disk must accept before anything is charged.
_TRIAL = 1 << 16


def check_free(path: Path, option: str, overwrite: bool) -> None:
    """Refuse a file that exists, or a folder that does not."""
    from leastnoise.errors import ParameterError

    if not path.parent.is_dir():
        raise ParameterError(
            f"{option}: there is no folder {str(path.parent)!r}; nothing was spent"
        )
    if path.exists() and not overwrite:
        raise ParameterError(
            f"{path} exists; give {option} NAME for another place, or --overwrite. "
            "Nothing was spent"
        )


def check_writable(option: str, *paths: Path) -> None:
    """Write some bytes to each file that does not exist yet; existing files stay as they are."""
    from leastnoise.errors import ParameterError

    for path in paths:
        there = path.exists()
        try:
            with path.open("ab") as file:
                file.write(b"" if there else bytes(_TRIAL))
        except OSError as error:
            raise ParameterError(
                f"{path} cannot be written: {error.strerror}; give {option} NAME for another "
                "place. Nothing was spent"
            ) from None
        finally:
            if not there:
                with suppress(OSError):
                    path.unlink()
