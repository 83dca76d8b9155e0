# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""heddle report --sort: by any column of a table, by its title or its name."""

import csv
import io
import re

import pytest

WORK = r"""
#include <unistd.h>
static int total;
static volatile double sink;
static void spin(int n) {
  for (int i = 0; i < n; i++)
    sink += i;
}
int main(void) {
  for (int i = 0; i < 5; i++) {
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(dynamic, 10)
      for (int j = 0; j < 100; j++)
        spin(1000);
#pragma omp critical
      total++;
    }
#pragma omp parallel num_threads(3)
    {
#pragma omp single
      for (int j = 0; j < 7; j++)
#pragma omp task
        spin(1000);
    }
  }
#pragma omp parallel for num_threads(2) schedule(guided)
  for (int j = 0; j < 100; j++)
    spin(100000);
  usleep(20000);
  return 0;
}
"""
COLUMNS = {"": ["Calls", "Team", "run%", "wall_share", "imbalance", "main cause", "id", "unresolved_s", "Busy"],
           "--loops": ["Chunks", "iterations", "busy"], "--tasks": ["Elsewhere", "busy_s"],
           "--efficiency": ["Elapsed"], "--overhead": ["Busy", "Wait*"], "--flat": ["Calls", "mean_concurrency", "Incl"],
           "--tree": ["Calls", "Id"], "--callers=loop": ["Conc.calls", "Self"], "--at-k=1": ["Busy"], "--with=1": ["Overlap"]}


@pytest.fixture(scope="module")
def made(build_program, run_heddle, tmp_path_factory):
    path = tmp_path_factory.mktemp("sort") / "sorted.heddle"
    result = run_heddle("run", "-q", "-o", path, "--", build_program(WORK))
    assert result.returncode == 0, result.stderr
    return path


@pytest.fixture
def rows(run_heddle, made):
    def read(*options):
        result = run_heddle("report", "--csv", *options, made)
        assert result.returncode == 0, result.stderr
        return list(csv.DictReader(io.StringIO(result.stdout)))

    return read


def words(view):
    return [view] if view else []


def without_order(rows):
    """Numbers of rows are those of an order."""
    return sorted(tuple(item for item in row.items() if item[0] not in ("row", "parent")) for row in rows)


def siblings(rows):
    found = {}
    for row in rows:
        if row["id"]:
            found.setdefault(row.get("parent"), []).append(row)
    return found.values()


@pytest.mark.parametrize("column", ["wall_share", "visits", "busy_s", "idle_s", "team_max"])
def test_only_the_order_changes(rows, column):
    name = {"visits": "calls", "team_max": "Team", "idle_s": "Wait"}.get(column, column)
    read = {"visits": "calls", "idle_s": "wait_s"}.get(column, column)
    plain, ordered = rows("--limit", 0), rows("--limit", 0, "--sort", name)
    assert without_order(plain) == without_order(ordered) and len(plain) > 5
    for group in siblings(ordered):
        numbers = [float(row[read]) for row in group if row[read]]
        assert numbers == sorted(numbers, reverse=True)
        assert [row[read] == "" for row in group] == sorted(row[read] == "" for row in group)
    at = {row["row"]: index for index, row in enumerate(ordered)}
    assert all(row["parent"] == "0" or at[row["parent"]] < at[row["row"]] for row in ordered)


@pytest.mark.parametrize("view", COLUMNS)
def test_text_and_values_have_the_same_order(run_heddle, made, rows, view):
    for column in COLUMNS[view]:
        text = run_heddle("report", *words(view), "--limit", 0, "--sort", column, "--columns", "id", made).stdout \
            if view not in ("--flat", "--efficiency", "--overhead", "--callers=loop") else None
        ordered = rows(*words(view), "--limit", 0, "--sort", column)
        assert without_order(ordered) == without_order(rows(*words(view), "--limit", 0)) or view == "--flat"
        if text and "\nTimes in " in text:
            table = text[text.rindex("\nTimes in "):].split("\n\n")[0]
            shown = [line.split()[0] for line in table.splitlines()[3:] if re.match(r" *\d+ ", line)]
            assert shown == [row["id"] for row in ordered if row["id"]], column


def test_words_stand_by_the_alphabet(rows):
    for group in siblings(rows("--sort", "Main cause")):
        causes = [row["main_cause"] for row in group]
        assert causes == sorted(causes, key=lambda cause: (not cause, cause))


def test_limit_leaves_the_foremost_and_what_they_are_in(run_heddle, made, rows):
    ordered, few = rows("--limit", 0, "--sort", "Id"), rows("--limit", 2, "--sort", "Id")
    regions = sorted((int(row["id"]) for row in ordered if row["parent"] == "0"), reverse=True)
    assert [int(row["id"]) for row in few if row["parent"] == "0"][0] == regions[0] and len(few) == 2
    text = run_heddle("report", "--limit", 2, "--sort", "Id", made).stdout
    assert f"{len(ordered) - 2} more lines are not shown" in text
    markdown = run_heddle("report", "--limit", 2, "--sort", "Id", "--markdown", made).stdout
    assert f"{len(ordered) - 2} more lines are not shown." in markdown


@pytest.mark.parametrize("options, complaint", [
    (["--sort", "colour"], "this view has no 'colour' to sort by: it has gain, elapsed, "),
    (["--sort", "colour"], ", and the columns Gain, Gain%, "),
    (["--sort", "Busy,Wait"], "this view has no 'Busy,Wait' to sort by"),
    (["--threads", "--sort", "colour"], "this view has no 'colour' to sort by: it has gain, "),
    (["--threads", "--sort", "colour"], "and the columns Thread, Kind, "),
    (["--histogram", "--sort", "colour"], "and the columns Threads, Time, Time%"),
    (["--histogram", "--columns", "level"], "--columns: this view is no table"),
    (["--loops", "--sort", "gain"], "this view has no 'gain' to sort by: it has Chunks, "),
    (["--source", "--sort", "gain"], "this view has one order only"), (["--sort", ""], "needs a key")])
def test_orders_that_there_are_not(run_heddle, made, options, complaint):
    result = run_heddle("report", *options, made)
    assert result.returncode == 2 and complaint in result.stderr and result.stdout == ""


def test_each_title_is_named_once(run_heddle, made):
    said = run_heddle("report", "--sort", "colour", made).stderr
    titles = said[said.index("and the columns ") + len("and the columns "):].splitlines()[0].split(", ")
    assert "Idle" in titles and len(titles) == len(set(titles)) > 20


def groups(rows, key):
    found = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


@pytest.mark.parametrize("column, read", [("Busy", "busy_s"), ("busy", "busy_s"), ("Wait", "wait_s"), ("Thread", "thread")])
def test_threads_are_sorted_in_each_region(rows, run_heddle, made, column, read):
    regions = groups(rows("--threads", "--sort", column), lambda row: row["row"])
    assert len(regions) > 3 and any(len(group) > 2 for group in regions.values())
    for group in regions.values():
        numbers = [float(row[read]) for row in group]
        assert numbers == sorted(numbers, reverse=True)
    assert without_order(rows("--threads", "--sort", column)) == without_order(rows("--threads"))
    shown = run_heddle("report", "--threads", "--sort", column, "--columns", "Thread", made).stdout
    first = shown[shown.index("Whole run"):].split("\n\n")[0].splitlines()[2:]
    assert [line.strip() for line in first] == [row["thread"] for row in regions["0"]]


@pytest.mark.parametrize("column, read", [("level", "level"), ("Threads", "level"), ("elapsed_s", "elapsed_s"), ("Time%", "elapsed_s")])
def test_levels_are_sorted_in_each_region(rows, run_heddle, made, column, read):
    regions = groups(rows("--histogram", "--sort", column), lambda row: row["row"])
    for group in regions.values():
        numbers = [float(row[read]) for row in group]
        assert numbers == sorted(numbers, reverse=True)
    assert without_order(rows("--histogram", "--sort", column)) == without_order(rows("--histogram"))
    shown = run_heddle("report", "--histogram", "--sort", column, made).stdout.split("threads busy ")[1]
    bars = [line.split()[0] for line in shown.splitlines()[1:4]]
    assert bars[:len(regions["0"])] == [row["level"] for row in regions["0"] if float(row["elapsed_s"]) > 0][:3]


@pytest.mark.parametrize("column, read", [("Self", "self_s"), ("calls", "calls"), ("Seq", None), ("Index", "block")])
def test_entries_of_the_call_graph_are_sorted(rows, run_heddle, made, column, read):
    plain = rows("--callgraph", "--limit", 0)
    ordered = rows("--callgraph", "--limit", 0, "--sort", "Calls" if column == "calls" else column)
    assert without_order(plain) == without_order(ordered)
    entries = [row for row in ordered if row["role"] == "entry"]
    numbers = [float(row[read] or -1) if read else float(row["calls"] or -1) - float(row["calls_concurrent"] or 0) for row in entries]
    assert len(numbers) > 5 and numbers == sorted(numbers, reverse=column != "Index")
    blocks = [row["block"] for row in ordered]
    assert [block for i, block in enumerate(blocks) if blocks.index(block) == i] == [row["block"] for row in entries]
    text = run_heddle("report", "--callgraph", "--limit", 3, "--sort", column if read != "calls" else "Calls", made).stdout
    assert re.findall(r"^\[(\d+)\]", text, re.M)[:3] == [row["block"] for row in entries[:3]]
    index = text[text.index("Index by name"):].split("\n\n")[0]
    assert sorted(re.findall(r"\[(\d+)\]", index)) == sorted(row["block"] for row in entries[:3])


@pytest.mark.parametrize("column, read", [("Self", "self_s"), ("wall%", "wall_share"), ("Conc.calls", "calls_concurrent")])
def test_callers_are_sorted_below_each_match(rows, column, read):
    ordered = rows("--callers", ".", "--limit", 0, "--sort", column)
    several = groups(ordered, lambda row: row["parent"])
    assert len(several["0"]) > 5
    for group in several.values():
        numbers = [float(row[read]) if row[read] else -1 for row in group]
        assert numbers == sorted(numbers, reverse=True)
    few = rows("--callers", ".", "--limit", 3, "--sort", column)
    assert len(few) == 3 and few[0][read] == ordered[0][read]
