"""Ctrl-C while only synthetic data was touched: a quick end, no worker left, and a resume."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROGRAM = """
import sys, time
import numpy as np
import leastnoise as ln

def slow(records):
    time.sleep(0.02)
    return float(np.mean(records))

def draw(rng, size):
    return rng.normal(size=size)

if __name__ == "__main__":
    workers, path = int(sys.argv[1]), sys.argv[2]
    sampler = ln.SensitivitySampler(
        slow, draw_record=draw, n=20, gamma="0.01", workers=workers, checkpoint=path
    )
    sampler.plan(file=sys.stderr)
    print("started", flush=True)
    try:
        sampler.estimate()
    except KeyboardInterrupt:
        print(f"kept {len(sampler.changes)}", flush=True)
        raise SystemExit(3)
    print(f"done {len(sampler.changes)}", flush=True)
"""


def children_of(pid: int) -> list[int]:
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            if int(stat.rsplit(")", 1)[1].split()[1]) == pid:
                found += [int(entry.name), *children_of(int(entry.name))]
    return found


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="children are listed from /proc")
@pytest.mark.parametrize("workers", [1, 2])
def test_interrupt_ends_quickly_and_resumes(tmp_path: Path, workers: int):
    script, checkpoint = tmp_path / "run.py", tmp_path / "kept.json"
    script.write_text(PROGRAM, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, str(script), str(workers), str(checkpoint)]
    run = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    assert run.stdout is not None
    assert run.stderr is not None
    assert run.stdout.readline() == "started\n"
    time.sleep(2.5)  # progress shows after two seconds
    for _ in range(600):
        if checkpoint.exists():  # something was measured
            break
        time.sleep(0.1)
    descendants = children_of(run.pid)
    assert len(descendants) >= (workers if workers > 1 else 0)
    start = time.monotonic()
    run.send_signal(signal.SIGINT)
    out, errors = run.communicate(timeout=60)
    ended = time.monotonic() - start
    assert run.returncode == 3, errors
    assert ended < 10  # two seconds on an idle machine; tests share theirs
    print(f"{workers} workers: ended after {ended:.2f} s")
    measured = int(out.split()[1])
    assert 0 < measured < 688
    for _ in range(50):
        if not any(alive(pid) for pid in descendants):
            break
        time.sleep(0.1)
    assert [pid for pid in descendants if alive(pid)] == []
    kept = json.loads(checkpoint.read_text(encoding="utf-8"))
    assert sum(map(len, kept["changes"].values())) == measured
    assert "sampling pairs" not in errors  # standard error is no terminal


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo terminals")
def test_progress_is_shown_on_a_terminal(tmp_path: Path):
    script, checkpoint = tmp_path / "run.py", tmp_path / "kept.json"
    script.write_text(PROGRAM, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TERM": "xterm"}
    command = [sys.executable, str(script), "1", str(checkpoint)]
    screen, terminal = os.openpty()
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=terminal, env=environment)
    os.close(terminal)
    shown = b""
    while b"sampling pairs" not in shown:
        shown += os.read(screen, 4096)
    run.send_signal(signal.SIGINT)
    while run.poll() is None:
        try:
            os.read(screen, 4096)
        except OSError:  # the other end is closed
            break
    run.communicate(timeout=60)
    os.close(screen)
    assert run.returncode == 3
