"""Real servers are found by a variable or on the PATH; a variable that names nothing is an error."""

from __future__ import annotations

from pathlib import Path

import pytest
from stack import StackError, find_server

VARIABLE = "EDGE_TEST_ANY"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("PATH", "")
    made = tmp_path / "anyd"
    made.write_text("#!/bin/sh\n")
    made.chmod(0o755)
    return made


def test_the_variable_names_the_program_or_its_folder(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for named in (program, program.parent):
        monkeypatch.setenv(VARIABLE, str(named))
        assert find_server("anyd", VARIABLE) == program


def test_the_path_is_searched_without_it(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_server("anyd", VARIABLE) is None
    monkeypatch.setenv("PATH", str(program.parent))
    assert find_server("anyd", VARIABLE) == program


def test_a_variable_that_names_nothing_does_not_skip(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for named in (program.parent / "absent", program.parent.parent):
        monkeypatch.setenv(VARIABLE, str(named))
        with pytest.raises(StackError, match=VARIABLE):
            find_server("anyd", VARIABLE)
