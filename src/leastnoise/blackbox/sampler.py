"""The sensitivity sampler: how much a program's answer changes with one record, by sampling."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise import randomness
from leastnoise.blackbox.checkpoint import Done, Mark, check_same, load, parse_path, save, spread
from leastnoise.blackbox.estimate import SensitivityEstimate
from leastnoise.blackbox.forms import form_of
from leastnoise.blackbox.identity import fingerprint, name_of
from leastnoise.blackbox.norms import VectorNorms, in_dimension, norm_name, parse_norm, rounding
from leastnoise.blackbox.plan import Plan, plan_of
from leastnoise.blackbox.program import ROUNDING, rehearsed
from leastnoise.blackbox.records import PAIR_SHARE, Changes, DrawnRecords, parse_draw
from leastnoise.blackbox.reproducible import check_drawing
from leastnoise.blackbox.sizes import GUARANTEES, SampleSize, sample_size
from leastnoise.blackbox.stored import lattice_step
from leastnoise.blackbox.workers import cpus, progress, results
from leastnoise.errors import ParameterError, ParameterTypeError, quoted
from leastnoise.params import is_one_of, parse_count, parse_delta, parse_flag
from leastnoise.record import Release

Array = NDArray[Any]
# Numbers of one stack of databases; more would leave the cache.
_STACK = 1 << 17
_CHUNKS = 256
# A change of less than this share of the largest drawn answer may be rounding alone.
_RELATIVE = Fraction(1, 1 << 40)
_MOST_PAIRS = 1 << 40
_PARALLEL_SECONDS = 3.0
_SAVE_SECONDS = 1.0
# Chunks of a kept run that are measured again before it goes on.
_REDRAWN = 8


class SensitivitySampler:
    """Measure the sensitivity of any program on synthetic pairs of neighbouring databases.

    Parameters
    ----------
    function : callable
        From a database of n records, an array of shape (n, ...), a pandas frame or a list, to a
        number or a fixed number of them. Deterministic. Or, far faster, from many databases at
        once, an array (b, n, ...), to (b, ...).
    draw_record : callable
        ``draw_record(rng, size)`` gives ``size`` independent records, also as a frame (fast);
        ``draw_record(rng)`` or ``draw_record()`` one; ``rng`` is a numpy generator, from which all
        randomness is taken: equal generators must give equal records. It defines the distribution
        that the guarantee speaks of. Public: it must not use the private data.
    n : int
        Records of a database, public.
    norm : "l1", "l2", "linf" or a ball
        In which answers are compared: "l1" for ``Laplace``, "l2" for ``Gaussian``, "linf" for
        ``Exponential``, ``PermuteAndFlip`` and ``Bernstein``, the ball for ``KNorm``. Changes of
        one number are measured in absolute value.
    gamma : number, optional
        The share of pairs that may change by more, 0 < gamma < 1. Required unless m is given.
    beta : number
        With "two-level": the chance that the share is larger, by bad luck of the sampler.
    guarantee : "two-level", "marginal" or "paper"
        "two-level" (errata 4.8): the released sensitivity covers a share 1 - gamma with confidence
        1 - beta. "marginal": gamma counts both kinds of bad luck. "paper": the same, by the paper's
        Theorem 15, whose sizes are far larger for small gamma.
    m : int, optional
        Pairs to sample. Default: the fewest that gamma allows; more give a smaller sensitivity.
    bounds : pair, optional
        Public limits of every coordinate of an answer; answers are cut to them.
    batch : bool, optional
        Whether the function takes many databases at once. Default: found out on drawn
        records. True is compared with databases alone.
    pair : callable, optional
        An accelerated pair: from n + 1 records to the answers for the first n and for the first
        n - 1 with the last, cheaper than two calls. Its changes are compared with those of two
        calls on drawn records, which must not depend on their order; the share by which they may
        differ, 2**-10, and rounding, 2**-36 of an answer, are added to the sensitivity. Where it
        fails, two calls are made.
    workers : int, optional
        Processes. Default: all, where one would take more than three seconds.
    checkpoint : path, optional
        A file that keeps what was measured, so that another process can resume.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is invalid, the function or ``draw_record`` fails, the records are not
        determined by the generator, the function gives two answers for the same data, or the pair
        does not change as two calls do. Nothing private was touched.

    Notes
    -----
    Guarantee of a response: ``RandomDP``, weaker than differential privacy: see
    ``estimate.in_words()`` and docs/black-box.md. For a proved guarantee of a black box use
    ``SampleAndAggregate``. Source: Rubinstein and Alda (2017), Algorithms 1 and 2;
    ``docs/proofs/sensitivity-sampler.md``.

    Examples
    --------
    >>> import numpy as np
    >>> import leastnoise as ln
    >>> sampler = ln.SensitivitySampler(
    ...     np.mean, draw_record=lambda rng, size: rng.exponential(size=size), n=100, gamma="0.05"
    ... )
    >>> estimate = sampler.estimate()
    >>> estimate.m, estimate.k, 0.02 < float(estimate) < 0.3
    (135, 135, True)
    >>> private = np.random.default_rng(1).exponential(size=100)
    >>> sampler.respond(private, epsilon=1).guarantee.gamma
    Fraction(1, 20)
    """

    def __init__(
        self,
        function: Callable[[Any], Any],
        *,
        draw_record: Callable[..., Any],
        n: int,
        norm: Any = "l1",
        gamma: object = None,
        beta: object = "1e-3",
        guarantee: str = "two-level",
        m: int | None = None,
        bounds: object = None,
        batch: bool | None = None,
        pair: Callable[[Any], Any] | None = None,
        workers: int | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> None:
        if not is_one_of(guarantee, GUARANTEES):
            raise ParameterError(
                f"guarantee must be one of {', '.join(map(repr, GUARANTEES))}, got "
                f"{quoted(guarantee)}"
            )
        self.n = parse_count(n, "n")
        self.norm = parse_norm(norm)
        self.size: SampleSize = sample_size(
            guarantee,
            gamma=None if gamma is None else parse_delta(gamma, "gamma"),
            beta=parse_delta(beta, "beta"),
            m=None if m is None else parse_count(m, "m"),
        )
        batch = None if batch is None else parse_flag(batch, "batch")
        if self.size.m > _MOST_PAIRS:
            raise ParameterError(
                f"gamma={self.size.gamma} needs {float(self.size.m):.1e} pairs, but at most "
                f"{_MOST_PAIRS:.1e} can be sampled: use a larger gamma"
            )
        if pair is not None:
            if not callable(pair):
                raise ParameterError(
                    "pair must be callable: it takes n + 1 records and returns the answers for "
                    f"the first n, and for the first n - 1 with the last; got {quoted(pair)}"
                )
            if batch:
                raise ParameterError("pair= replaces single calls; omit batch")
            batch = False
        self.records: DrawnRecords = parse_draw(draw_record)
        self.workers = None if workers is None else parse_count(workers, "workers")
        self._pair = pair
        self._path = parse_path(checkpoint)
        if self.records.arity:
            check_drawing(self.records.seeded(self._entropy(), self.n + 1))
        rng = np.random.default_rng(self._entropy())  # public, synthetic: see records.py
        start = time.perf_counter()
        self.program, dummy = rehearsed(
            function, lambda: self.records.many(rng, self.n), bounds=bounds, batch=batch
        )
        # the rehearsal called it twice
        self.seconds = (time.perf_counter() - start) / 2
        self.norm, _ = in_dimension(self.norm, self.program.dimension)
        self._largest = 0.0
        if pair is not None:
            self._largest = self._task(0, ()).check_pair(rng, float(self._box))
        self._width = dummy.size if isinstance(dummy, np.ndarray) else self.n
        self._form = form_of(dummy)
        self._done: Done | None = None
        self._estimate: SensitivityEstimate | None = None

    def __repr__(self) -> str:
        size = self.size
        return (
            f"SensitivitySampler({name_of(self.program.function)}, n={self.n}, "
            f"norm={norm_name(self.norm)!r}, {size.guarantee}, m={size.m}, k={size.k}, "
            f"gamma={size.gamma}, beta={size.beta})"
        )

    @staticmethod
    def _entropy() -> int:
        return randomness.active().bits(128)

    def draw_record(self, rng: np.random.Generator, count: int = 1) -> Any:
        """``count`` synthetic records, for a look at the distribution that is meant. Public.

        Parameters
        ----------
        rng : numpy.random.Generator
            Such as ``numpy.random.default_rng(1)``.
        count : int
            At least 1.
        """
        if not isinstance(rng, np.random.Generator):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers are not type-checked
            raise ParameterTypeError(f"rng must be a numpy generator, not {type(rng).__name__}")
        return self.records.many(rng, parse_count(count, "count"))

    def plan(self, *, file: Any = None) -> Plan:
        """Print what sampling will cost and what it buys, before any work; nothing is measured.

        Parameters
        ----------
        file
            Where to; default standard output.
        """
        found = plan_of(self.size, self.seconds, self._processes())
        found.print(file)
        return found

    def _processes(self) -> int:
        if self.program.batch or self.records.arity == 0:
            return 1  # stacks are fast; a generator of the user's own must not be forked
        if self.workers is not None:
            return self.workers
        return cpus() if 2 * self.size.m * self.seconds > _PARALLEL_SECONDS else 1

    def _sizes(self) -> tuple[int, ...]:
        """Pairs of every chunk: a function of public parameters, so a run can be resumed."""
        m = self.size.m
        if self.program.batch:
            per = max(1, _STACK // max(1, self._width))
        else:
            per = max(1, ceil(m / _CHUNKS))
        return tuple(min(per, m - start) for start in range(0, m, per))

    def estimate(
        self, *, show_progress: bool = True, same_function: bool = False
    ) -> SensitivityEstimate:
        """Sample, or go on where an interrupted run stopped; later calls give the same estimate.

        Only synthetic data is touched, and no budget. Ctrl-C ends the run with no process left;
        call again to resume.

        Parameters
        ----------
        show_progress : bool
            Whether the remaining time is shown on standard error, where that is a terminal.
        same_function : bool
            Say that function, ``draw_record`` and ``pair`` are those of the interrupted run, where
            that cannot be seen from code, captured values and globals.

        Raises
        ------
        ParameterError
            If the sampled sensitivity is 0 or not finite: neither can scale noise. If the
            interrupted run, or the checkpoint, is damaged or of another function or law.
        """
        assume = parse_flag(same_function, "same_function")
        if self._estimate is None:
            self._estimate = self._settled(self._measured(show_progress, assume))
        return self._estimate

    @property
    def changes(self) -> Array:
        """The changes G_i measured by now, sorted; public."""
        return _sorted(self._done)

    # measuring

    def _task(self, entropy: int, sizes: tuple[int, ...]) -> Changes:
        return Changes(
            self.program,
            self.records,
            VectorNorms(self.norm),
            self.n,
            entropy,
            sizes,
            self._pair,
        )

    def _measured(self, show_progress: bool, assume: bool) -> Done:
        sizes, mark = self._sizes(), self._mark()
        done = self._done
        if done is None and self._path is not None:
            done = load(self._path, sizes)
        if done is None:
            done = Done(mark, self._entropy())
        elif done is not self._done or len(done.changes) < len(sizes):
            self._check_kept(done, mark, assume)
            done.mark = mark
        self._done = done
        missing = [i for i in range(len(sizes)) if i not in done.changes]
        task = self._task(done.entropy, sizes)
        saved = time.monotonic()
        try:
            with progress(self.size.m, "sampling pairs", show_progress) as bar:
                count = sum(map(len, done.changes.values()))
                for chunk in results(task, missing, self._processes()):
                    count += done.add(chunk)
                    bar.update(count)
                    if time.monotonic() - saved > _SAVE_SECONDS:
                        saved = time.monotonic()
                        self._save(done)
        finally:
            self._save(done)
        return done

    def _mark(self) -> Mark:
        """The parameters that must be equal for measurements of another run to be used."""
        named = {"function": self.program.function, "draw_record": self.records.draw}
        if self._pair is not None:
            named["pair"] = self._pair
        asked = {
            "m": self.size.m,
            "n": self.n,
            "norm": norm_name(self.norm),
            "function": name_of(self.program.function),
            "dimension": self.program.dimension,
            "bounds": str(self.program.bounds),
            "form": str(self._form),
            "chunks": list(self._sizes()),
        }
        return Mark(asked, {name: fingerprint(function) for name, function in named.items()})

    def _check_kept(self, done: Done, mark: Mark, assume: bool) -> None:
        """Refuse what another function measured: by fingerprints, and by drawing some pairs again.

        A ``draw_record()`` without a generator cannot be drawn again.
        """
        check_same(done.mark, mark, assume)
        if not self.records.arity:
            return
        task = self._task(done.entropy, self._sizes())
        again = spread(list(done.changes), _REDRAWN)
        for chunk in results(task, again, self._processes()):
            if not np.allclose(chunk.changes, done.changes[chunk.number], rtol=1e-6, atol=0):
                raise ParameterError(
                    "pairs of the interrupted run, drawn again, change by different amounts, so "
                    "it belongs to another function or is damaged: make a new sampler, with "
                    "another checkpoint or none"
                )

    def _save(self, done: Done) -> None:
        if self._path is not None:
            save(self._path, done)

    # from changes to an estimate

    def _settled(self, done: Done) -> SensitivityEstimate:
        size, failures, sorted_changes = self.size, done.failures, _sorted(done)
        change = float(sorted_changes[size.k - 1])
        if failures == 2 * size.m:
            raise ParameterError(
                "function failed on every drawn database, so nothing was measured; check it on "
                "sampler.draw_record"
            )
        if not isfinite(change):
            raise ParameterError(
                "the sampled sensitivity is not finite: give bounds= for the answers, so that "
                "they are clipped to a public range"
            )
        if change == 0:
            zero = float((sorted_changes == 0).mean())
            raise ParameterError(
                f"the sampled sensitivity is 0: {zero:.0%} of the pairs did not change the "
                "answer, and noise of scale 0 would release the exact answer. Use a smaller "
                "gamma, more pairs m, or SampleAndAggregate"
            )
        if change <= _RELATIVE * Fraction(done.largest) * self._box:
            raise ParameterError(
                f"the sampled sensitivity, {change:.1e}, is at the level of rounding errors in "
                f"answers around {done.largest:.1e}: noise of this scale would not hide them. Use "
                "a smaller gamma or more pairs m, subtract a public constant if answers are far "
                "from 0, or use SampleAndAggregate"
            )
        dimension = self.program.dimension
        sensitivity = Fraction(change) + self._slack(done, Fraction(change))
        return SensitivityEstimate(
            sensitivity=sensitivity,
            norm=norm_name(self.norm),
            n=self.n,
            m=size.m,
            k=size.k,
            guarantee=size.guarantee,
            gamma=size.gamma,
            beta=size.beta,
            rho=size.rho,
            dimension=dimension,
            step=lattice_step(sensitivity, dimension),
            bounds=self.program.bounds,
            function=name_of(self.program.function),
            code=done.mark.codes["function"],
            form=self._form,
            batch=self.program.batch,
            failures=failures,
        )

    @property
    def _box(self) -> Fraction:
        return rounding(self.norm, self.program.dimension)

    def _slack(self, done: Done, change: Fraction) -> Fraction:
        """A margin for answers that depend on how they are computed: in stacks or in pairs.

        It is what the comparisons at the start allow. A stack may be off at both databases; a pair
        by a share of its change and rounding, and the order of records by rounding at both.
        """
        rounded = Fraction(ROUNDING) * Fraction(max(self._largest, done.largest)) * self._box
        if self._pair is not None:
            return Fraction(PAIR_SHARE) * change + 3 * rounded
        return Fraction(0) if self.program.exact else 2 * rounded

    def respond(
        self,
        data: object,
        *,
        epsilon: object,
        mechanism: object = None,
        candidates: Sequence[object] | None = None,
        ledger: object = None,
        dataset: str | None = None,
        table: str = "main",
        purpose: str | None = None,
    ) -> Release:
        """Sample if that was not done yet, then release the function of private data.

        Parameters
        ----------
        data
            n records in the form in which ``draw_record`` draws them: kind, shape of a record,
            columns and declared types are compared. A list may stand for an array, and a series for
            an array of numbers.
        epsilon : number
            The privacy parameter of the whole answer.
        mechanism
            ``Laplace()`` (default), ``Gaussian(delta=)``, ``DiscreteGaussian(delta=)``,
            ``KNorm(ball)``, ``Bernstein(...)``; ``Exponential()`` or ``PermuteAndFlip()`` where the
            function gives a score for each of several candidates, high is good.
        candidates : sequence, optional
            What the scores belong to; their number is checked.
        ledger, dataset, table, purpose
            As for ``leastnoise.release``. The ledger's budget must be ``RandomDP``. A second
            release of the same table with the same estimate pays epsilon only: gamma is the same
            event.

        Returns
        -------
        Release
            Its guarantee is ``RandomDP(epsilon, delta, gamma, beta)``; ``sampled`` tells m, k, rho
            and the sensitivity; ``notes`` say in words what that means and what not. An answer that
            fails on private data is the constant in the middle of the bounds, else 0.

        Raises
        ------
        ParameterError, ParameterTypeError
            If a parameter is invalid, the records differ in number or form, or the mechanism cannot
            use the norm; before the function sees private data and at no cost.
        BudgetExceededError, LedgerError
            From the ledger; nothing was drawn.
        """
        return self.estimate().respond(
            self.program.function,
            data,
            epsilon=epsilon,
            mechanism=mechanism,
            norm=self.norm,
            same_function=True,
            same_norm=True,
            candidates=candidates,
            ledger=ledger,
            dataset=dataset,
            table=table,
            purpose=purpose,
        )


def _sorted(done: Done | None) -> Array:
    kept = () if done is None else done.changes.values()
    return np.sort(np.concatenate([np.zeros(0), *map(np.asarray, kept)]))
