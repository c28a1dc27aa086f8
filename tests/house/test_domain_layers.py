"""Domains import downward only: their order in cloud/domains/names.py is that of their layers.

Read from the import graph (grimp, which import-linter uses), so an import in a function counts as well. A new
domain is held to its place by its line in names.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import grimp
import pytest
import rules

from cloud.domains.names import NAMES

ENTRY = "all"
"""Imports every domain, so none may import it."""


def upward(package: str, names: Sequence[str]) -> list[str]:
    """Imports between modules of the package's parts that are not of a part before it in names.

    A part that is not in names is below all of them, ENTRY above.
    """
    graph = grimp.build_graph(package.split(".")[0], cache_dir=None)
    rank = {name: at for at, name in enumerate([*names, ENTRY])}

    def layer(module: str) -> int:
        return rank.get(module.removeprefix(f"{package}.").split(".")[0], -1)

    return sorted(
        f"{importer} -> {imported}"
        for importer in graph.find_descendants(package)
        for imported in graph.find_modules_directly_imported_by(importer)
        if imported.startswith(f"{package}.") and layer(imported) > layer(importer)
    )


def test_no_domain_imports_a_higher_one() -> None:
    assert upward("cloud.domains", NAMES) == []


def test_every_package_of_a_domain_is_listed() -> None:
    folder = rules.ROOT / "cloud" / "cloud" / "domains"
    assert {path.parent.name for path in folder.glob("*/__init__.py")} == set(NAMES)


@pytest.mark.parametrize(
    ("part", "line"),
    [
        ("low", "import planted_layers.domains.high"),
        ("low", "def late():\n    from planted_layers.domains.high import thing"),
        ("base", "from planted_layers.domains.low import thing"),
        ("high", "from planted_layers.domains import all"),
    ],
)
def test_a_planted_upward_import_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str, line: str
) -> None:
    domains = tmp_path / "planted_layers" / "domains"
    domains.mkdir(parents=True)
    for name, text in {
        "../__init__": "", "__init__": "", "base": "", "low": "thing = 1\n",
        "high": "from planted_layers.domains.low import thing\n",
        "all": "import planted_layers.domains.high, planted_layers.domains.low\n",
    }.items():  # fmt: skip
        (domains / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    assert upward("planted_layers.domains", ("low", "high")) == []
    with (domains / f"{part}.py").open("a") as file:
        file.write(f"{line}\n")
    found = upward("planted_layers.domains", ("low", "high"))
    assert [each.split(" -> ")[0] for each in found] == [f"planted_layers.domains.{part}"]
