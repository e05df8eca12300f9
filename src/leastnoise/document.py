"""TOML files, whose errors name the file, the place in it, and the cure."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from leastnoise._lazy import meant
from leastnoise.errors import LeastNoiseError, ParameterError, SchemaError, quoted

if TYPE_CHECKING:
    from typing_extensions import TypeIs


_SHOWN: Final = 200  # letters of a name in a message


def toml_text(value: str) -> str:
    """A basic string of TOML: what JSON escapes it escapes too, and DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml_key(name: str) -> str:
    """A name as TOML writes a key: in double quotes unless it is a plain word."""
    return name if _BARE.fullmatch(name) else toml_text(name)


_BARE = re.compile(r"[A-Za-z0-9_-]+")


def is_table(value: object) -> TypeIs[Mapping[str, Any]]:
    """Whether it is a table of a plan: the keys of TOML are text."""
    return isinstance(value, Mapping)


@dataclass(frozen=True, slots=True)
class Section:
    """One table of the file; ``place`` is its name in messages."""

    file: str
    place: str
    entries: Mapping[str, Any]

    def __contains__(self, key: str) -> bool:
        return key in self.entries

    def error(self, message: str, key: str | None = None) -> ParameterError:
        """An error about this table, or about one of its keys."""
        place = ".".join(part[:_SHOWN] for part in (self.place, key) if part)
        return ParameterError(
            f"{self.file}: {place}: {message}" if place else f"{self.file}: {message}"
        )

    @contextmanager
    def locating_errors(self, key: str | None = None) -> Generator[None]:
        """Put the place in front of errors of the library, and keep their type."""
        try:
            yield
        except LeastNoiseError as error:
            message = str(self.error(str(error), key))
            try:
                kind: Any = type(error)
                named = kind(message)
            except TypeError:
                raise error from None
            for note in getattr(error, "__notes__", ()):  # what was charged before it
                named.add_note(note)
            raise named from None

    def only(self, keys: Iterable[str]) -> None:
        """Refuse every key but these."""
        known = list(keys)
        for key in self.entries:
            if key not in known:
                near = next(iter(get_close_matches(key, known, 1)), None) or meant(key, known)
                hint = f"did you mean {near}?" if near else f"known are {', '.join(known)}"
                raise self.error(f"this key is not known; {hint}", key)

    def text(self, key: str, *, needed: str = "") -> str | None:
        """A text, None where there is none; ``needed`` says how to give it."""
        return self._of(key, (str,), "text in quotes", needed)

    def whole(self, key: str) -> int | None:
        """A whole number."""
        return self._of(key, (int,), "a whole number", "")

    def flag(self, key: str) -> bool | None:
        """True or false."""
        value = self.entries.get(key)
        if value is not None and not isinstance(value, bool):
            raise self.error(f"must be true or false, not {_kind(value)}", key)
        return value

    def number(self, key: str) -> int | Decimal | str | None:
        """A number, or text such as "1/3", exact."""
        return self._of(key, (int, Decimal, str), 'a number, or text such as "1/3"', "")

    def section(self, key: str) -> Section | None:
        """A table inside this one."""
        value = self.entries.get(key)
        if value is None:
            return None
        if not is_table(value):
            raise self.error(f"must be a table, [{self._named(key)}], not {_kind(value)}", key)
        return Section(self.file, self._named(key), value)

    def sections(self, key: str) -> dict[str, Section]:
        """The tables inside a table, by their names."""
        outer = self.section(key)
        if outer is None:
            return {}
        found = {name: outer.section(name) for name in outer.entries}
        return {name: inner for name, inner in found.items() if inner is not None}

    def _named(self, key: str) -> str:
        return f"{self.place}.{toml_key(key)}" if self.place else toml_key(key)

    def _of(self, key: str, kinds: tuple[type, ...], wanted: str, needed: str) -> Any:
        value = self.entries.get(key)
        if value is None:
            if needed:
                raise self.error(f"is missing: {needed}", key)
            return None
        if isinstance(value, bool) or not isinstance(value, kinds):
            raise self.error(f"must be {wanted}, not {_kind(value)}", key)
        return value


def read_document(path: Path, what: str = "plan") -> Section:
    """The file as a table, ``what`` it should be; numbers with a point stay exact.

    Raises
    ------
    SchemaError
        If there is no such file, or it cannot be read.
    ParameterError
        If it is not TOML; the message names the line.
    """
    name = str(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise SchemaError(
            f"there is no file {quoted(name)}; give the path of a {what}, a .toml file"
        ) from None
    except UnicodeDecodeError:
        raise SchemaError(f"{name} is not UTF-8 text; a {what} is a .toml file") from None
    except OSError as error:
        raise SchemaError(f"{name} cannot be read: {error.strerror}") from None
    try:
        return Section(name, "", tomllib.loads(text, parse_float=_exact))
    except tomllib.TOMLDecodeError as error:
        raise ParameterError(
            f"{name}: not valid TOML: {error}; put text in quotes and lists in [...], write true "
            "and false in small letters, and begin a table with its name, [data]"
        ) from None
    except (ValueError, ArithmeticError):
        raise ParameterError(f"{name}: a number has too many digits; round it") from None
    except RecursionError:
        raise ParameterError(f"{name}: lists or tables are nested too deeply") from None


def _exact(text: str) -> Decimal | float:
    """Decimal digits as they are written; inf and nan as floats."""
    number = Decimal(text.replace("_", ""))
    return number if number.is_finite() else float(text)


def _kind(value: object) -> str:
    for kinds, name in (
        (bool, "true or false"),
        (str, "text"),
        (int, "a whole number"),
        ((float, Decimal), "a number"),
        (Mapping, "a table"),
        (list, "a list"),
    ):
        if isinstance(value, kinds):
            return name
    return "a date or time"
