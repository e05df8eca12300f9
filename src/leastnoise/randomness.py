"""Where random bits come from: the operating system, or a simulation stream.

Nothing here is seeded for a release. A simulation replaces the source inside a
context only, never for the process.

A Bernoulli draw whose probability x is a certified real number takes one uniform U on [0, 1), which
is revealed bit by bit: after B bits it is known to lie in ``[u, u + 1) / 2**B``. With
``lo <= 2**B x <= hi``, ``u + 1 <= lo`` proves ``U < x`` and ``u >= hi`` proves ``U >= x``;
otherwise *the same* U is extended. A fresh U would be biased towards the decided region.
"""

import os
import struct
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Protocol

from leastnoise.numbers.exact import scaled_exp_enclosure
from leastnoise.production import in_production

_WORD = 64
_BLOCK_BYTES = 4096
_BLOCK_BITS = 8 * _BLOCK_BYTES
BLOCK_WORDS = _BLOCK_BITS // _WORD
"""Words that a source of words makes at once."""
_BLOCK = struct.Struct(f"<{BLOCK_WORDS}Q")


# The only process-wide mutable state: words not yet served.
_entropy: list[int] = []
if hasattr(os, "register_at_fork"):  # absent on Windows, which cannot fork
    os.register_at_fork(after_in_child=_entropy.clear)


class BitSource(Protocol):
    """A stream of independent fair bits."""

    def bits(self, k: int) -> int:
        """Return an integer uniform on ``[0, 2**k)``, ``k >= 0``."""
        ...

    def below(self, n: int) -> int:
        """Return an integer uniform on ``[0, n)``, ``n >= 1``."""
        ...


class Words:
    """Bits from 64-bit words that ``_block`` supplies 512 at a time.

    ``list.pop`` hands a word to exactly one thread, so no lock is needed; two
    threads that find the list empty each add a block of their own.
    """

    __slots__ = ("_words",)

    def __init__(self, words: list[int]) -> None:
        self._words = words

    def _block(self) -> bytes:
        raise NotImplementedError

    def _word(self) -> int:
        while True:
            try:
                return self._words.pop()
            except IndexError:
                self._words.extend(reversed(_BLOCK.unpack(self._block())))

    def words(self, count: int) -> list[int]:
        """That many words, one by one: another thread may take some in between."""
        found: list[int] = []
        pop, add = self._words.pop, found.append
        while len(found) < count:
            try:
                for _ in range(count - len(found)):
                    add(pop())
            except IndexError:
                add(self._word())
        return found

    def packed(self, count: int) -> bytes:
        """The next words, as many and up to a block more: 8 bytes each, the lowest first."""
        found: list[int] = []
        pop, add = self._words.pop, found.append
        with suppress(IndexError):
            for _ in range(count):
                add(pop())
        more = self.blocks(-(-(count - len(found)) // BLOCK_WORDS))
        return struct.pack(f"<{len(found)}Q", *found) + more

    def blocks(self, count: int) -> bytes:
        """As many blocks of words in the same form, past the words not yet served."""
        return b"".join([self._block() for _ in range(count)])

    def unread(self, words: list[int]) -> None:
        """Take back words that were not used to decide anything; they are served next."""
        self._words.extend(reversed(words))

    def bits(self, k: int) -> int:
        """Return an integer uniform on ``[0, 2**k)``; ValueError for ``k < 0``."""
        if 0 < k <= _WORD:
            try:
                return self._words.pop() >> (_WORD - k)
            except IndexError:
                return self._word() >> (_WORD - k)
        if k <= 0:
            if k < 0:
                raise ValueError("k must be >= 0")
            return 0
        if k <= 2 * _WORD:
            return (self._word() << _WORD | self._word()) >> (2 * _WORD - k)
        blocks, rest = divmod(k, _BLOCK_BITS)  # whole blocks, past the buffer; the first is highest
        high = b"".join(reversed([self._block() for _ in range(blocks)]))
        count, last = divmod(rest, _WORD)
        low = struct.pack(f">{count}Q", *self.words(count))
        value = int.from_bytes(high, "little") << _WORD * count | int.from_bytes(low, "big")
        return value << last | self._word() >> (_WORD - last) if last else value

    def below(self, n: int) -> int:
        """Return an integer uniform on ``[0, n)`` by rejection; ValueError for ``n < 1``."""
        if n < 1:
            raise ValueError("n must be >= 1")
        k = (n - 1).bit_length()
        while True:
            value = self.bits(k)
            if value < n:
                return value


class SystemBits(Words):
    """Bits of ``os.urandom``, read 4 KiB at a time.

    All instances draw from the one buffer of this process, which a forked child
    drops. No bit is served twice: a pickle or a copy carries none.
    """

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(_entropy)

    def _block(self) -> bytes:
        return os.urandom(_BLOCK_BYTES)

    def __reduce__(self) -> tuple[type["SystemBits"], tuple[()]]:
        return SystemBits, ()


class HashedBits(Words):
    """NOT PRIVATE: a deterministic stream for simulation only.

    Block i is SHAKE-256 of (length of the seed, seed, i).
    """

    __slots__ = ("_counter", "_seed")

    def __init__(self, seed: bytes) -> None:
        super().__init__([])
        self._seed = len(seed).to_bytes(8, "little") + bytes(seed)
        self._counter = 0

    def _block(self) -> bytes:
        counter = self._counter
        self._counter = counter + 1
        import hashlib  # which loads OpenSSL, for simulations alone

        return hashlib.shake_256(self._seed + counter.to_bytes(16, "little")).digest(_BLOCK_BYTES)


_system = SystemBits()
_override: ContextVar[BitSource | None] = ContextVar("leastnoise_bit_source", default=None)


def active() -> BitSource:
    """Return the bit source of this context: the system's, unless simulating."""
    source = _override.get()
    return _system if source is None else source


def simulating() -> bool:
    """Return whether this context draws from a simulation source."""
    return _override.get() is not None


@contextmanager
def simulation(source: BitSource) -> Generator[BitSource, None, None]:
    """Draw from ``source`` inside the ``with`` block. NOT PRIVATE.

    Raises
    ------
    RuntimeError
        If the environment variable ``LEASTNOISE_PRODUCTION`` is set.
    """
    if in_production():
        raise RuntimeError("simulation is refused because LEASTNOISE_PRODUCTION is set")
    token = _override.set(source)
    try:
        yield source
    finally:
        _override.reset(token)


_BITS = 64


def bernoulli_real(enclosure: Callable[[int], tuple[int, int]], source: BitSource) -> bool:
    """Return True with probability x, given by ``enclosure(bits) -> (lo, hi)``.

    Requires ``lo <= 2**bits * x <= hi``, ``0 <= x <= 1``, and ``hi - lo`` bounded in bits.
    """
    return extended(enclosure, source.bits(_BITS), source)


def bernoulli_between(
    near: tuple[int, int], enclosure: Callable[[int], tuple[int, int]], source: BitSource
) -> bool:
    """The same where rough bounds on ``2**64 x`` are already known."""
    u = source.bits(_BITS)
    if u < near[0]:
        return True
    if u >= near[1]:
        return False
    return extended(enclosure, u, source)


def extended(enclosure: Callable[[int], tuple[int, int]], u: int, source: BitSource) -> bool:
    """Whether the U whose first 64 bits are u, and the rest to be drawn, lies below x."""
    bits = _BITS
    while True:
        lo, hi = enclosure(bits)
        if u < lo:
            return True
        if u >= hi:
            return False
        u = u << _BITS | source.bits(_BITS)
        bits += _BITS


def bernoulli_exp(p: int, q: int, source: BitSource) -> bool:
    """Return True with probability ``exp(-p/q)``, for ``p >= 0`` and ``q > 0``.

    Raises
    ------
    ValueError
        Outside the domain, before any bit is drawn.
    """
    if p < 0 or q <= 0:
        raise ValueError("p must be >= 0 and q must be > 0")
    if p == 0:
        return True
    u = source.bits(_BITS)
    # 1 - x <= exp(-x) settles most draws of small x without the enclosure.
    if (u + 1) * q <= (q - p) << _BITS:
        return True
    return extended(lambda bits: scaled_exp_enclosure(0, p, q, bits), u, source)


def bernoulli_scaled(shift: int, p: int, q: int, source: BitSource) -> bool:
    """Return True with probability ``min(1, 2**shift * exp(-p/q))``, ``p >= 0``, ``q > 0``.

    Raises
    ------
    ValueError
        Outside the domain, before any bit is drawn.
    """
    if p < 0 or q <= 0:
        raise ValueError("p must be >= 0 and q must be > 0")
    if p == 0 and shift >= 0:
        return True
    u = source.bits(_BITS)
    return extended(lambda bits: scaled_exp_enclosure(shift, p, q, bits), u, source)
