"""Start the page of the explorer in a process of its own, and stop it cleanly."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
import webbrowser
from collections.abc import Callable
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from leastnoise.errors import MissingDependencyError, ParameterError

NOTEBOOK = Path(__file__).with_name("explorer.py")
_SLOWEST_START = 60.0
_STOPPING = 10.0


def check_installed() -> None:
    """Refuse where marimo or matplotlib is missing.

    Raises
    ------
    MissingDependencyError
        With the cure.
    """
    for library in ("marimo", "matplotlib"):
        if find_spec(library) is None:
            raise MissingDependencyError(
                f"the explorer needs {library}: pip install leastnoise[app]", extra="app"
            )


def free_port(host: str, port: int) -> int:
    """The port, or any free one for 0.

    Raises
    ------
    ParameterError
        If the port is invalid or taken, or the host is not an address that only this machine
        reaches: the page has no login.
    """
    if not 0 <= port <= 65_535:  # getaddrinfo would take it modulo 65,536
        raise ParameterError(
            f"port must lie between 0 and 65535, got {port}: choose another --port"
        )
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        if not ip_address(address[0]).is_loopback:
            raise ParameterError(
                f"host must be an address that only this machine reaches, such as 127.0.0.1 or "
                f"::1, got {host!r}: the page has no login; to see it from elsewhere forward its "
                "port, as ssh -L does"
            )
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            return int(probe.getsockname()[1])
    except OSError:
        raise ParameterError(
            f"cannot listen at {host} port {port}: choose another --port or --host; --port 0 takes "
            "any that is free"
        ) from None


def serve(
    file: str,
    reading: dict[str, Any],
    *,
    host: str,
    port: int,
    browser: bool,
    say: Callable[[str], None],
) -> int:
    """Serve the page until Ctrl-C, and tell the exit code."""
    port = free_port(host, port)
    given = json.dumps({"file": str(Path(file).absolute()), "reading": reading})
    command = [sys.executable, "-m", "marimo", "-q", "run", str(NOTEBOOK), "--headless"]
    command += ["--host", host, "--port", str(port), "--", "--given", given]
    page = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    former = signal.signal(signal.SIGTERM, _interrupt)
    try:
        if not _answers(page, host, port):
            raise ParameterError(
                f"the page did not start at {host} port {port}: choose another --port"
            )
        address = f"http://{host}:{port}"
        say(f"The page is at {address}; Ctrl-C stops it.")
        if browser:
            webbrowser.open(address)
        return page.wait()
    except KeyboardInterrupt:
        return 0
    finally:
        signal.signal(signal.SIGTERM, former)
        page.terminate()
        try:
            page.wait(_STOPPING)
        except subprocess.TimeoutExpired:
            page.kill()


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _answers(page: subprocess.Popen[bytes], host: str, port: int) -> bool:
    """Wait until somebody listens; False if the process ended or took too long."""
    end = time.monotonic() + _SLOWEST_START
    while page.poll() is None and time.monotonic() < end:
        try:
            with socket.create_connection((host, port), timeout=1):
                return True
        except OSError:
            time.sleep(0.1)
    return False
