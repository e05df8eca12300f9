"""The numbers of the errata: what each correction and improvement gains at equal epsilon.

``docs/errata.md`` of the repository numbers them. A row has an error (or size, or cost)
without the improvement, one with it, and their ratio. The numbers that are stated are those of
``papers/errata/expected.csv``, shown beside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from leastnoise.reproduce import errata_geometry, errata_laws, errata_releases
from leastnoise.reproduce.expected import expected_rows
from leastnoise.reproduce.panels import Panel, Row, Settings

IMPROVEMENTS: tuple[Callable[[Settings], Iterable[Row]], ...] = (
    errata_laws.exact_bounds,
    errata_laws.depth_rule,
    errata_laws.shares,
    errata_laws.public_scale,
    errata_laws.middles,
    errata_laws.log_scale,
    errata_releases.piecewise_vectors,
    errata_geometry.constant_radii,
    errata_geometry.tighter_balls,
    errata_geometry.ball_sampler,
    errata_geometry.sampler_time,
    errata_releases.joint_accountant,
    errata_releases.projection_and_ridge,
    errata_laws.sample_sizes,
    errata_releases.bernstein,
    errata_releases.svm_pairs,
    errata_releases.unknown_bounds,
    errata_releases.quantile_intervals,
    errata_releases.splitting,
    errata_releases.groups,
)
CORRECTIONS: tuple[Callable[[Settings], Iterable[Row]], ...] = (
    errata_laws.overshoot,
    errata_laws.binary_cross_entropy,
    errata_laws.piecewise_against_inverse,
    errata_laws.piecewise_against_laplace,
    errata_laws.second_derivative,
    errata_geometry.hull,
    errata_laws.svm_bound,
    errata_laws.private_count,
    errata_laws.direct_deviation,
)


def stated(panel: str, series: Iterable[str]) -> dict[str, dict[str, float]]:
    """The numbers of the errata that expected.csv has for these series of a panel."""
    found: dict[str, dict[str, float]] = {}
    wanted = set(series)
    for row in expected_rows("errata"):
        if row.panel == panel and row.series in wanted and row.source.startswith("errata"):
            try:
                number = float(row.expected)
            except ValueError:
                continue  # the name of another series
            found.setdefault(f"{row.series}, stated", {})[row.x] = number
    return found


def _table(
    name: str,
    title: str,
    parts: tuple[Callable[[Settings], Iterable[Row]], ...],
    settings: Settings,
    notes: Mapping[str, Any],
) -> Panel:
    series: dict[str, dict[str, float]] = {"without": {}, "with": {}, "factor": {}}
    names: list[str] = []
    errors: dict[str, dict[str, float]] = {}
    for part in parts:
        for row in part(settings):
            names.append(row.name)
            if row.spread is not None:
                errors.setdefault("factor", {})[row.name] = row.spread
            for word, value in row.numbers().items():
                series[word][row.name] = value
    known = stated(name, series)
    columns: dict[str, dict[str, float]] = {}
    for word, column in series.items():
        columns[word] = column
        beside = known.get(f"{word}, stated", {})
        columns[f"{word}, stated"] = {x: beside[x] for x in names if x in beside}
    return Panel(
        name,
        title,
        "row",
        "number",
        columns,
        notes,
        log="y",
        kind="names",
        errors=errors,
        order=tuple(names),
    )


def improvements(settings: Settings) -> Iterator[Panel]:
    """Section 4, every improvement at equal epsilon."""
    told = {"seed streams": "named in the modules errata_laws, errata_geometry, errata_releases"}
    yield _table("improvements", "Improvements at equal epsilon", IMPROVEMENTS, settings, told)


def corrections(settings: Settings) -> Iterator[Panel]:
    """Sections 1 to 3: what printed statements cost, where that is a factor."""
    yield _table("corrections", "Corrections, as factors", CORRECTIONS, settings, {})


def reference(settings: Settings) -> Iterator[Panel]:
    """Section 5: exact expected errors at epsilon = 1 on deterministic data, and sizes."""
    yield from errata_laws.reference(settings)


FIGURES: dict[str, Callable[[Settings], Iterator[Panel]]] = {
    "improvements": improvements,
    "corrections": corrections,
    "reference": reference,
}
