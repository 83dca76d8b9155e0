# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--width and COLUMNS: every line of every view fits, whatever it has to say, and what is left out is named."""

import re

import pytest

# Nested regions, routines, tasks, waits for a lock, a flood whose events are switched off: much to say.
WORK = r"""
#include <unistd.h>
static int total;
static volatile double sink;
static int a_routine_with_a_name_of_a_length_that_leaves_little_of_a_line(int n) {
  int left = 0, right = 0;
  if (n < 2) return n;
#pragma omp task shared(left)
  left = a_routine_with_a_name_of_a_length_that_leaves_little_of_a_line(n - 1);
  right = a_routine_with_a_name_of_a_length_that_leaves_little_of_a_line(n - 2);
#pragma omp taskwait
  return left + right;
}
int main(void) {
  for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(dynamic, 10)
      for (int j = 0; j < 1000; j++)
#pragma omp critical
        total++;
#pragma omp single
      total += a_routine_with_a_name_of_a_length_that_leaves_little_of_a_line(17);
    }
  }
  usleep(20000);
  return 0;
}
"""
VIEWS = ([], ["-v"], ["--threads"], ["--histogram"], ["--at-k", "1"], ["--with", "1"], ["--loops"], ["--tasks"],
         ["--efficiency"], ["--critical-path"], ["--locks"], ["--hot"], ["--overhead"], ["--flat"], ["--callgraph"], ["--tree"],
         ["--callers=length"], ["--focus=length"])


@pytest.fixture(scope="module")
def made(build_program, run_heddle, tmp_path_factory):
    path = tmp_path_factory.mktemp("width") / "a program with a long name, so that headings are long.heddle"
    program = build_program(WORK, flags=["-finstrument-functions"])
    result = run_heddle("run", "-q", "--critical-path", "--locks", "--overhead=2%", "-o", path, "--", program, *["argument"] * 30)
    assert result.returncode == 0, result.stderr
    return path


def too_long(text, width):
    return [line for line in text.splitlines() if len(line) > width]


@pytest.mark.parametrize("width", [80, 100, 120, 200])
@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_every_line_fits(run_heddle, made, width, locale):
    for view in VIEWS:
        result = run_heddle("report", "--width", width, *view, made, env={"LC_ALL": locale})
        assert result.returncode == 0, result.stderr
        assert too_long(result.stdout, width) == [], view
    for options in ([], ["--all"], ["--what-if", "threads=1"]):
        result = run_heddle("explain", "--width", width, *options, made, env={"LC_ALL": locale})
        assert result.returncode == 0 and too_long(result.stdout, width) == [], options


@pytest.mark.parametrize("options, view, said", [
    (("--only", "region"), ("explain",), "To cost little, Heddle"), (("--dormant",), ("explain",), "Nothing was measured"),
    (("--samples", "0"), ("report", "--hot"), "No samples")], ids=["switched off", "dormant", "no samples"])
def test_what_cannot_be_said_fits(run_heddle, build_program, tmp_path, options, view, said):
    path = tmp_path / "little.heddle"
    result = run_heddle("run", "-q", *options, "-o", path, "--", build_program(WORK))
    assert result.returncode == 0, result.stderr
    shown = run_heddle(*view, "--width", 80, path)
    assert shown.returncode == 0 and said in shown.stdout and too_long(shown.stdout, 80) == []


def test_what_has_no_room_is_named_and_not_explained(run_heddle, made):
    narrow = run_heddle("report", "--width", 80, made).stdout
    wide = run_heddle("report", "--width", 400, made).stdout
    named = re.search(r"Left out, because a line has 80 characters: (.*?)\.\n", narrow, re.S)[1]
    left = re.sub(r"\s+", " ", named).split(", ")
    assert "Wall%" in left and "Left out" not in wide
    assert "Wall%: part of the run" in wide and "Wall%: part of the run" not in narrow
    titles = next(line for line in wide.splitlines() if " Elapsed" in line and "Region" in line).split()
    shown = next(line for line in narrow.splitlines() if " Elapsed" in line and "Region" in line).split()
    assert {"Gain", "Elapsed", "Conc", "Region"} <= set(shown)
    assert set(titles) == set(shown) | set(" ".join(left).split())


def test_columns_is_the_default(run_heddle, made):
    def report(*options, **environment):
        return run_heddle("report", *options, made, env=environment).stdout

    assert report(COLUMNS="80") == report("--width", 80) == report("--width", 80, COLUMNS="200")
    assert report(COLUMNS="nonsense") == report() and too_long(report(), 120)


@pytest.mark.parametrize("width", ["19", "4097", "wide", "-1"])
def test_widths_that_are_none(run_heddle, made, width):
    result = run_heddle("report", f"--width={width}", made)
    assert result.returncode == 2 and "--width expects a number of characters from 20 to 4096" in result.stderr


def table_of(text):
    return re.search(r"Times in \w+\.\n(.*?)\n\n", text + "\n", re.S)[1].splitlines()


def test_columns_are_chosen_by_title_or_name(run_heddle, made):
    text = run_heddle("report", "--columns", "wait,Run%,wait_ordered_s", made).stdout
    assert table_of(text)[0].split() == ["Run%", "Wait", "ordered", "Region"]
    assert "Gain: " not in text and "Left out" not in text
    for view, place in (("--flat", "Routine or construct"), ("--tree", "Callpath"), ("--callgraph", "Entry")):
        titles = table_of(run_heddle("report", view, "--columns", "calls,SELF", made).stdout)[0]
        assert titles.split()[:2] in (["Calls", "Self"], ["Self", "Calls"]) and titles.endswith(place), view
    threads = run_heddle("report", "--threads", "--columns", "thread,busy", made).stdout
    assert threads.count("\nThread  Busy\n") + threads.count("\nThread Busy\n") > 1


@pytest.mark.parametrize("options, complaint", [
    (["--columns", "gain,imbl"], "this view has no 'imbl': it has Gain, Gain%, Elapsed, "),
    (["--columns", ""], "needs titles of columns"), (["--columns", "gain,"], "has no ''"),
    (["--flat", "--columns", "gain"], "this view has no 'gain': it has Self%, "),
    (["--histogram", "--columns", "busy"], "this view is no table"), (["--csv", "--columns", "gain"], "--csv has all")])
def test_columns_that_there_are_not(run_heddle, made, options, complaint):
    result = run_heddle("report", *options, made)
    assert result.returncode == 2 and complaint in result.stderr and result.stdout == ""
