"""Files of firmware, and gateways that take them; what scripts/firmware makes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))

from firmware_files import files

MODEL = "gw-200"


class Signer:
    """A key in a folder, and what it signs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir()
        self.line = files.make_key("release-1", folder)
        self.key = folder / "release-1.key"

    def settings(self, data: Path, *lines: str) -> None:
        """firmware.toml of a gateway that trusts this key."""
        data.mkdir(exist_ok=True)
        text = "\n".join([f'model = "{MODEL}"', *lines, "[keys]", self.line, ""])
        (data / "firmware.toml").write_text(text)

    def sign(self, payload: bytes, **manifest: object) -> Path:
        """A file of firmware with this payload."""
        source, out = self._folder / "payload", self._folder / "firmware.bin"
        source.write_bytes(payload)
        release = files.Release(**{"models": [MODEL], **manifest})  # type: ignore[arg-type]
        files.sign(source, self.key, out, release)
        return out


@pytest.fixture
def signer(tmp_path: Path) -> Signer:
    return Signer(tmp_path / "release desk")


@pytest.fixture
def make_wheel(tmp_path: Path) -> Callable[..., Path]:
    """A wheel of files by name."""
    import zipfile

    def make(content: dict[str, str], name: str = "edge_agent-2.0-py3-none-any.whl") -> Path:
        path = tmp_path / name
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for each, text in content.items():
                archive.writestr(each, text)
        return path

    return make
