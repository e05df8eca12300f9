import contextvars
import copy
import hashlib
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise import randomness
from leastnoise.randomness import (
    BitSource,
    HashedBits,
    SystemBits,
    active,
    simulating,
    simulation,
)

ROOT = str(Path(randomness.__file__).parents[1])


def run(script: str, **environment: str) -> str:
    """Run a script in a fresh single-threaded process, where forking is clean."""
    env = {**os.environ, "PYTHONPATH": ROOT, **environment}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        env=env,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


class Scripted(randomness.Words):
    """Serves the given words, in order, then fails."""

    def __init__(self, *words: int) -> None:
        super().__init__([*reversed(words)])

    def _block(self) -> bytes:
        raise EOFError


@pytest.fixture(params=["system", "hashed"])
def source(request: pytest.FixtureRequest) -> BitSource:
    return SystemBits() if request.param == "system" else HashedBits(b"fixture")


@pytest.mark.parametrize("k", [0, 1, 2, 31, 63, 64, 65, 127, 128, 129, 1000, 40_000])
def test_bits_are_in_range(source: BitSource, k: int) -> None:
    draws = [source.bits(k) for _ in range(50)]
    assert all(0 <= x < 1 << k for x in draws)
    if k >= 64:
        assert len(set(draws)) == 50
        # The top and the bottom bit both occur in both states: 2**-48 to fail.
        assert len({x >> (k - 1) for x in draws}) == len({x & 1 for x in draws}) == 2


def test_zero_bits_cost_nothing() -> None:
    empty = Scripted()
    assert empty.bits(0) == 0
    assert empty.below(1) == 0


def test_bits_come_from_whole_words_in_order() -> None:
    word = 0xFEDC_BA98_7654_3210
    assert Scripted(word).bits(64) == word
    assert Scripted(word).bits(8) == 0xFE
    assert Scripted(word, 1).bits(128) == word << 64 | 1
    assert Scripted(word, 1 << 63).bits(65) == word << 1 | 1


def test_below_is_uniform_by_rejection() -> None:
    # Every value of the three bits that below(5) reads, once each.
    served = Scripted(*(k << 61 for k in range(8)))
    assert [served.below(5) for _ in range(5)] == [0, 1, 2, 3, 4]
    with pytest.raises(EOFError):  # 5, 6 and 7 are rejected
        served.below(5)
    # A power of two rejects nothing.
    served = Scripted(*(k << 61 for k in range(8)))
    assert [served.below(8) for _ in range(8)] == list(range(8))


@pytest.mark.parametrize("n", [1, 2, 3, 10, 2**64, 2**64 + 1, 3**200])
def test_below_is_in_range(source: BitSource, n: int) -> None:
    assert all(0 <= source.below(n) < n for _ in range(200))


def test_below_chi_square() -> None:
    source = HashedBits(b"chi-square of below")
    counts = Counter(source.below(10) for _ in range(50_000))
    statistic = sum((counts[k] - 5000) ** 2 / 5000 for k in range(10))
    assert statistic < 33.7  # 9 degrees of freedom, tail 1e-4; the stream is fixed


@pytest.mark.parametrize(("method", "argument"), [("bits", -1), ("below", 0), ("below", -5)])
def test_outside_the_domain(source: BitSource, method: str, argument: int) -> None:
    with pytest.raises(ValueError, match="must be"):
        getattr(source, method)(argument)


# --- the simulation stream ---------------------------------------------------


def test_hashed_stream_is_fixed_forever() -> None:
    seed = b"seed"
    head = len(seed).to_bytes(8, "little") + seed
    blocks = b"".join(
        hashlib.shake_256(head + i.to_bytes(16, "little")).digest(4096) for i in range(2)
    )
    expected = [int.from_bytes(blocks[i : i + 8], "little") for i in range(0, 8192, 8)]
    source = HashedBits(seed)
    assert [source.bits(64) for _ in range(1024)] == expected


@given(st.binary(max_size=40), st.binary(max_size=40))
def test_hashed_streams_agree_only_for_equal_seeds(a: bytes, b: bytes) -> None:
    assert (HashedBits(a).bits(128) == HashedBits(b).bits(128)) == (a == b)


def test_hashed_copy_continues_the_stream() -> None:
    source = HashedBits(b"copy")
    source.bits(200)
    twins = [copy.deepcopy(source), pickle.loads(pickle.dumps(source))]
    expected = [source.bits(64) for _ in range(1000)]
    for twin in twins:
        assert [twin.bits(64) for _ in range(1000)] == expected


# --- the system source -------------------------------------------------------


def test_system_reads_the_operating_system(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    def urandom(n: int) -> bytes:
        calls.append(n)
        return bytes(n)

    monkeypatch.setattr(randomness.os, "urandom", urandom)
    randomness._entropy.clear()
    try:
        source = SystemBits()
        assert all(source.bits(64) == 0 for _ in range(1024))
        assert calls == [4096, 4096]
    finally:
        randomness._entropy.clear()


@pytest.mark.parametrize(
    "clone",
    [
        copy.copy,
        copy.deepcopy,
        *(lambda s, k=k: pickle.loads(pickle.dumps(s, k)) for k in range(6)),
    ],
)
def test_copies_share_no_bits(clone) -> None:
    source = SystemBits()
    source.bits(64)
    twin = clone(source)
    assert type(twin) is SystemBits
    left = [source.bits(64) for _ in range(600)]
    right = [twin.bits(64) for _ in range(600)]
    assert not set(left) & set(right)


def test_pickle_holds_no_entropy() -> None:
    source = SystemBits()
    source.bits(64)
    first = pickle.dumps(source)
    source.bits(64)
    assert pickle.dumps(source) == first
    assert len(first) < 100
    for word in randomness._entropy:
        assert word.to_bytes(8, "little") not in first


def test_repr_shows_no_entropy() -> None:
    source = SystemBits()
    source.bits(64)
    assert not any(str(word) in repr(source) for word in randomness._entropy)


def test_spawned_workers_are_independent() -> None:
    source = SystemBits()
    source.bits(64)
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        # The bound method travels with its pickled source.
        results = [pool.apply_async(source.bits, (256,)) for _ in range(8)]
        theirs = [r.get(60) for r in results]
    ours = [source.bits(256) for _ in range(8)]
    assert len({*theirs, *ours}) == 16


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_forked_child_drops_the_buffer() -> None:
    out = run(
        """
import os
from leastnoise import randomness
source = randomness.active()
source.bits(64)
assert len(randomness._entropy) == 511
children = []
for _ in range(3):
    r, w = os.pipe()
    if os.fork() == 0:
        kept = len(randomness._entropy)
        words = [source.bits(64) for _ in range(600)]
        os.write(w, repr((kept, words)).encode())
        os._exit(0)
    os.close(w)
    children.append(r)
mine = [source.bits(64) for _ in range(600)]
seen = set(mine)
for r in children:
    with os.fdopen(r) as f:
        kept, words = eval(f.read())
    assert kept == 0, kept
    assert len(words) == 600 and not seen & set(words)
    seen |= set(words)
    os.wait()
print(len(seen))
"""
    )
    assert out.strip() == "2400"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_fork_test_would_notice_a_kept_buffer() -> None:
    # Without the hook the child repeats its parent: the test above can fail.
    out = run(
        """
import os
os.register_at_fork = lambda **hooks: None
from leastnoise import randomness
source = randomness.active()
source.bits(64)
r, w = os.pipe()
if os.fork() == 0:
    os.write(w, str(source.bits(64)).encode())
    os._exit(0)
os.close(w)
with os.fdopen(r) as f:
    print(int(f.read()) == source.bits(64))
os.wait()
"""
    )
    assert out.strip() == "True"


@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="no fork on this system"
)
def test_forked_pool_workers_are_independent() -> None:
    out = run(
        """
import multiprocessing
from leastnoise import randomness
source = randomness.SystemBits()
source.bits(64)
def draw(_):
    return [source.bits(64) for _ in range(100)]
with multiprocessing.get_context("fork").Pool(4) as pool:
    rows = pool.map(draw, range(16), chunksize=1)
rows.append(draw(0))
print(len({w for row in rows for w in row}))
"""
    )
    assert out.strip() == "1700"


def test_threads_never_share_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    # A counter instead of entropy: every word served must be served exactly once.
    lock = threading.Lock()
    position = 0

    def urandom(n: int) -> bytes:
        nonlocal position
        with lock:
            start, position = position, position + n // 8
        return b"".join(i.to_bytes(8, "little") for i in range(start, start + n // 8))

    monkeypatch.setattr(randomness.os, "urandom", urandom)
    randomness._entropy.clear()
    source = SystemBits()
    rows: list[list[int]] = [[] for _ in range(8)]
    barrier = threading.Barrier(8)

    def draw(row: list[int]) -> None:
        barrier.wait()
        row.extend(source.bits(64) for _ in range(20_000))

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=draw, args=(row,)) for row in rows]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        left = list(randomness._entropy)
    finally:
        sys.setswitchinterval(before)
        randomness._entropy.clear()
    words = sorted([*left, *(w for row in rows for w in row)])
    assert words == list(range(position))


# --- which source is active --------------------------------------------------


def test_the_system_is_the_default() -> None:
    assert isinstance(active(), SystemBits)
    assert not simulating()


def test_simulation_nests_and_ends() -> None:
    outer, inner = HashedBits(b"outer"), HashedBits(b"inner")
    with simulation(outer) as given_back:
        assert given_back is outer
        assert active() is outer
        with simulation(inner):
            assert active() is inner
        assert active() is outer
        assert simulating()
    assert not simulating()
    with pytest.raises(KeyError), simulation(outer):
        raise KeyError
    assert isinstance(active(), SystemBits)
    assert not simulating()


def test_simulation_stays_in_its_context() -> None:
    seen: list[bool] = []
    with simulation(HashedBits(b"context")):
        # A fresh context of another thread knows nothing of it.
        thread = threading.Thread(
            target=contextvars.Context().run, args=(lambda: seen.append(simulating()),)
        )
        thread.start()
        thread.join()
    assert seen == [False]
    # Nor does entering one in a copied context leak out of it.
    other = contextvars.copy_context()
    entered = simulation(HashedBits(b"leak"))
    other.run(entered.__enter__)
    assert other.run(simulating)
    assert not simulating()
    other.run(entered.__exit__, None, None, None)
    assert not other.run(simulating)


def test_production_refuses_simulation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEASTNOISE_PRODUCTION", "1")
    with pytest.raises(RuntimeError, match="LEASTNOISE_PRODUCTION"), simulation(HashedBits(b"")):
        pass
    assert not simulating()
    monkeypatch.setenv("LEASTNOISE_PRODUCTION", "0")
    with simulation(HashedBits(b"")):
        assert simulating()


def test_environment_switch_works_from_outside() -> None:
    script = """
from leastnoise.randomness import HashedBits, simulation
try:
    with simulation(HashedBits(b"")):
        print("entered")
except RuntimeError:
    print("refused")
"""
    assert run(script, LEASTNOISE_PRODUCTION="1").strip() == "refused"
    assert run(script, LEASTNOISE_PRODUCTION="").strip() == "entered"
