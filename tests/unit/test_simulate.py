"""Simulation: deterministic, marked, confined to its context, refused in production."""

from __future__ import annotations

import threading
from contextvars import copy_context

import pytest

import leastnoise as ln
from leastnoise import randomness
from leastnoise.errors import ParameterTypeError, ProductionError
from leastnoise.record import SimulatedRelease
from leastnoise.testing import simulate

WIDE = ln.Median(bounds=(0, 1e9))


def draw() -> float:
    return float(ln.release(WIDE, [1.0, 2.0, 5e8], epsilon=1))


def test_equal_seeds_give_equal_releases() -> None:
    with simulate(1):
        first = [draw() for _ in range(3)]
    with simulate(1):
        second = [draw() for _ in range(3)]
    with simulate(2):
        other = [draw() for _ in range(3)]
    assert first == second != other
    assert len(set(first)) == 3


def test_a_stream_is_the_same_on_every_machine() -> None:
    with simulate(0):
        assert randomness.active().bits(64) == 0x19CFDE651D6FB0AC


@pytest.mark.parametrize(("one", "other"), [(1, "1"), ("1", b"1"), (0, ""), (b"", "")])
def test_seeds_of_different_types_are_different_streams(one: object, other: object) -> None:
    with simulate(one):
        first = randomness.active().bits(64)
    with simulate(other):
        assert randomness.active().bits(64) != first


def test_results_say_that_they_are_not_private() -> None:
    with simulate(1):
        release = ln.release(WIDE, [1.0], epsilon=1)
    assert isinstance(release, SimulatedRelease)
    assert "NOT PRIVATE" in repr(release)
    assert release.secure is False
    assert '"secure": false' in release.to_json()
    assert isinstance(ln.Release.from_json(release.to_json()), SimulatedRelease)
    real = ln.release(WIDE, [1.0], epsilon=1)
    assert real.secure is True
    assert type(real) is ln.Release


def test_blocks_nest_and_the_outer_one_goes_on() -> None:
    with simulate(1):
        alone = [draw(), draw()]
    with simulate(1):
        first = draw()
        with simulate(2):
            inner = draw()
        second = draw()
    with simulate(2):
        assert inner == draw()
    assert [first, second] == alone
    assert not randomness.simulating()


def test_an_error_inside_ends_the_simulation() -> None:
    with pytest.raises(KeyError), simulate(1):
        raise KeyError
    assert not randomness.simulating()


def test_other_threads_keep_their_own_source() -> None:
    seen: list[bool] = []
    with simulate(1):
        thread = threading.Thread(target=lambda: seen.append(randomness.simulating()))
        copied = copy_context()
        thread.start()
        thread.join()
        inside = threading.Thread(
            target=lambda: copied.run(lambda: seen.append(randomness.simulating()))
        )
        inside.start()
        inside.join()
    # a thread draws from the system unless it is handed the context on purpose
    assert seen == [False, True]


def test_threads_with_simulations_of_their_own_do_not_meet() -> None:
    barrier = threading.Barrier(4)
    found: dict[int, list[float]] = {}

    def work(seed: int) -> None:
        with simulate(seed):
            barrier.wait()
            found[seed] = [draw() for _ in range(5)]

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed, values in found.items():
        with simulate(seed):
            assert values == [draw() for _ in range(5)]


def test_production_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEASTNOISE_PRODUCTION", "1")
    with pytest.raises(ProductionError, match="LEASTNOISE_PRODUCTION"), simulate(1):
        pass
    assert not randomness.simulating()
    assert draw() >= 0  # a real release goes on


def test_a_call_without_a_block_is_told() -> None:
    with pytest.warns(RuntimeWarning, match=r"write with simulate\(seed\):"):
        simulate(1)


def test_a_function_draws_anew_from_the_start() -> None:
    decorated = simulate(1)(draw)
    assert decorated() == decorated()


@pytest.mark.parametrize("seed", [None, 1.5, True, [1]])
def test_seeds_of_other_types_are_refused(seed: object) -> None:
    with pytest.raises(ParameterTypeError, match="seed"), simulate(seed):
        pass


def test_streams_of_a_seed_are_apart() -> None:
    found: list[list[float]] = []
    for stream in (None, 0, 1, "0", "1:"):
        for _ in range(2):
            with simulate(7, stream=stream):
                found.append([draw() for _ in range(8)])
    assert found[::2] == found[1::2]
    assert len({tuple(values) for values in found}) == 5
    for wrong in (1.5, True, b"1"):
        with pytest.raises(ParameterTypeError, match="stream"), simulate(7, stream=wrong):  # pyright: ignore[reportArgumentType]
            pass
