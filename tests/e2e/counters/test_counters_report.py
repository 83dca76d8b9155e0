# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts in every view: the numbers that the JSON holds, which are known beforehand; and what is said of those that are
missing, estimated or not known."""
import csv
import io
import re
import signal
import subprocess

import pytest

from conftest import BUILD, environment_for, marks
from counting import CLOCK, FAULTS, SWITCHES
from timed import check_times

STUB = BUILD / "tests" / "unit" / "libstub-papi.so"
INCLUSIVE = f"{FAULTS} inclusive"
VIEWS = ([], ["--threads"], ["--flat"], ["--callgraph"], ["--tree"])
MEASURED = {"touching": 300, "single": 40, "sections": 60, "region": 30}  # counters_loops.c, 2 threads, below `measured`

# Turns change where counters are read, at most once in a millisecond: many short loops, so that all have some.
SHORT_LOOPS = """
#include "spin.h"
int main(void) {
  for (int i = 0; i < 100; i++) {
#pragma omp parallel for schedule(static, 1)
    for (int j = 0; j < 2; j++)
      spin_ms(j, 2);
  }
  return 0;
}
"""


@pytest.fixture(scope="module")
def counted(heddle, build_program, tmp_path_factory):
    """A profile of counters_loops.c on two threads, with page faults, switches and the group OS."""
    path = tmp_path_factory.mktemp("counted") / "loops.heddle"
    result = subprocess.run([heddle, "run", "-q", "-e", f"{FAULTS},{SWITCHES}", "-g", "OS", "-o", path, "--",
                             build_program("counters_loops.c")], env=environment_for(19, 2), capture_output=True,
                            text=True)
    assert result.returncode == 0, result.stderr
    return path


@pytest.fixture
def rows(run_heddle):
    """rows(path, view...) -> the view's rows as dictionaries."""

    def read(path, *view):
        text = run_heddle("report", *view, "--csv", "--limit", 0, path).stdout
        return list(csv.DictReader(io.StringIO(text)))

    return read


def at_line(rows_of_view, line, kind):
    return [row for row in rows_of_view if row["line"] == str(line) and row["kind"] == kind]


def below(tree, routine):
    """The rows below a routine in a tree's rows."""
    by_row = {row["row"]: row for row in tree}

    def is_below(row):
        while row["parent"]:
            row = by_row[row["parent"]]
            if row["kind"] == "routine" and row["function"] == routine:
                return True
        return False

    return [row for row in tree if is_below(row)]


def test_the_tree_has_the_counts_that_were_made(rows, counted):
    line = marks("counters_loops.c")
    tree = below(rows(counted, "--tree"), "measured")
    kinds = {"touching": "loop_static", "single": "single", "sections": "sections", "region": "parallel"}
    for mark, kind in kinds.items():
        found = [row for row in at_line(tree, line[mark], kind) if row[f"{FAULTS} self"]]
        assert sum(int(row[f"{FAULTS} self"]) for row in found) == MEASURED[mark], mark
    region, = at_line(tree, line["region"], "parallel")
    assert int(region[INCLUSIVE]) == sum(MEASURED.values())
    critical, = at_line(tree, line["critical"], "critical")
    assert critical[INCLUSIVE] == critical[f"{FAULTS} self"] == ""


def test_tables_are_sums_of_the_json(rows, counted, export):
    line = marks("counters_loops.c")
    loaded = export(counted)
    region = [entry for entry in loaded.profiles if entry["line"] == line["region"] and entry["kind"] == "parallel"]
    inclusive = sum(entry["counters_inclusive"][FAULTS] for entry in region)
    exclusive = sum(entry["counters"][FAULTS] for entry in region)
    waiting = sum(entry["counters_waiting"][FAULTS] for entry in region)
    shown, = at_line(rows(counted), line["region"], "parallel")
    assert int(shown[INCLUSIVE]) == inclusive
    assert int(shown[f"{FAULTS} waiting inclusive"]) >= waiting
    flat, = at_line(rows(counted, "--flat"), line["region"], "parallel")
    assert (int(flat[f"{FAULTS} self"]), int(flat[INCLUSIVE])) == (exclusive, inclusive)
    entry, = [row for row in at_line(rows(counted, "--callgraph"), line["region"], "parallel") if row["role"] == "entry"]
    assert int(entry[INCLUSIVE]) == inclusive
    callers = [row for row in rows(counted, "--callgraph") if row["role"] == "caller" and row["block"] == entry["block"]]
    assert sum(int(row[INCLUSIVE]) for row in callers) == inclusive
    threads = at_line(rows(counted, "--threads"), line["region"], "parallel")
    assert sum(int(row[INCLUSIVE]) for row in threads) == inclusive
    whole = [row for row in rows(counted, "--threads") if row["kind"] == "program"]
    assert sum(int(row[INCLUSIVE]) for row in whole) == loaded["program"]["counters"][FAULTS]


def test_metrics_are_the_formulas_of_the_sums(rows, counted, export):
    """At `loop` work includes waiting for critical sections, and nothing was counted before the tool was loaded."""
    loaded = export(counted)
    below = {}
    for entry in reversed(loaded.profiles):
        waits = entry["wait_s"] or {}
        busy = (entry["busy_s"] or 0) + sum(waits.get(cause, 0) for cause in ("critical", "lock", "ordered", "atomic"))
        below[entry["id"]] = below.get(entry["id"], 0) + busy
        if entry["id"] != 0:
            below[entry["parent"]] = below.get(entry["parent"], 0) + below[entry["id"]]
    for entry in loaded.profiles:
        faults, busy = entry["counters_inclusive"][FAULTS], below[entry["id"]]
        if entry["id"] == 0:
            busy -= loaded["timeline"]["begin_s"]
        expected = None if faults is None or not busy else pytest.approx(faults / busy, rel=1e-6)
        assert entry["metrics_inclusive"]["OS: Faults"] == expected, entry
    line = marks("counters_loops.c")
    shown, = at_line(rows(counted), line["region"], "parallel")
    waits = (f"wait_{cause}_s" for cause in ("critical", "lock", "ordered", "atomic"))
    work = sum(float(shown[name]) for name in ("busy_s", *waits))
    assert float(shown["OS: Faults inclusive"]) == pytest.approx(int(shown[INCLUSIVE]) / work, rel=1e-6)
    used = int(shown[f"{CLOCK} inclusive"]) * 1e-9 / float(shown["elapsed_s"])
    assert float(shown["OS: CPUs inclusive"]) == pytest.approx(used, rel=1e-9)


def table_of(text):
    tables = re.split(r"imes in \w+[.)]\n", text)[1].split("Not shown")[0]
    return re.sub(r"Left out, .*?\.\r?\n", "", tables, flags=re.S)


def left_out(text):
    """By their titles: columns that did not fit, and those that a table of people's size does not have."""
    words = re.sub(r"\s+", " ", text)
    narrow = re.search(r"Left out, because a line has \d+ characters: (.*?)\. ", words)
    more = re.search(r"Not shown: (.*?); --csv has all", words)
    return [title for found in (narrow, more) if found for title in found[1].split(", ")]


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view[0] if view else "regions")
def test_views_show_counters_and_fit_the_page(heddle, run_heddle, counted, view):
    """Metrics stand for their events; what there is no room for is named."""
    wide = run_heddle("report", *view, counted, env={"COLUMNS": "500"}).stdout
    for metric in ("CPUs", "On a CPU [%]", "Faults [/s]", "Switches [/s]"):
        assert metric in table_of(wide) or view == ["--threads"], metric
    assert "Counters: while busy" in wide and "PAGE-FAULTS" in left_out(wide)
    for columns in ("80", None):
        text = run_heddle("report", *view, counted, env={"COLUMNS": columns} if columns else {}).stdout
        titles, = (line for line in table_of(text).splitlines() if "CPUs" in line)
        assert len(titles) < int(columns or 120), titles  # names may go on: a pipe has them whole
        assert "CPUs" in text and {"PAGE-FAULTS", "CONTEXT-SWITCHES"} <= set(left_out(text))
        assert view == ["--threads"] or re.search(r"parallel counters_loops\.c|region", table_of(text))


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view[0] if view else "regions")
def test_views_fit_the_terminal(heddle, counted, view, terminals):
    command = f"stty cols 80; LC_ALL=C.UTF-8 '{heddle}' report --no-pager --color=never {' '.join(view)} '{counted}'"
    narrow = subprocess.run(["script", "-qec", command, "/dev/null"], capture_output=True, text=True).stdout
    assert "CPUs" in narrow and {"PAGE-FAULTS", "CONTEXT-SWITCHES"} <= set(left_out(narrow))
    assert view == ["--threads"] or "Left out, because a line has 80 characters" in narrow
    lines = table_of(narrow).splitlines()
    first, = (i for i, text in enumerate(lines) if "CPUs" in text)  # before it: --threads' table of times
    assert all(len(text) <= 80 for text in lines[first:]), lines


def test_the_summary_after_a_run_names_what_was_counted(heddle, build_program, tmp_path):
    result = subprocess.run([heddle, "run", "-e", FAULTS, "-o", tmp_path / "a.heddle", "--",
                             build_program("counters_loops.c")], env=environment_for(19, 2), capture_output=True,
                            text=True)
    assert re.search(r"^counted   PAGE-FAULTS \d+ busy, \d+ waiting$", result.stderr, re.M), result.stderr


def test_a_killed_program_has_counts_that_are_at_least_so_much(heddle, run_heddle, build_program, export, tmp_path):
    path = tmp_path / "killed.heddle"
    program = subprocess.Popen([heddle, "run", "-q", "-e", CLOCK, "-o", path, "--", build_program("endless.c")],
                               env=environment_for(19, 2), stdout=subprocess.PIPE, text=True)
    assert program.stdout.readline() == "running\n"
    child = int(open(f"/proc/{program.pid}/task/{program.pid}/children", encoding="ascii").read().split()[0])
    subprocess.run(["kill", f"-{signal.SIGKILL.value}", str(child)], check=True)
    program.wait()
    loaded = export(path)
    assert loaded["program"]["counters"][CLOCK] is None or loaded["program"]["counters_waiting"][CLOCK] is None
    parts = {**loaded["program"].get("counters_partial", {}), **loaded["program"].get("counters_waiting_partial", {})}
    assert parts[CLOCK]["counted"] > 0 and set(parts[CLOCK]["threads_missing"]) <= {0, 1}
    text = run_heddle("report", path).stdout
    assert ">=" in text and "'>=': a lower bound" in text
    assert "had counted since the counters were last read is missing" in text


@pytest.mark.timed
def test_estimates_say_so(heddle, run_heddle, build_program, export, rows, tmp_path):
    """The stub counts 1 cycle and 2 instructions for each ns, one of them at a time."""
    if not STUB.exists():
        pytest.skip(f"no {STUB}")
    path, group = tmp_path / "turns.heddle", tmp_path / "ipc.txt"
    group.write_text("SHORT Instructions\n\nEVENTSET\nINS  PAPI_TOT_INS\nCYC  PAPI_TOT_CYC\n\n"
                     "METRICS\nIPC  INS / CYC\n\nLONG\nOf a stub.\n")
    env = {**environment_for(19, 2), "HEDDLE_PAPI": str(STUB), "STUB_PAPI_SET_MOST": "1"}

    def measured():
        path.unlink(missing_ok=True)
        result = subprocess.run([heddle, "run", "-q", "--multiplex", "-g", group, "-o", path, "--",
                                 build_program(SHORT_LOOPS)], env=env, capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
        loaded = export(path)
        assert loaded["run"]["counters"]["multiplexed"]
        assert sum(loaded["program"]["counters_fraction"].values()) == pytest.approx(1)
        return loaded

    def check(loaded):
        loop, = (entry for entry in loaded.profiles if entry["kind"] == "loop_static")
        assert loop["counters"]["PAPI_TOT_CYC"] == pytest.approx(loop["busy_s"] * 1e9, rel=0.05)
        assert loop["metrics"]["ipc: IPC"] == pytest.approx(2, rel=0.05)
        fractions = loop["counters_fraction"].values()
        assert len(fractions) == 2 and 0.2 < min(fractions) <= max(fractions) < 0.8

    check_times(measured, check)
    text = run_heddle("report", path).stdout
    assert re.search(r"~\d", text) and re.search(r"'~': an estimate: .* \d+ to \d+ % of the time", text)
    assert "took turns, and their counts are estimates: PAPI_TOT_INS / PAPI_TOT_CYC" in text
    [program] = [row for row in rows(path, "--tree") if row["kind"] == "program"]
    assert 0 < float(program["PAPI_TOT_INS fraction inclusive"]) < 1


def test_a_division_by_zero_names_the_group_and_the_line(heddle, run_heddle, build_program, export, tmp_path):
    path, group = tmp_path / "zero.heddle", tmp_path / "zero.txt"
    group.write_text("SHORT By zero\n\nEVENTSET\nFAULTS  perf::PAGE-FAULTS\n\nMETRICS\nTime for each  busy / FAULTS\n")
    subprocess.run([heddle, "run", "-q", "-g", group, "-o", path, "--", build_program("counters_loops.c")],
                   env=environment_for(19, 2), check=True, capture_output=True)
    text = run_heddle("report", path).stdout
    assert re.search(rf"^note      group zero \({re.escape(str(group))}:7\): 'Time for each' divided by zero in \d+ "
                     r"callpaths: left empty$", text, re.M), text
    line = marks("counters_loops.c")
    loaded = export(path)
    before = [entry for entry in loaded.profiles if entry["line"] == line["before"]
              and entry["kind"] == "loop_static" and entry["counters"][FAULTS] == 0]
    assert before and all(entry["metrics"]["zero: Time for each"] is None for entry in before)


def test_without_counters_nothing_is_said_of_them(run_heddle, profile, build_program, export):
    path = profile(build_program("counters_loops.c"), runtime=19, threads=2)
    for view in VIEWS:
        text = run_heddle("report", *view, path).stdout
        text = re.sub(r"^command .*", "", text, flags=re.M).replace("counters_loop", "")
        assert "ounter" not in text and "Counted" not in text
    loaded = export(path)
    assert loaded["run"]["counters"] is None
    assert all(entry["counters"] is None and "metrics" not in entry for entry in loaded.profiles)
