"""The state of an interrupted run, in memory or in a file, and whether a run may continue it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from math import inf
from pathlib import Path
from typing import Any

from leastnoise.blackbox.identity import CODE, same_function
from leastnoise.blackbox.records import Chunk
from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.foreign import is_path

_FORMAT = "leastnoise checkpoint 2"


@dataclass(frozen=True, slots=True)
class Mark:
    """What must be equal in both runs: parameters, and hashes of the functions (None: unknown)."""

    asked: dict[str, Any]
    codes: dict[str, str | None]


@dataclass(slots=True)
class Done:
    """Changes that were measured, by chunk."""

    mark: Mark
    entropy: int
    changes: dict[int, list[float]] = field(default_factory=dict[int, list[float]])
    failures: int = 0
    largest: float = 0.0

    def add(self, chunk: Chunk) -> int:
        """Keep one chunk more; how many pairs it has."""
        self.changes[chunk.number] = chunk.changes
        self.failures += chunk.failures
        self.largest = max(self.largest, chunk.largest)
        return len(chunk.changes)


def parse_path(checkpoint: object) -> Path | None:
    """The file of a checkpoint, in a folder that exists."""
    if checkpoint is None:
        return None
    if not is_path(checkpoint):
        raise ParameterTypeError(f"checkpoint must be a path, got {type(checkpoint).__name__}")
    path = Path(checkpoint)
    if path.is_dir() or not path.parent.is_dir():
        raise ParameterError(f"checkpoint must be a file in a folder that exists, got {path}")
    return path


def check_same(kept: Mark, now: Mark, assume: bool) -> None:
    """Refuse to go on with measurements of another function, law or parameter.

    Raises
    ------
    ParameterError
        If they differ, or if nothing can decide and the caller has not vouched that they are the
        same.
    """
    codes = [(code, kept.codes.get(name)) for name, code in now.codes.items()]
    able = all(same_function(code, before, assume=True) for code, before in codes)
    if kept.asked != now.asked or kept.codes.keys() != now.codes.keys() or not able:
        raise ParameterError(
            "the interrupted run belongs to another function or other parameters: make a new "
            "sampler, with another checkpoint or none"
        )
    unknown = [name for name, code in now.codes.items() if code is None]
    if not assume and not all(same_function(code, before) for code, before in codes):
        raise ParameterError(
            f"{' and '.join(unknown) or 'function'} cannot be compared, so the interrupted run "
            "may belong to another function: say estimate(same_function=True) if it does not, "
            "otherwise make a new sampler, with another checkpoint or none"
        )


def save(path: Path, done: Done) -> None:
    """Write the file as a whole or not at all."""
    kept = {
        "format": _FORMAT,
        "asked": done.mark.asked,
        "codes": done.mark.codes,
        "entropy": str(done.entropy),
        "failures": done.failures,
        "largest": done.largest,
        "changes": {str(i): found for i, found in done.changes.items()},
    }
    partial = path.with_name(path.name + ".part")
    partial.write_text(json.dumps({**kept, "digest": _digest(kept)}), encoding="utf-8")
    partial.replace(path)


def load(path: Path, sizes: Sequence[int]) -> Done | None:
    """The contents of the file, None without one; ``sizes`` are the pairs of every chunk.

    Raises
    ------
    ParameterError
        If it is damaged, or not a checkpoint of this many pairs.
    """
    if not path.exists():
        return None
    try:
        return _parsed(json.loads(path.read_text(encoding="utf-8")), sizes)
    except (
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        ArithmeticError,
        RecursionError,
        OSError,
    ):
        raise ParameterError(
            f"checkpoint {path} is damaged, or belongs to another number of pairs; give another "
            "path, or remove the file"
        ) from None


def _parsed(kept: dict[str, Any], sizes: Sequence[int]) -> Done:
    if kept.pop("format") != _FORMAT or kept.pop("digest") != _digest(kept):
        raise ValueError
    mark = Mark(dict(kept["asked"]), dict(kept["codes"]))
    if not all(code is None or CODE.fullmatch(code) for code in mark.codes.values()):
        raise ValueError
    done = Done(mark, int(kept["entropy"]), {}, kept["failures"], float(kept["largest"]))
    for name, found in kept["changes"].items():
        chunk = int(name)
        changes = [float(change) for change in found]
        # infinite: a change that no double holds; NaN is none
        if not all(change >= 0 for change in changes) or str(chunk) != name:
            raise ValueError
        if not 0 <= chunk < len(sizes) or len(changes) != sizes[chunk]:
            raise ValueError
        done.changes[chunk] = changes
    count = sum(map(len, done.changes.values()))
    if type(done.failures) is not int or not 0 <= done.failures <= 2 * count:
        raise ValueError
    if not (0 <= done.entropy < 1 << 128 and 0 <= done.largest < inf):
        raise ValueError
    return done


def _digest(kept: dict[str, Any]) -> str:
    """Tells an edited or cut file, not one that was made up."""
    rest = {name: value for name, value in kept.items() if name not in ("format", "digest")}
    return sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def spread(chunks: Sequence[int], most: int) -> list[int]:
    """Up to ``most`` of the chunks, an eighth of them at least one, spread over all."""
    ordered = sorted(chunks)
    count = min(most, -(-len(ordered) // 8))
    return [ordered[(2 * i + 1) * len(ordered) // (2 * count)] for i in range(count)]
