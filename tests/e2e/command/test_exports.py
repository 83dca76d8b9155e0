# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle export`: what other programs read back has the numbers of the JSON."""

import json
import os
import re
import sqlite3
import subprocess

import pytest

from terminal import on_terminal

# Callpaths of several depths, two to the same region; waits, a wait for a lock among them; a name with a quotation mark
# in its arguments.
WORK = r"""
#include <string.h>
static int total;
static volatile double sink;
__attribute__((noinline)) static void step(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(dynamic, 100)
    for (int i = 0; i < 1000; i++)
      for (int j = 0; j < 300; j++)
        sink += j;
#pragma omp critical
    total++;
  }
}
__attribute__((noinline)) static void twice(void) { step(); step(); total--; }
int main(void) {
  twice();
  step();
  return 0;
}
"""
WEIGHTS = {"wall": lambda entry: entry["wall_share_s"] or 0, "busy": lambda entry: entry["busy_s"] or 0,
           "wait": lambda entry: waiting(entry), "runtime": lambda entry: entry["runtime_s"] or 0,
           "gain": lambda entry: entry["potential_gain_s"] if entry["kind"] == "parallel" else 0}  # no region is in another


@pytest.fixture(scope="module")
def made(build_program, run_heddle, tmp_path_factory):
    path = tmp_path_factory.mktemp("exports") / "it's.heddle"
    result = run_heddle("run", "-q", "-o", path, "--", build_program(WORK))
    assert result.returncode == 0, result.stderr
    return path


@pytest.fixture
def exported(run_heddle, made):
    def text(*options):
        result = run_heddle("export", *options, made)
        assert result.returncode == 0, result.stderr
        return result.stdout

    return text


@pytest.fixture
def plain(exported):
    return json.loads(exported())


def nearly(seconds, count=1):
    """Nanoseconds are rounded, once for each of `count` callpaths."""
    return pytest.approx(seconds, abs=count * 1e-9 + 1e-9)


def waiting(entry):
    return sum((entry["wait_s"] or {}).values())


def of_all(plain, weight):
    """Each callpath's weight, in seconds."""
    return [WEIGHTS[weight](entry) for entry in plain["profiles"]]


def test_wall_weights_are_the_time_in_which_a_thread_worked(plain):
    program = plain["program"]
    assert sum(of_all(plain, "wall")) == nearly(program["elapsed_s"] - program["time_at_k_s"][0], len(plain["profiles"]))


@pytest.mark.parametrize("weight", WEIGHTS)
def test_folded_stacks_add_up(exported, plain, weight):
    lines = exported("-f", "folded", "--weight", weight).splitlines()
    stacks = [re.fullmatch(r"(program [^;]+(?:;[^;]+)*) (\d+)", line).groups() for line in lines]
    expected = [seconds for seconds in of_all(plain, weight) if seconds > 5e-10]
    assert len(lines) == len(expected) and sum(expected) > 0
    assert [int(ns) / 1e9 for _, ns in stacks] == [nearly(seconds) for seconds in expected]


def test_folded_stacks_are_callpaths(exported):
    kinds = {tuple(place.split(" ")[0] for place in line.split(";"))
             for line in exported("-f", "folded", "-w", "busy").splitlines()}
    assert {("program", "main", "parallel", "loop"), ("program", "main", "twice", "parallel", "loop")} <= kinds


def weights_of(text):
    return {stack: int(ns) for stack, ns in (line.rsplit(" ", 1) for line in text.splitlines())}


@pytest.fixture(scope="module")
def changed(build_program, run_heddle, tmp_path_factory):
    """Of a program that differs: one region has more work, and there is another one."""
    path = tmp_path_factory.mktemp("exports") / "after.heddle"
    other = WORK.replace("i < 1000", "i < 2000").replace("  step();\n  return 0;", "  step();\n#pragma omp parallel\n  sink++;\n  return 0;")
    assert other.count("\n") > WORK.count("\n")
    result = run_heddle("run", "-q", "-o", path, "--", build_program(other))
    assert result.returncode == 0, result.stderr
    return path


@pytest.mark.parametrize("weight", ["wall", "busy"])
def test_folded_stacks_of_two_have_both_weights(run_heddle, made, changed, weight):
    alone = [weights_of(run_heddle("export", "-f", "folded", "-w", weight, path).stdout) for path in (made, changed)]
    both = run_heddle("export", "-f", "folded", "-w", weight, made, changed).stdout.splitlines()
    found = [{}, {}]
    for line in both:  # as flamegraph.pl reads it: the last number of a line, then the last of what is before
        rest, after = re.fullmatch(r"(.*)\s+?(\d+)", line).groups()
        stack, before = re.fullmatch(r"(.*)\s+?(\d+)", rest).groups()
        assert stack not in found[0]
        found[0][stack], found[1][stack] = int(before), int(after)
    program = next(iter(alone[1])).split(";")[0]
    alone[0] = {";".join([program, *stack.split(";")[1:]]): ns for stack, ns in alone[0].items()}
    for side in (0, 1):
        assert {stack: ns for stack, ns in found[side].items() if ns} == alone[side]
    assert any(before and after for before, after in zip(found[0].values(), found[1].values(), strict=True))
    assert any(after and not before for before, after in zip(found[0].values(), found[1].values(), strict=True))


@pytest.mark.parametrize("options, count, complaint", [
    (["-f", "json"], 2, "one FILE at a time, but for -f folded"), (["-f", "folded"], 3, "at most two FILEs")])
def test_more_profiles_than_a_format_shows_are_refused(run_heddle, made, options, count, complaint):
    result = run_heddle("export", *options, *[made] * count)
    assert result.returncode == 2 and complaint in result.stderr and result.stdout == ""


def test_speedscope_has_all_weights(exported, plain):
    made = json.loads(exported("-f", "speedscope", "-w", "busy"))
    frames = made["shared"]["frames"]
    assert made["profiles"][made["activeProfileIndex"]]["name"] == "Busy"
    assert [p["name"] for p in made["profiles"]] == ["Wall share", "Busy", "Waiting", "Runtime", "Potential gain"]
    assert len({frame["name"] for frame in frames}) == len(frames), "callpaths to one place share its frame"
    for profile in made["profiles"]:
        assert profile["type"] == "sampled" and profile["unit"] == "nanoseconds"
        assert len(profile["samples"]) == len(profile["weights"])
        assert profile["endValue"] == sum(profile["weights"])
        assert all(0 <= frame < len(frames) for sample in profile["samples"] for frame in sample)
        assert all(frames[sample[0]]["name"].startswith("program ") for sample in profile["samples"])
    sums = {p["name"]: p["endValue"] / 1e9 for p in made["profiles"]}
    titles = {"wall": "Wall share", "busy": "Busy", "wait": "Waiting", "runtime": "Runtime", "gain": "Potential gain"}
    for weight, title in titles.items():
        assert sums[title] == nearly(sum(of_all(plain, weight)), len(plain["profiles"])) and sums[title] > 0, weight


def test_sqlite_reads_tables_and_views(exported, plain):
    base = sqlite3.connect(":memory:")
    base.executescript(exported("-f", "sql"))
    columns = "id, parent, kind, function, line, visits, busy_s, wall_share_s"
    rows = base.execute(f"SELECT {columns} FROM callpaths").fetchall()
    assert len(rows) == len(plain["profiles"]) > 5
    for row, entry in zip(rows, plain["profiles"], strict=True):
        assert row[:6] == (entry["id"], entry["parent"], entry["kind"], entry["name"], entry["line"], entry["visits"])
        assert row[6] == (None if entry["busy_s"] is None else nearly(entry["busy_s"]))
        assert row[7] == (None if entry["wall_share_s"] is None else nearly(entry["wall_share_s"]))
    waits = base.execute("SELECT callpath, sum(seconds) FROM waits GROUP BY callpath").fetchall()
    assert {at: seconds for at, seconds in waits} == {
        e["id"]: nearly(waiting(e), 9) for e in plain["profiles"] if waiting(e) > 0}
    columns = ", ".join(f"sum({name}_s)" for name in ("wall_share", "busy", "wait", "runtime"))
    sums = dict(zip(WEIGHTS, base.execute(f"SELECT {columns} FROM callpaths").fetchone(), strict=False))
    sums["gain"] = base.execute("SELECT sum(gain_s) FROM callpaths WHERE kind = 'parallel'").fetchone()[0]
    assert sums == {weight: nearly(sum(of_all(plain, weight)), len(plain["profiles"])) for weight in WEIGHTS}
    regions = [e for e in plain["profiles"] if e["kind"] == "parallel"]
    assert len(base.execute("SELECT * FROM regions_by_gain").fetchall()) == len(regions) == 2
    assert base.execute("SELECT count(*) FROM callpath_threads").fetchone()[0] == sum(
        len(e["threads"]) for e in plain["profiles"])
    for view in ("places", "waits_by_cause", "hot_functions", "run", "threads", "levels"):
        base.execute(f"SELECT * FROM {view}").fetchall()
    assert base.execute("PRAGMA foreign_key_check").fetchall() == []


def test_callgrind_annotate_reads_it(exported, plain, tmp_path):
    path = tmp_path / "callgrind.out"
    path.write_text(exported("-f", "callgrind"), encoding="utf-8")
    options = ["--auto=no", "--threshold=100", "--sort=busy"]
    shown = subprocess.run(["callgrind_annotate", *options, path], capture_output=True, encoding="utf-8", check=True,
                           timeout=60).stdout
    assert "Events recorded:  wall busy wait runtime gain" in shown
    number = r"([\d,]+) \([ \d.]+%\)"
    sums = re.search(rf"{' +'.join([number] * 5)} +PROGRAM TOTALS", shown).groups()
    for weight, found in zip(WEIGHTS, sums, strict=True):
        assert int(found.replace(",", "")) / 1e9 == nearly(sum(of_all(plain, weight)), len(plain["profiles"])), weight
    assert re.search(r":parallel .* in step", shown)


def test_caliper_has_the_tree_and_all_weights(exported, plain):
    """The rules of Caliper's JSON-split, as its readers rely on them; Hatchet is in no package of Debian's."""
    made = json.loads(exported("-f", "caliper", "-w", "busy"))
    columns, nodes = made["columns"], made["nodes"]
    assert columns == ["path", "sum#time.duration", *WEIGHTS, "visits"]
    assert [about["is_value"] for about in made["column_metadata"]] == [False] + [True] * (len(columns) - 1)
    assert all(len(record) == len(columns) for record in made["data"])
    assert len({record[0] for record in made["data"]}) == len(made["data"]) == len(nodes)
    assert all(node["column"] == "path" and node.get("parent", -1) < index for index, node in enumerate(nodes))
    assert [node.get("parent") for node in nodes] == [None] + [entry["parent"] for entry in plain["profiles"][1:]]
    records = [dict(zip(columns, record, strict=True)) for record in made["data"]]
    for weight in WEIGHTS:
        assert [record[weight] for record in records] == [nearly(seconds) for seconds in of_all(plain, weight)]
    assert [record["sum#time.duration"] for record in records] == [record["busy"] for record in records]
    assert [record["visits"] for record in records] == [entry["visits"] or 0 for entry in plain["profiles"]]
    assert nodes[0]["label"].startswith("program ") and any(node["label"].startswith("critical ") for node in nodes)


@pytest.fixture
def pprof(exported, tmp_path):
    """What `go tool pprof` says of a weight: {place: (own seconds, with those below)} and the sum."""
    path = tmp_path / "run.pb"

    def top(weight, run_heddle, made):
        result = run_heddle("export", "-f", "pprof", "-o", path, "--force", made)
        assert result.returncode == 0, result.stderr
        shown = subprocess.run(["go", "tool", "pprof", "-top", "-unit=ns", "-nodecount=0", "-nodefraction=0",
                                f"-sample_index={weight}", path], capture_output=True, encoding="utf-8", check=True, timeout=600,
                               env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)}).stdout
        rows = re.findall(r"^ *(\d+)(?:ns)? +[\d.]+% +[\d.]+% +(\d+)(?:ns)? +[\d.]+% +(.*)$", shown, re.M)
        return {place: (int(own), int(all)) for own, all, place in rows}, shown

    return top


@pytest.mark.parametrize("weight", WEIGHTS)
def test_pprof_reads_it(pprof, run_heddle, made, plain, weight):
    rows, shown = pprof(weight, run_heddle, made)
    sums = sum(of_all(plain, weight))
    count = len(plain["profiles"])
    assert sum(mine for mine, _ in rows.values()) / 1e9 == nearly(sums, count), shown
    program = next(name for name in rows if name.startswith("program "))
    assert rows[program][1] / 1e9 == nearly(sums, count)
    assert any(re.match(r"parallel .* in step", name) for name in rows), shown


@pytest.mark.needs("terminal")
def test_what_is_no_text_is_not_for_a_terminal(heddle, made):
    status, shown = on_terminal(heddle, "export", "-f", "pprof", made)
    assert status == 1 and "pprof is not for a terminal: name a file with -o" in shown


def test_trace_events_are_the_timeline(exported, plain):
    events = json.loads(exported("-f", "chrome"))["traceEvents"]
    counters = [event for event in events if event["ph"] == "C"]
    timeline = plain["timeline"]
    begins = [timeline["begin_s"] + i * timeline["width_s"] for i in range(len(timeline["busy_s"]))]
    assert [event["ts"] / 1e6 for event in counters[1:-1]] == [nearly(begin) for begin in begins]
    ends = [*begins[1:], plain["program"]["elapsed_s"]]
    busy = [event["args"]["threads"] * (end - begin)
            for event, begin, end in zip(counters[1:-1], begins, ends, strict=True)]
    assert busy == [nearly(seconds, 5) for seconds in timeline["busy_s"]]
    assert counters[-1]["args"]["threads"] == 0


def test_unknown_weight_is_refused(run_heddle, made):
    result = run_heddle("export", "-f", "folded", "-w", "time", made)
    assert result.returncode == 2 and "there is: wall, busy, wait, runtime, gain" in result.stderr
