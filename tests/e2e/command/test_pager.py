# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is longer than the terminal goes through a pager; all else, and what is no terminal, does not."""

import subprocess

import pytest

from terminal import ESCAPE, on_terminal

WORK = "int main(void) {\n" + "#pragma omp parallel num_threads(2)\n;\n" * 5 + "return 0;\n}\n"
PAGER = "sed 's/^/paged: /'"


@pytest.fixture(scope="module")
def made(build_program, run_heddle, tmp_path_factory):
    path = tmp_path_factory.mktemp("pager") / "a.heddle"
    result = run_heddle("run", "-q", "-o", path, "--", build_program(WORK))
    assert result.returncode == 0, result.stderr
    return path


@pytest.fixture
def shown(heddle, made):
    def show(*command, height=5, env=None, **streams):
        status, text = on_terminal(heddle, *command, made, height=height,
                                   env={"HEDDLE_PAGER": PAGER, "LC_ALL": "C", **(env or {})}, **streams)
        assert status == 0
        return text.splitlines()

    return show


def unpaged(lines):
    return [line.removeprefix("paged: ") for line in lines]


@pytest.mark.needs("terminal")
@pytest.mark.parametrize("command", [["report"], ["explain"], ["report", "--flat"]], ids=" ".join)
def test_what_is_longer_than_the_terminal_is_paged(shown, command):
    lines, plain = shown(*command, height=3), shown(*command, "--no-pager", height=3)
    assert all(line.startswith("paged: ") for line in lines) and not any("paged: " in line for line in plain)
    assert unpaged(lines) == plain and len(plain) > 3
    assert not [line for line in plain if len(ESCAPE.sub("", line)) > 80]


@pytest.mark.needs("terminal")
def test_what_fits_is_not(shown, made, heddle):
    plain = shown("report", height=1000)
    assert not any("paged: " in line for line in plain)
    at_most = len(plain) + 1  # below it stands the prompt
    assert shown("report", height=at_most) == plain and shown("report", height=at_most - 1) != plain
    assert unpaged(shown("report", "--width", "160", height=at_most - 1)) == shown("report", "--width", "160", height=999)


@pytest.mark.needs("terminal")
@pytest.mark.parametrize("env", [{"HEDDLE_PAGER": ""}, {"HEDDLE_PAGER": "cat"}, {"TERM": "dumb"},
                                 {"HEDDLE_PAGER": "/there/is/no/such/pager 2>/dev/null"}])
def test_without_a_pager_it_is_shown_as_it_is(shown, env):
    lines = shown("report", env=env)
    assert len(lines) > 5 and not any("paged: " in line for line in lines)


@pytest.mark.needs("terminal")
def test_pager_is_the_usual_one(shown):
    lines = shown("report", env={"HEDDLE_PAGER": "sed 's/^/own: /'", "PAGER": PAGER})
    assert all(line.startswith("own: ") for line in lines)


@pytest.mark.needs("terminal")
def test_a_user_who_leaves_the_pager_is_no_error(shown):
    assert len(shown("report", env={"HEDDLE_PAGER": "head -n 2"})) == 2


@pytest.mark.needs("terminal")
def test_comparisons_are_paged_and_keep_their_status(heddle, made):
    env = {"HEDDLE_PAGER": PAGER}
    status, text = on_terminal(heddle, "compare", "--fail-if", "program.time > 0", made, made, height=5, env=env)
    assert status == 3 and text.startswith("paged: ")
    status, text = on_terminal(heddle, "compare", made, height=5, env=env)
    assert status == 1 and "is a single run" in text and "paged" not in text


def test_pipes_are_not_paged(run_heddle, made):
    result = run_heddle("report", made, env={"PAGER": PAGER, "TERM": "xterm"}, stdin=subprocess.DEVNULL)
    assert result.returncode == 0 and "paged: " not in result.stdout and "\x1b" not in result.stdout
