"""Deterministic releases for tests and examples: simulated, marked, and refused in production."""

from __future__ import annotations

import warnings
from contextlib import AbstractContextManager, ContextDecorator
from types import TracebackType

import numpy as np

from leastnoise.errors import ParameterTypeError, ProductionError
from leastnoise.params import explained
from leastnoise.production import in_production
from leastnoise.randomness import HashedBits, simulation


class Simulation(ContextDecorator):
    """NOT PRIVATE. A block whose releases are drawn from one stream; see ``simulate``."""

    def __init__(self, stream: bytes) -> None:
        self._stream, self._entered = stream, False
        self._blocks: list[AbstractContextManager[object]] = []

    def __enter__(self) -> None:
        self._entered = True
        self._blocks.append(simulation(HashedBits(self._stream)))
        self._blocks[-1].__enter__()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._blocks.pop().__exit__(kind, error, trace)

    def __del__(self) -> None:
        if not self._entered:
            warnings.warn(
                "simulate(seed) was called without a block, and does nothing: write "
                "with simulate(seed): and the releases below it",
                RuntimeWarning,
                stacklevel=2,
            )


@explained
def simulate(seed: int | str | bytes, *, stream: int | str | None = None) -> Simulation:
    """NOT PRIVATE. Draw from a stream fixed by ``seed`` inside the ``with`` block.

    Every release in the block is a ``SimulatedRelease``, whose repr says so. The stream belongs to
    this context: a block inside a block has its own stream, and the outer one goes on where it was.
    Other threads and processes are outside of it, also those that are started inside (such as the
    jobs of ``n_jobs=2``): they draw from the operating system and charge a real ledger.

    Parameters
    ----------
    seed : int, str or bytes
        Equal seeds give equal streams, on every machine and in every version of Python: a second
        block with the same seed **repeats the noise of the first**. That is right for a result that
        is to come out again, and wrong where two are compared: their errors are then the same.
    stream : int or str, optional
        Another stream of the same seed. Streams are independent of each other, so give each of the
        results that are compared, or each repetition, its own.

    Raises
    ------
    ProductionError
        When the environment variable LEASTNOISE_PRODUCTION is set.
    ParameterTypeError
        For a seed or a stream of another type.

    Examples
    --------
    >>> import leastnoise as ln
    >>> from leastnoise.testing import simulate
    >>> with simulate(7):
    ...     first = ln.release(ln.Median(bounds=(0, 100)), [20, 30, 40], epsilon=1)
    >>> with simulate(7):
    ...     second = ln.release(ln.Median(bounds=(0, 100)), [20, 30, 40], epsilon=1)
    >>> first.value == second.value, first.secure
    (True, False)
    >>> noise = []
    >>> for repetition in range(100):
    ...     with simulate(7, stream=repetition):
    ...         noise.append(ln.release(ln.Count(), [0] * 50, epsilon=1).value)
    >>> len(set(noise)) > 1
    True
    """
    if isinstance(seed, np.integer):
        seed = int(seed)
    if isinstance(seed, bool) or not isinstance(seed, (int, str, bytes)):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers are not type-checked
        raise ParameterTypeError(f"seed must be an int, text or bytes, not {type(seed).__name__}")
    if stream is not None and (isinstance(stream, bool) or not isinstance(stream, (int, str))):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers are not type-checked
        raise ParameterTypeError(f"stream must be an int or text, not {type(stream).__name__}")
    if in_production():
        raise ProductionError(
            "simulate gives results that are not private, and LEASTNOISE_PRODUCTION forbids it"
        )
    # the type is part of the stream's name, so that 1, "1" and b"1" are three streams
    name = f"{type(seed).__name__}:".encode()
    text = seed if isinstance(seed, bytes) else str(seed).encode()
    if stream is not None:
        which = f"{type(stream).__name__}:{stream}".encode()
        name = b"stream %d:%b%b" % (len(which), which, name)
    return Simulation(name + text)
