"""Marks of a ledger's past that are stored outside it: records of releases and anchor files.

A hash chain alone does not expose an older copy of the whole file, which is consistent in itself.
A mark that is younger than the copy does: the entry that it names is missing there, or has another
hash.
"""

from __future__ import annotations

import json
import reprlib
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leastnoise.errors import LedgerError, ParameterError, ParameterTypeError
from leastnoise.foreign import is_list, is_list_or_tuple, is_mapping, is_path
from leastnoise.record import Release


@dataclass(frozen=True, slots=True)
class Anchor:
    """Entry ``entry`` of the ledger of ``dataset`` has the hash ``head``."""

    dataset: str
    entry: int
    head: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values for a JSON file."""
        return {"dataset": self.dataset, "entry": self.entry, "head": self.head}

    def check(self, path: str, dataset: str, heads: Mapping[int, str]) -> None:
        """LedgerError unless the history holds this entry."""
        if self.dataset != dataset:
            raise LedgerError(
                f"the record belongs to data set {reprlib.repr(self.dataset)} but {path} to "
                f"{dataset!r}; give the ledger that the record names"
            )
        if self.entry not in heads:
            raise LedgerError(
                f"{path} ends at entry {max(heads)} but the record was entry {self.entry}: this "
                "is an older copy of the ledger, without everything charged since; restore the "
                "newest copy"
            )
        if heads[self.entry] != self.head:
            raise LedgerError(
                f"entry {self.entry} of {path} is not the one that the record names: the ledger "
                "has diverged since an older copy was restored, or it is another ledger. Restore "
                "the copy in which the record was made"
            )


def read_anchors(evidence: Sequence[object]) -> Iterator[Anchor]:
    """The marks in records, dicts, JSON texts and JSON files.

    Raises
    ------
    ParameterError, ParameterTypeError
        If an argument holds no mark, such as a record made without a ledger.
    """
    for item in evidence:
        try:
            found = list(_marks(item))
        except RecursionError:
            raise ParameterError("the evidence is nested too deep to be a record") from None
        if not found:
            raise ParameterError(
                "the evidence names no ledger entry: give the record of a release that was "
                "charged to a ledger, or an anchor"
            )
        yield from found


def _marks(item: object) -> Iterator[Anchor]:
    match item:
        case Release():
            yield from _marks(item.ledger or {})
        case _ if is_mapping(item):
            entry, head = item.get("entry"), item.get("head")
            if "dataset" in item and isinstance(entry, int) and isinstance(head, str):
                yield Anchor(str(item["dataset"]), entry, head)
            else:  # a record, or several by name
                for value in item.values():
                    if isinstance(value, Release) or is_mapping(value) or is_list(value):
                        yield from _marks(value)
        case _ if is_list_or_tuple(item):
            for part in item:
                yield from _marks(part)
        case str() if item.lstrip()[:1] in ("{", "["):
            yield from _marks(_parsed(item, "the text"))
        case _ if is_path(item):
            name = textwrap.shorten(str(item), 200, placeholder="...")
            try:
                text = Path(item).read_text(encoding="utf-8")
            except OSError as error:
                raise ParameterError(f"{name} cannot be read: {error.strerror}") from None
            except UnicodeDecodeError:
                raise ParameterError(f"{name} is not a JSON file: it is not text") from None
            except ValueError:
                raise ParameterError("evidence is text that is neither JSON nor a path") from None
            yield from _marks(_parsed(text, name))
        case bool() | int() | float() | None:
            return
        case _:
            raise ParameterTypeError(
                f"evidence must be a record, its JSON or the path to it, not {type(item).__name__}"
            )


def _parsed(text: str, name: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        raise ParameterError(f"{name} is not JSON; give the record as to_json wrote it") from None
