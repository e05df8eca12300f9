"""Files that an answer goes to: what cannot be written is found before anything is charged."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

# Bytes that a disk must take before anything is charged.
_TRIAL = 1 << 16


def check_free(path: Path, option: str, overwrite: bool) -> None:
    """Refuse a place that is taken, or a folder that is not there."""
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
    """Write some bytes into each file that is not there yet; one that is stays as it was."""
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
