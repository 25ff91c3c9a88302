"""A PostgreSQL server on loopback that lives as long as some tests need it."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

PASSWORD = "correct horse"


@dataclass(frozen=True)
class Server:
    """Where it listens, and the file from which its clients take the password."""

    port: int
    passfile: Path

    def create(self, database: str, template: str = "template1") -> str:
        """The address of a new database, a copy of the template."""
        import psycopg

        where = f"host=127.0.0.1 port={self.port} user=teacher dbname=postgres passfile={self.passfile}"
        with psycopg.connect(where, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {database} TEMPLATE {template}".encode())
        return self.url(database)

    def url(self, database: str) -> str:
        """The address of a database, without any secret."""
        return f"postgresql://teacher@127.0.0.1:{self.port}/{database}"


@contextlib.contextmanager
def started() -> Iterator[Server]:
    """A running server; a skipped test where PostgreSQL is not installed."""
    programs = _programs()
    folder = Path(tempfile.mkdtemp(prefix="postgresql-"))
    try:
        # PostgreSQL refuses to run as root; the folder belongs to the user that it runs as.
        someone = {"user": _ordinary(folder)} if os.getuid() == 0 else {}
        (folder / "password").write_text(PASSWORD)
        (folder / "password").chmod(0o644)  # the folder is closed to others

        def run(program: str, *arguments: str) -> None:
            command = [str(programs / program), *arguments]
            with (folder / "said").open("a") as said:
                how = {
                    "cwd": folder,
                    "stdin": subprocess.DEVNULL,
                    "stdout": said,
                    "stderr": subprocess.STDOUT,
                    **someone,
                }
                done = subprocess.run(command, timeout=600, check=False, **how)  # type: ignore[call-overload]
            assert done.returncode == 0, (folder / "said").read_text()

        data = str(folder / "data")
        run(
            "initdb",
            "-D",
            data,
            "-U",
            "teacher",
            "--auth=scram-sha-256",
            f"--pwfile={folder / 'password'}",
            "--no-sync",
            "-E",
            "UTF8",
        )
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        quiet = (
            f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off -c shared_buffers=16MB"
        )
        run("pg_ctl", "start", "-D", data, "-w", "-t", "300", "-l", str(folder / "log"), "-o", quiet)
        try:
            passfile = folder / "pgpass"
            passfile.write_text(f"127.0.0.1:{port}:*:teacher:{PASSWORD}\n")
            passfile.chmod(0o600)
            yield Server(port, passfile)
        finally:
            run("pg_ctl", "stop", "-D", data, "-m", "immediate", "-w")
    finally:
        shutil.rmtree(folder)


def _programs() -> Path:
    """Debian keeps them off the PATH, by version."""
    found = shutil.which("pg_ctl")
    places = [Path(found).parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not places or not (places[-1] / "initdb").exists():
        pytest.skip("PostgreSQL is not installed (on Debian: apt install postgresql)")
    return places[-1]


def _ordinary(folder: Path) -> int:
    """The id of a user other than root, who now owns the folder."""
    names = {entry.pw_name: entry.pw_uid for entry in pwd.getpwall()}
    user = names.get("postgres", names.get("nobody", 65534))
    os.chown(folder, user, -1)
    return user
