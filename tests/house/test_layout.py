"""The folder tree says what the house is; nothing lies about."""

from pathlib import Path

import rules


def test_top_level_is_the_fixed_one() -> None:
    names = {path.relative_to(rules.ROOT).parts[0] for path in rules.tracked()}
    assert rules.foreign_top_level(names) == set()
    assert {
        "edge-agent",
        "cloud",
        "web",
        "firmware-sim",
        "broker-config",
        "scripts",
        "tests",
        "README.md",
    } <= names
    assert rules.foreign_top_level({"docs", "README.md"}) == {"docs"}


def test_no_name_that_says_nothing() -> None:
    inside = [path.relative_to(rules.ROOT) for path in rules.tracked("*.py", "*.ts", "*.tsx")]
    assert rules.banned_names(p for p in inside if not str(p).startswith(rules.GENERATED)) == []
    assert rules.banned_names([Path("cloud/core/dateUtils.ts"), Path("a/common/b.py")]) == [
        "cloud/core/dateUtils.ts",
        "a/common/b.py",
    ]


def test_files_stay_readable() -> None:
    long = {
        str(path.relative_to(rules.ROOT)): count
        for path in rules.tracked("*.py", "*.ts", "*.tsx")
        if not str(path.relative_to(rules.ROOT)).startswith(rules.GENERATED)
        and (count := len(path.read_text().splitlines())) > rules.MOST_LINES
    }
    assert long == {}


def test_lock_files_name_no_registry() -> None:
    locks = rules.tracked("*requirements*.txt", "web/package-lock.json")
    assert len(locks) >= 6
    for path in locks:
        text = path.read_text()
        if path.suffix == ".json":
            assert '"resolved"' not in text, path
        else:
            assert rules.lock_addresses(text) == [], path
    assert rules.lock_addresses("x @ https://example.org/x.whl --hash=a") == ["https://example.org/x.whl"]


def test_no_path_of_a_machine() -> None:
    for path in rules.tracked():
        if (
            path.suffix not in {".png", ".json", ".gz"}
            and path != Path(rules.__file__)
            and path != Path(__file__)
        ):
            assert rules.machine_paths(path.read_text(errors="replace")) == [], path
    assert rules.machine_paths("open('/home/li/x.py')") == ["/home/li/x.py')"]


def test_browsers_are_driven_in_their_own_folder() -> None:
    """Their driver's event loop breaks every test that starts one in the same process."""
    own = rules.ROOT / "tests" / "browser"
    found = [
        path for path in rules.tracked("tests/*/*.py") if "playwright" in rules.imported(path.read_text())
    ]
    assert found
    assert [path for path in found if not path.is_relative_to(own)] == []
