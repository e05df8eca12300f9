"""Pictures of norm balls."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from leastnoise import geometry, plots
from leastnoise.errors import ParameterError
from support.optional import optional

optional("matplotlib")


def test_every_ball_touches_the_space_and_holds_it(tmp_path: Path) -> None:
    space = geometry.SensitivitySpace.from_box(lambda z: (z[0], 2 * z[0] ** 2), [(-1, 1)], levels=9)
    table = geometry.compare({**geometry.lp_balls(2), "hull": space.hull()}, space)
    axes = plots.balls(table)
    lines = {str(line.get_label()): np.asarray(line.get_xydata()) for line in axes.get_lines()}
    assert set(lines) == {"sensitivity", "l1", "l2", "linf", "hull"}
    for row in table.rows:
        edge = lines[row.name]
        assert np.allclose(row.ball.norms(edge), row.sensitivity)
        assert row.ball.norms(lines["sensitivity"]).max() == pytest.approx(row.sensitivity)
    plots.save(axes, tmp_path / "balls.svg")
    assert "hull" in (tmp_path / "balls.svg").read_text(encoding="utf-8")


def test_contours_hold_their_share_of_the_noise() -> None:
    ball = geometry.LpBall(1, 2)
    axes = plots.contours(ball, epsilon=2, sensitivity=3, shares=(0.5, 0.9))
    draws = ball.sample_noise(20_000, 2 / 3, np.random.default_rng(0))
    for line, share in zip(axes.get_lines(), (0.5, 0.9), strict=True):
        size = float(ball.norms(np.asarray(line.get_xydata())).max())
        inside = int((ball.norms(draws) <= size).sum())
        assert stats.binomtest(inside, len(draws), share).pvalue > 1e-4


def test_only_two_dimensions_are_drawn() -> None:
    space = geometry.SensitivitySpace.from_points([(1, 0, 0), (0, 1, 0), (0, 0, 1)])
    with pytest.raises(ParameterError, match="two dimensions"):
        plots.balls(geometry.compare(geometry.lp_balls(3), space, draws=1000))
    with pytest.raises(ParameterError, match="two dimensions"):
        plots.contours(geometry.LpBall(1, 3))
    with pytest.raises(ParameterError, match="between 0 and 1"):
        plots.contours(geometry.LpBall(1, 2), shares=(1.0,))
