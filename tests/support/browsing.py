"""A real browser, and a JupyterLab to look at with it. Every step waits for what a person would wait for."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, Page, sync_playwright

QUIET = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
QUIET += ["--disable-background-networking", "--disable-component-update"]
SECONDS = 180  # a machine may be busy


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """Chromium, Debian's or Playwright's own, with a new and empty profile; a skipped test where there is none."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with sync_playwright() as playwright:
        try:
            started = playwright.chromium.launch(executable_path=found, args=QUIET)
        except Error as reason:
            pytest.skip(f"no browser is installed: {str(reason).splitlines()[0]}")
        yield started
        started.close()


@contextlib.contextmanager
def opened(browser: Browser) -> Iterator[Page]:
    """A page of the browser, on which a step may take its time."""
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    page.set_default_timeout(SECONDS * 1000)
    yield page
    page.close()


@contextlib.contextmanager
def jupyterlab(folder: Path, home: Path) -> Iterator[str]:
    """The address of a JupyterLab that works in a folder, with default settings."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}"]
    command += [
        "--ServerApp.port_retries=0",
        f"--ServerApp.root_dir={folder}",
        "--IdentityProvider.token=",
        "--LabApp.expose_app_in_browser=True",
    ]
    environment = os.environ | {"HOME": str(home), "JUPYTER_CONFIG_DIR": str(home / "jupyter"), "IPYTHONDIR": str(home)}
    with (home / "log").open("w") as log:
        server = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT)
    try:
        _wait_for(f"http://127.0.0.1:{port}/api", server, home / "log")
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(SECONDS)


def _wait_for(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    """Ask until JupyterLab answers; between two requests, notice whether it has ended."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        try:
            urllib.request.urlopen(address, timeout=5).close()  # noqa: S310  (our own server)
            return
        except OSError:
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.wait(0.2)
                break
    pytest.fail(f"JupyterLab did not start:\n{log.read_text()}")
