# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--color, NO_COLOR and TERM: colour on terminals only; without it every text is the same."""

import re
import subprocess

import pytest

from terminal import ESCAPE, on_terminal

# Most of the first region is lost to uneven work, so there is a finding, and a largest gain.
WORK = r"""
static volatile double sink;
static void spin(int n) {
  for (int i = 0; i < n; i++)
    sink += i;
}
int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp for schedule(static, 1)
  for (int i = 0; i < 2; i++)
    spin(i * 20000000);
#pragma omp parallel num_threads(2)
  spin(1000000);
  return 0;
}
"""
BOLD, GREEN = "\x1b[1m", "\x1b[1;32m"
VIEWS = (["report"], ["report", "--width", "80"], ["explain"], ["compare", "--difference"])


@pytest.fixture(scope="module")
def made(build_program, run_heddle, tmp_path_factory):
    path = tmp_path_factory.mktemp("color") / "uneven.heddle"
    result = run_heddle("run", "-q", "-o", path, "--", build_program(WORK))
    assert result.returncode == 0, result.stderr
    return path


def operands(view, made):
    return [made, made] if view[0] == "compare" else [made]


@pytest.mark.parametrize("view", VIEWS, ids=" ".join)
def test_colour_does_not_change_the_text(run_heddle, made, view):
    plain = run_heddle(*view, *operands(view, made), env={"TERM": "xterm"})
    coloured = run_heddle(*view, "--color=always", *operands(view, made), env={"NO_COLOR": "1", "TERM": "dumb"})
    assert plain.returncode == coloured.returncode == 0, plain.stderr + coloured.stderr
    assert "\x1b" not in plain.stdout and "\x1b" in coloured.stdout
    assert ESCAPE.sub("", coloured.stdout) == plain.stdout


@pytest.mark.parametrize("view", VIEWS, ids=" ".join)
def test_no_line_ends_in_colour(run_heddle, made, view):
    for line in run_heddle(*view, "--color=always", *operands(view, made)).stdout.splitlines():
        sequences = ESCAPE.findall(line)
        assert sequences[1::2] == ["\x1b[0m"] * (len(sequences) // 2) and len(sequences) % 2 == 0, line


def test_findings_and_the_largest_gain_stand_out(run_heddle, made):
    text = run_heddle("report", "--color=always", made).stdout
    assert re.search(rf"^findings  {re.escape(BOLD)}[\d.]+ \w+ \(\d+ %\) to gain: ", text, re.M)
    gains = re.findall(rf"{re.escape(GREEN)} *([~>=\d.]+)", text)
    table = text[text.index("\nTimes in "):]
    assert len(gains) == 1 and gains[0] == re.search(r"[~>=\d.]+", ESCAPE.sub("", table.split("\n")[3]))[0]
    found = run_heddle("explain", "--color=always", made).stdout
    assert f"\n{BOLD}1. " in found and not found.startswith("\x1b")


def test_values_for_programs_have_none(run_heddle, made):
    for options in (["--csv"], ["--markdown"], ["--flat", "--csv"]):
        assert "\x1b" not in run_heddle("report", "--color=always", *options, made).stdout
    for command in (["explain", "--json"], ["compare", "--json", made], ["compare", "--markdown", made]):
        assert "\x1b" not in run_heddle(*command, "--color=always", made).stdout


@pytest.mark.needs("terminal")
@pytest.mark.parametrize("env, options, expected", [
    ({}, [], True), ({"NO_COLOR": "1"}, [], False), ({"NO_COLOR": ""}, [], True), ({"TERM": "dumb"}, [], False),
    ({}, ["--color=never"], False), ({"NO_COLOR": "1"}, ["--color=always"], True)])
def test_terminals_have_colour(heddle, made, env, options, expected):
    status, shown = on_terminal(heddle, "report", *options, made, env=env)
    assert status == 0 and ("\x1b" in shown) == expected
    assert not [line for line in ESCAPE.sub("", shown).splitlines() if len(line) > 80]


@pytest.mark.needs("terminal")
def test_the_summary_of_a_run_has_colour_if_stderr_is_a_terminal(heddle, build_program, tmp_path):
    run = [heddle, "run", "-o", tmp_path / "a.heddle", "--", build_program(WORK)]
    status, shown = on_terminal(*run, stdout=subprocess.DEVNULL)
    assert status == 0 and f"findings  {BOLD}" in shown
    status, shown = on_terminal(*run, stderr=subprocess.DEVNULL)
    assert (status, shown) == (0, "")


def test_other_words_are_refused(run_heddle, made):
    result = run_heddle("report", "--color=sometimes", made)
    assert result.returncode == 2 and "--color expects auto, always or never" in result.stderr
