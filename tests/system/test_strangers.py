"""Files from strangers, changed at random: a clear error or an answer, never anything else.

An error is one of the library's own, says nothing of a value, and comes soon. The long runs take
an hour together.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.blackbox import checkpoint
from leastnoise.errors import LeastNoiseError
from leastnoise.plans import load_plan
from leastnoise.sql.schema import load_schema
from leastnoise.testing import simulate
from support.optional import optional
from support.strangers import bytes_like, values_like

SECRET = "zqxj"
NAMES = b"pay,day,name,region,user\n"
ROWS = "".join(
    f"{i * 3.5},2024-0{1 + i % 9}-11,{SECRET}{i},{'NS'[i % 2]},{i // 2}\n" for i in range(12)
).encode()
PAY = {"pay": [i * 3.5 for i in range(12)], "region": ["N", "S"] * 6, "day": ["2024-01-01"] * 12}
LONGEST = 20.0  # seconds that one file may take on a busy machine
STATISTICS = (
    ln.Count(),
    ln.Mean("pay", bounds=(0, 100)),
    ln.Median("pay", bounds=(0, 100)),
    ln.Sum("pay", bounds=(-5, 5)),
    ln.CountDistinct("name"),
)


class Stranger:
    """One kind of file: ``once`` makes one, reads it, and says whether its rows are private."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def once(self, dice: random.Random) -> bool:
        raise NotImplementedError


class Text(Stranger):
    """A text file of rows, packed or not, opened in any way."""

    def once(self, dice: random.Random) -> bool:
        whole = dice.random() < 0.4  # its names are public, so they may not hold a row
        text = bytes_like(NAMES + ROWS, dice, keep=0 if whole else len(NAMES))
        path = self.folder / "a.csv"
        if dice.random() < 0.2:
            text, path = gzip.compress(text, 1), self.folder / "a.csv.gz"
            if dice.random() < 0.5:
                text, whole = bytes_like(text, dice), True
        path.write_bytes(text)
        options: dict[str, Any] = {}
        if dice.random() < 0.2:
            options["encoding"] = dice.choice(("latin-1", "utf-16", "utf-8-sig", "shift_jis"))
        if dice.random() < 0.2:
            options["multiline"] = False
        if dice.random() < 0.1:
            options["skip_rows"], whole = dice.choice((1, 3)), True
        with ln.open(path, **options) as data:
            if dice.random() < 0.2:
                str(data.check())
            view = data.where(ln.col("pay") > 3) if dice.random() < 0.3 else data
            if dice.random() < 0.3:
                view = view.group_by({"region": ["N", "S"]})
            view.release(dice.choice(STATISTICS), epsilon=1)
        return not whole


class Parquet(Stranger):
    """A Parquet file, with and without compression and dictionaries."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        pa, pq = optional("pyarrow"), optional("pyarrow.parquet")
        rows = {"pay": PAY["pay"] * 5, "name": [f"{SECRET}{i}" for i in range(60)]}
        self.whole: list[bytes] = []
        for compressed in ("snappy", "none"):
            file = io.BytesIO()
            pq.write_table(
                pa.table(rows), file, compression=compressed, use_dictionary=compressed != "none"
            )
            self.whole.append(file.getvalue())

    def once(self, dice: random.Random) -> bool:
        path = self.folder / "a.parquet"
        path.write_bytes(bytes_like(dice.choice(self.whole), dice))
        ln.release(dice.choice(STATISTICS), path, epsilon=1)
        return True


class Records(Stranger):
    """Records of releases: what is taken is printed and written in every form."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        with simulate(1), ln.open(PAY) as data:
            mean = ln.Mean("pay", bounds=(0, 100))
            one = [
                data.release(mean, epsilon=1),
                data.release(ln.Quantiles("pay", q=(0.2, 0.5), bounds=(0, 100)), epsilon=1),
                data.release(ln.WithInterval(mean, level="0.95"), epsilon=1),
                data.release(ln.Mode("region", categories=["N", "S"]), epsilon=1),
            ]
            many = [
                data.group_by({"region": ["N", "S"]}).release(mean, epsilon=1),
                data.release({"mean": mean, "rows": ln.Count()}, epsilon=1),
            ]
        self.kinds = [(ln.Release, r.to_dict()) for r in one]
        self.kinds += [(ln.Releases, r.to_dict()) for r in many]

    def once(self, dice: random.Random) -> bool:
        kind, whole = dice.choice(self.kinds)
        text = json.dumps(values_like(whole, dice))
        if dice.random() < 0.2:
            text = bytes_like(text.encode(), dice).decode(errors="replace")
        made = kind.from_json(text)
        assert kind.from_json(made.to_json()) == made
        assert str(made)
        assert repr(made)
        if isinstance(made, ln.Releases):
            assert made.to_markdown()
            assert made._repr_html_()
        return False


class Anchors(Stranger):
    """Evidence for a ledger."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        path = folder / "pay.db"
        self.ledger = ln.Ledger.create(path, dataset="pay", budget=ln.PureDP(100))
        mean = ln.Mean("pay", bounds=(0, 100))
        self.whole = ln.release(mean, PAY, epsilon=1, ledger=path, dataset="pay").to_dict()

    def once(self, dice: random.Random) -> bool:
        changed = values_like(dice.choice((self.whole, self.ledger.anchor())), dice)
        text = json.dumps(changed)
        if dice.random() < 0.3:
            text = bytes_like(text.encode(), dice).decode(errors="replace")
        path = self.folder / "record.json"
        path.write_text(text, encoding="utf-8")
        self.ledger.verify(dice.choice((text, path, changed)))
        return False


class Estimates(Stranger):
    """Stored estimates of a sensitivity, and checkpoints with a digest that fits them."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.path = folder / "kept.json"
        import numpy as np

        def draw(rng: Any, size: int) -> Any:
            return rng.exponential(size=size)

        self.sampler = lambda: ln.SensitivitySampler(
            np.mean, draw_record=draw, n=20, gamma="0.3", checkpoint=self.path
        )
        found = self.sampler().estimate()
        self.stored = json.loads(found.to_json())
        self.kept = json.loads(self.path.read_text()) if self.path.exists() else None

    def once(self, dice: random.Random) -> bool:
        if self.kept is None or dice.random() < 0.5:
            text = json.dumps(values_like(self.stored, dice))
            if dice.random() < 0.3:
                text = bytes_like(text.encode(), dice).decode(errors="replace")
            assert str(ln.SensitivityEstimate.from_json(text))
            return False
        changed = values_like(self.kept, dice)
        if isinstance(changed, dict) and dice.random() < 0.8:
            changed.pop("digest", None)
            changed["digest"] = checkpoint._digest(changed)
        text = json.dumps(changed).encode()
        self.path.write_bytes(text if dice.random() < 0.7 else bytes_like(text, dice))
        self.sampler().estimate()
        return False


PLAN = b"""title = "Pay"
[data]
file = "pay.csv"
missing = "none"
[privacy]
relation = "add-remove"
unit = "person"
max_rows = 3
total = 2.5
[keys]
region = ["N", "S"]
day = [2024-01-01, 2024-02-01]
[tables.pay]
where = 'age >= 18 and `home state` != "X" and day < date("2024-02-01")'
groups = ["region"]
max_groups = 2
weight = 2
[tables.pay.statistics]
n = {statistic = "count", weight = 1}
median = {statistic = "median", column = "pay", bounds = [0, 500_000.5], target_error = 0.5}
ages = {statistic = "histogram", column = "age", bins = [0, 18, inf]}
mean = {statistic = "mean", column = "pay", bounds = "private", mechanism = "laplace"}
"""
SCHEMA = b"""table = "pay"
[data]
separator = ";"
[privacy]
relation = "add-remove"
unit = "person"
max_rows = 2
delta = 1e-9
[columns.region]
keys = ["N", "S"]
[columns.pay]
bounds = [0, 500_000]
step = 0.5
[columns.day]
bounds = [2024-01-01, 2024-12-31]
[public.regions]
key = "code"
columns = {code = ["N", "S"], people = [500, 300]}
"""


class Documents(Stranger):
    """Plans and schemas in TOML."""

    def once(self, dice: random.Random) -> bool:
        path = self.folder / "a.toml"
        whole, load = dice.choice(((PLAN, load_plan), (SCHEMA, load_schema)))
        text = bytes_like(whole, dice)
        if dice.random() < 0.5:  # only values, so that more of it is read
            lines = whole.decode().splitlines()
            at = dice.choice([i for i, line in enumerate(lines) if "=" in line])
            name, _, _ = lines[at].partition(" = ")
            lines[at] = f"{name} = {dice.choice(VALUES)}"
            text = "\n".join(lines).encode()
        path.write_bytes(text)
        load(path)
        return False


VALUES = (
    *('""', '" "', '"x"', '"' + "(" * 3000 + '"', '"' + "not " * 3000 + 'a"', "true", "0", "-1"),
    *("1e999999999", "nan", "inf", "9" * 5000, "1979-05-27T07:32:00Z", "07:32:00", "[]", "{}"),
    *("[[]]", "[1, 1]", "[1, 0]", '["a", "a"]', "[1, '1', true]", "[nan, inf]", "[-inf, inf]"),
    *('"1/0"', '"1/3"', '"' + "9" * 5000 + '"', "{a = 1}", '{statistic = "count"}', "1e-400"),
    *("[" * 400 + "]" * 400, "[2024-01-01, 2024-01-01T00:00:00]", "[2024-01-01, 5]", '"\\u0000"'),
    *("9223372036854775808", "0x7fffffff", '"age > 1e400"', "'age > date(\"2024-13-01\")'"),
)

KINDS: dict[str, type[Stranger]] = {
    "text": Text,
    "parquet": Parquet,
    "records": Records,
    "anchors": Anchors,
    "estimates": Estimates,
    "documents": Documents,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seconds", [2, pytest.param(600, marks=pytest.mark.nightly, id="long")])
def test_a_changed_file_gives_an_answer_or_a_clear_error(
    kind: str, seconds: float, tmp_path: Path
) -> None:
    stranger, seed = KINDS[kind](tmp_path), 0 if seconds < 60 else time.time_ns()
    answers = errors = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        case = f"{kind} {seed} {answers + errors}"
        started, private = time.monotonic(), True
        try:
            with simulate(1):
                private = stranger.once(random.Random(case))
            answers += 1
        except LeastNoiseError as error:
            errors += 1
            told = f"{error} {getattr(error, '__notes__', '')}"
            assert len(told) < 20_000, case
            assert not private or SECRET not in told, case
        except Exception as error:
            error.add_note(f"in case {case!r}")
            raise
        assert time.monotonic() - started < LONGEST, case
    assert answers
    assert errors


ROOM = 300 << 20
LONG_LINE = 100_000_000


def _line(path: Path) -> None:
    with path.open("wb") as file:
        file.write(b"pay,name\n1,a\n2," + b"x" * LONG_LINE + b"\n3,b\n")


def _number(path: Path) -> None:
    path.write_bytes(b"pay,name\n1,a\n" + b"9" * LONG_LINE + b",c\n3,b\n")


def _names(path: Path) -> None:
    path.write_bytes(b"pay," + b"x" * LONG_LINE + b"\n1,2\n")


def _lines_in_quotes(path: Path) -> None:
    path.write_bytes(b'pay,name\n1,a\n2,"' + b"x\n" * (LONG_LINE // 2) + b'"\n3,b\n')


def _packed(path: Path, megabytes: int) -> None:
    with gzip.open(path, "wb", 1) as file:
        file.write(b"pay,name\n1,a\n2,")
        for _ in range(megabytes):
            file.write(b"x" * 1_000_000)


BOMBS: dict[str, Callable[[Path], None]] = {
    "a line of 100 MB": _line,
    "a number of 100 MB": _number,
    "names of 100 MB": _names,
    "lines in quotes": _lines_in_quotes,
    "150 MB packed": lambda path: _packed(path, 150),
    "3 GB packed": lambda path: _packed(path, 3000),
}
AT_NIGHT = ("a number of 100 MB", "names of 100 MB", "lines in quotes", "3 GB packed")


@pytest.mark.skipif(sys.platform != "linux", reason="/proc says how much memory is in use")
@pytest.mark.parametrize(
    "bomb",
    [pytest.param(b, marks=pytest.mark.nightly if b in AT_NIGHT else []) for b in BOMBS],
)
def test_long_lines_and_packed_files_take_bounded_memory(bomb: str, tmp_path: Path) -> None:
    import resource  # Linux has it

    path = tmp_path / ("a.csv.gz" if "packed" in bomb else "a.csv")
    BOMBS[bomb](path)
    median = ln.Median("pay", bounds=(0, 100))
    ln.release(median, PAY, epsilon=1)  # what it loads is loaded
    child = os.fork()
    if child == 0:
        code = 1
        try:
            used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, used + ROOM))
            try:
                made = ln.release(median, path, epsilon=1)
                code = 0 if 0 <= made.value <= 100 else 2
            except LeastNoiseError as error:
                code = 0 if len(str(error)) < 2000 and "names" in bomb else 3
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
