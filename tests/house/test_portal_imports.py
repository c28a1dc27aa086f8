"""Who may import whom in the portal, and no cycle: each rule catches a planted fault."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import rules

WEB = rules.ROOT / "web"
ENV = {**os.environ, "PATH": f"{rules.ROOT / '.venv' / 'bin'}:{os.environ['PATH']}"}
FINE = {
    "lib/time.ts": "export const DAY_H = 24;\n",
    "api/errors.ts": "export const CODE = 1;\n",
    "api/http.ts": "export const call = 1;\n",
    "components/Empty.tsx": "import { CODE } from '@/api/errors';\nexport const empty = CODE;\n",
    "blocks/history/api.ts": "import { call } from '@/api/http';\nexport const load = call;\n",
    "features/events/Log.tsx": "import { load } from '@/blocks/history/api';\nexport const log = load;\n",
    "app/manifest.ts": "import { log } from '@/features/events/Log';\nexport const screens = [log];\n",
}
LAYERS = [
    ("features/map/Card.tsx", "import { log } from '@/features/events/Log';", "feature map may not import"),
    ("features/map/Card.tsx", "import { screens } from '@/app/manifest';", "features may not import app"),
    ("blocks/map/Map.tsx", "import { log } from '@/features/events/Log';", "blocks may not import features"),
    (
        "components/Table.tsx",
        "import { load } from '@/blocks/history/api';",
        "components may not import blocks",
    ),
    ("components/Table.tsx", "import { call } from '@/api/http';", "components may not import api/http"),
    ("lib/format.ts", "import { CODE } from '@/api/errors';", "lib may not import api"),
    ("features/map/Chart.tsx", "import uPlot from 'uplot';", "uplot is imported by src/charts only"),
]
BEHIND = "import { first } from './first';\nexport const second = 2;\nexport const both = [first, second];\n"
CYCLES = [
    ("values", "import { second } from './second';\nexport const first = second;\n", BEHIND),
    (
        "types",
        "import type { Second } from './second';\nexport type First = Second[];\n",
        "import type { First } from './first';\nexport interface Second {\n  all: First;\n}\n",
    ),
]


@pytest.fixture
def portal(tmp_path: Path) -> Path:
    for name in (".oxlintrc.json", "tsconfig.json", "package.json"):
        shutil.copy(WEB / name, tmp_path)
    for name, text in FINE.items():
        plant(tmp_path, name, text)
    return tmp_path


def plant(portal: Path, name: str, text: str) -> None:
    path = portal / "src" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def zones(portal: Path) -> subprocess.CompletedProcess[str]:
    words = ["node", str(WEB / "scripts" / "import-zones.mjs"), str(portal / "src")]
    return subprocess.run(words, env=ENV, capture_output=True, text=True, check=False)


def lint(portal: Path) -> subprocess.CompletedProcess[str]:
    words = ["node", str(WEB / "node_modules" / "oxlint" / "bin" / "oxlint"), "--deny-warnings", "src"]
    return subprocess.run(words, cwd=portal, env=ENV, capture_output=True, text=True, check=False)


def test_a_portal_without_a_fault_passes(portal: Path) -> None:
    for done in (zones(portal), lint(portal)):
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("name", "line", "why"), LAYERS)
def test_a_planted_import_is_found(portal: Path, name: str, line: str, why: str) -> None:
    plant(portal, name, f"{line}\n")
    done = zones(portal)
    assert done.returncode == 1
    assert f"src/{name}" in done.stderr and why in done.stderr


@pytest.mark.parametrize(("first", "second"), [row[1:] for row in CYCLES], ids=[row[0] for row in CYCLES])
def test_a_planted_cycle_is_found(portal: Path, first: str, second: str) -> None:
    plant(portal, "features/map/first.ts", first)
    plant(portal, "features/map/second.ts", second)
    done = lint(portal)
    assert done.returncode == 1
    assert "import(no-cycle)" in done.stdout, done.stdout
