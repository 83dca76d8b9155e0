# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle report` and `heddle export` from the outside: tables, wrong usage, full disks."""
import csv
import io
import json
import math
import re
import resource
import subprocess

import pytest

from conftest import LIBRARY, SOURCE, clean_environment


PROGRAM = """
int main(void) {
  double sum = 0;
  for (int i = 0; i < 20; i++) {
#pragma omp parallel
    {
#pragma omp for
      for (int j = 0; j < 1000; j++) {
#pragma omp critical
        sum += j;
      }
    }
  }
  return sum > 0 ? 0 : 1;
}
"""
REGION, LOOP, CRITICAL = "program.c:5", "program.c:7", "program.c:9"
LEVELS_CRITICAL = "program.c:9"


@pytest.fixture
def program(build_program):
    return build_program(PROGRAM, compiler="clang-19")


@pytest.fixture
def path(profile, program):
    return profile(program, threads=2)


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_report_shows_region_and_constructs_below(run_heddle, path):
    result = run_heddle("report", path, env={"LC_ALL": "C.UTF-8"})
    assert result.returncode == 0 and result.stderr == ""
    lines = result.stdout.splitlines()
    table = next(i for i, line in enumerate(lines) if line.endswith(" Region"))
    region = next(i for i, line in enumerate(lines) if i > table and f"parallel {REGION} in main" in line)
    assert lines[region + 1].endswith(f"└─loop static {LOOP}")
    assert lines[region + 2].endswith(f"  └─critical {CRITICAL}")
    assert " 20000 " in lines[region + 2] and " 20 " in lines[region]


def test_report_per_thread_sums_to_lifetimes(run_heddle, export, path):
    rows = rows_of(run_heddle("report", "--threads", "--csv", path).stdout)
    whole = {row["thread"]: row for row in rows if row["row"] == "0"}
    for thread in export(path)["threads"]:
        row = whole[str(thread["thread"])]
        states = sum(float(row[name]) for name in ("busy_s", "wait_s", "runtime_s", "idle_s"))
        assert states == pytest.approx(thread["lifetime_s"], rel=1e-9)
    text = run_heddle("report", "--threads", path).stdout
    assert "Whole run" in text and f"parallel {REGION}" in text and "initial" in text and "worker" in text


# One thread spins 50 ms alone; then it spins 50 ms and the other 60 ms; then 20 ms each in the critical section.
LEVELS_PROGRAM = """
#include <omp.h>
#include "spin.h"
int main(void) {
  spin_ms(0, 50);
#pragma omp parallel num_threads(2)
  {
    spin_ms(omp_get_thread_num(), 50 + 10 * omp_get_thread_num());
#pragma omp critical
    spin_ms(omp_get_thread_num(), 20);
  }
  return 0;
}
"""


@pytest.fixture(scope="session")
def levels_path(build_program, heddle, tmp_path_factory):
    path = tmp_path_factory.mktemp("levels") / "levels.heddle"
    program = build_program(LEVELS_PROGRAM, compiler="clang-19")
    env = {**clean_environment(), "OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive",
           "OMP_TOOL_LIBRARIES": str(LIBRARY), "HEDDLE_OUTPUT": str(path)}
    subprocess.run([program], check=True, env=env)
    return path


def test_report_shows_for_how_long_how_many_were_busy(run_heddle, levels_path, export):
    whole = export(levels_path)["program"]
    text = run_heddle("report", levels_path, env={"LC_ALL": "C.UTF-8"}).stdout
    serial = re.search(r"^serial +\S+ \S+ \((\S+) %\) with at most one thread busy", text, re.M)
    assert float(serial[1]) == pytest.approx(100 * whole["serial_s"] / whole["elapsed_s"], abs=0.051)
    bars = re.findall(r"^ +(\d) +\S+ +(\S+)  [█▏▎▍▌▋▊▉]+$", text, re.M)
    assert [int(level) for level, _ in bars] == [k for k, time in enumerate(whole["time_at_k_s"]) if time > 0]
    for level, percent in bars:
        expected = 100 * whole["time_at_k_s"][int(level)] / whole["elapsed_s"]
        assert float(percent) == pytest.approx(expected, abs=0.051)
    strip = next(line for line in text.splitlines() if re.fullmatch("[.▁▂▃▄▅▆▇█]{72}", line))
    assert "█" in strip and "▄▄▄▄▄▄▄▄" in strip
    assert re.search(r"^s{8,} [ s]*s$", text, re.M)  # before the region; in the critical section
    assert re.search(r" 012 .* Id +Main cause Region$", text, re.M)
    assert re.search(r"^   busy  id \d+ program.c:6$", text, re.M)


def test_report_is_plain_where_the_locale_is(run_heddle, levels_path):
    for options in ([], ["--histogram"], ["--at-k", "1"], ["--with", "1"]):
        result = run_heddle("report", *options, levels_path, env={"LC_ALL": "C"})
        assert result.returncode == 0 and result.stdout.isascii()
    text = run_heddle("report", levels_path, env={"LC_ALL": "C"}).stdout
    assert re.search(r"^[.1-8]{72}$", text, re.M) and re.search(r"^ +2 +\S+ +\S+  #+$", text, re.M)


@pytest.mark.parametrize("columns", [10, 60, 100])
@pytest.mark.needs("terminal")
def test_report_fits_the_terminal(heddle, levels_path, columns):
    command = f"stty cols {columns}; LC_ALL=C.UTF-8 '{heddle}' report --no-pager --color=never '{levels_path}'"
    result = subprocess.run(["script", "-qec", command, "/dev/null"], capture_output=True, text=True)
    assert result.returncode == 0
    strips = [line for line in result.stdout.splitlines() if re.fullmatch("[.▁▂▃▄▅▆▇█]+", line)]
    assert [len(strip) for strip in strips] == [max(columns, 16)]
    if columns == 100:
        assert [line for line in result.stdout.splitlines() if len(line) > 100] == []


def test_at_k_adds_up_to_the_time_at_it(run_heddle, levels_path, export):
    loaded = export(levels_path)
    time_at = loaded["program"]["time_at_k_s"]
    for k in range(4):
        rows = rows_of(run_heddle("report", "--at-k", k, "--csv", levels_path).stdout)
        assert sum(float(row["wall_s"]) for row in rows) == pytest.approx(sum(time_at[:k + 1]), rel=1e-9)
        assert sum(float(row["share"]) for row in rows) == pytest.approx(1)
        assert rows[-1]["kind"] == "nobody" and float(rows[-1]["wall_s"]) == pytest.approx(time_at[0])
        for row in rows[:-1]:
            profile = loaded["profiles"][int(row["id"])]
            assert float(row["busy_s"]) == pytest.approx(sum(profile["thread_time_at_k_s"][:k + 1]))
    text = run_heddle("report", "--at-k", "1", levels_path).stdout
    assert text.startswith("At most 1 thread was busy for ")
    assert f"critical {LEVELS_CRITICAL} in main < parallel program.c:6" in text
    assert re.search(r"^ *\S+ 100\.0 +- +\(sum\)$", text, re.M)


def test_with_agrees_with_json(run_heddle, levels_path, export):
    loaded = export(levels_path)
    rows = rows_of(run_heddle("report", "--with", LEVELS_CRITICAL, "--csv", levels_path).stdout)
    critical = next(profile for profile in loaded["profiles"] if profile["kind"] == "critical")
    expected = {pair["a"]: pair["elapsed_s"] for pair in loaded["overlaps"] if pair["b"] == critical["id"]}
    assert expected and {int(row["id"]): float(row["overlap_s"]) for row in rows} == pytest.approx(expected)
    for row in rows:
        assert float(row["active_share"]) == pytest.approx(float(row["overlap_s"]) / critical["active_s"])
    text = run_heddle("report", "--with", critical["id"], levels_path).stdout
    assert text == run_heddle("report", "--with", LEVELS_CRITICAL, levels_path).stdout
    assert f"callpath  critical {LEVELS_CRITICAL} in main < parallel program.c:6 (id {critical['id']})\n" in text


@pytest.mark.parametrize("what, words", [
    ("99", "no callpath '99'; 'heddle report --limit 0' lists all with their ids"),
    ("nobody", "no callpath 'nobody'"),
    ("main", "'main' matches several callpaths; choose one by its id:\n      ID  parallel program.c:6 in main\n"),
])
def test_with_needs_one_callpath(run_heddle, levels_path, export, what, words):
    region = next(profile for profile in export(levels_path)["profiles"] if profile["kind"] == "parallel")
    words = words.replace("ID", f"{region['id']:2}")
    result = run_heddle("report", "--with", what, levels_path)
    assert result.returncode == 1 and result.stdout == ""
    assert result.stderr.startswith("heddle: ") and words in result.stderr


def test_with_as_csv_answers_for_all_callpaths_of_a_place(run_heddle, levels_path, export):
    """A region and its loop often share a line, and a function has several constructs: the last column says whose row it is."""
    loaded = export(levels_path)
    rows = rows_of(run_heddle("report", "--with", "main", "--csv", "--limit", "0", levels_path).stdout)
    expected = {(pair[a], pair[b]): pair["elapsed_s"] for pair in loaded["overlaps"] for a, b in ("ab", "ba")
                if loaded["profiles"][pair[b]]["name"] == "main" and loaded["profiles"][pair[b]]["kind"] != "routine"}
    assert len({asked for _, asked in expected}) > 1
    assert {(int(row["id"]), int(row["with"])): float(row["overlap_s"]) for row in rows} == pytest.approx(expected)


def test_jq_line_of_the_manual_answers_as_csv_does(run_heddle, heddle, levels_path):
    manual = (SOURCE / "docs/profile-json.md").read_text()
    line, = re.findall(r"^```sh\n(heddle export .*?)^```$", manual, re.M | re.S)
    asked = line.replace("heddle", str(heddle), 1).replace("run.heddle", str(levels_path)).replace("heat.c:42", LEVELS_CRITICAL)
    answer = json.loads(subprocess.run(["sh", "-c", asked], capture_output=True, text=True, check=True).stdout)
    rows = rows_of(run_heddle("report", "--with", LEVELS_CRITICAL, "--csv", "--limit", "0", levels_path).stdout)
    assert rows and len(rows) == len(answer)
    for row in rows:
        other, = [other for other in answer if other["id"] == int(row["id"]) and other["with"]["id"] == int(row["with"])]
        assert [other["overlap_s"], other["active_share"]] == pytest.approx([float(row["overlap_s"]), float(row["active_share"])])
        assert other["name"] == "main" and other["file"].endswith("program.c") and other["with"]["kind"] == "critical"
        assert f"{other['with']['file'].split('/')[-1]}:{other['with']['line']}" == LEVELS_CRITICAL


def test_histogram_agrees_with_json(run_heddle, levels_path, export):
    loaded = export(levels_path)
    rows = rows_of(run_heddle("report", "-H", "--csv", levels_path).stdout)
    region = next(profile for profile in loaded["profiles"] if profile["kind"] == "parallel")
    for profile in (loaded["profiles"][0], region):
        times = [float(row["elapsed_s"]) for row in rows if row["id"] == str(profile["id"])]
        assert times == pytest.approx(profile["elapsed_at_k_s"])
    text = run_heddle("report", "-H", levels_path).stdout
    assert f"\nid {region['id']}  parallel program.c:6 in main\n" in text


def test_csv_agrees_with_json(run_heddle, export, path):
    rows = rows_of(run_heddle("report", "--csv", "--limit", "0", path).stdout)
    profiles = export(path)["profiles"]
    assert [row["kind"] for row in rows] == ["parallel", "loop_static", "critical"]
    for row in rows:  # one line of source, several addresses: the compiler may peel the outer loop
        same = [profile for profile in profiles if (profile["kind"], str(profile["line"])) == (row["kind"], row["line"])]
        assert int(row["calls"]) == sum(profile["visits"] for profile in same)
        assert float(row["busy_s"]) == pytest.approx(sum(profile["busy_inclusive_s"] for profile in same))
        wall = sum(profile["wall_share_inclusive_s"] for profile in same)
        assert float(row["wall_share_s"]) == pytest.approx(wall) and int(row["id"]) == same[0]["id"]
        waits = sum(sum(profile["wait_inclusive_s"].values()) for profile in same)
        assert float(row["wait_s"]) == pytest.approx(waits)
        gains = [profile["potential_gain_s"] for profile in same]
        assert row["gain_s"] == "" if gains[0] is None else float(row["gain_s"]) == pytest.approx(sum(gains))
    assert rows[2]["gain_s"] == "" and float(rows[0]["gain_s"]) > 0


def test_markdown_has_the_run_and_the_table_of_regions(run_heddle, path):
    text = run_heddle("report", "--markdown", path).stdout
    assert re.match(r"\n## program\n\n- ", text) and "\n- elapsed: " in text and "\n- threads: 2" in text
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert table[0].startswith("| Gain | Gain% | Elapsed |") and table[0].endswith("| Main cause | Region |")
    assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table}) == 1, table
    plain = run_heddle("report", path).stdout.split(" Region\n")[1]
    assert sum("parallel program.c" in line for line in table) == len(re.findall(r" parallel program\.c", plain)) > 0
    chosen = run_heddle("report", "--markdown", "--columns=busy", "-n", "1", path).stdout
    assert "\n| Busy | Region |\n" in chosen and "not shown; --limit" not in chosen and "more line" in chosen


def test_limit_says_what_is_left_out(run_heddle, path):
    table = run_heddle("report", "--limit", "1", path).stdout.split(" Region\n")[1]  # findings name places of their own
    assert REGION in table and LOOP not in table and "2 more lines are not shown" in table


@pytest.mark.parametrize("arguments, words", [
    ([], "no command given"),
    (["weave"], "'weave' is not a command"),
    (["report"], "missing FILE"),
    (["report", "--bogus", "x"], "'--bogus' is not an option here"),
    (["report", "--sort", "colour", "x"], "this view has no 'colour' to sort by: it has gain, "),
    (["report", "--limit", "-1", "x"], "--limit expects a number of lines, not '-1'"),
    (["report", "a", "b"], "one FILE at a time"),
    (["report", "--at-k", "-1", "x"], "--at-k expects a number of threads, not '-1'"),
    (["report", "--at-k", "two", "x"], "--at-k expects a number of threads, not 'two'"),
    (["report", "--at-k", "4294967296", "x"], "--at-k expects a number of threads, not '4294967296'"),
    (["report", "x", "--at-k"], "'--at-k' needs an argument"),
    (["report", "x", "--with"], "'--with' needs an argument"),
    (["report", "--with", "", "x"], "--with needs an id, FILE:LINE or a function"),
    (["report", "--histogram=1", "x"], "'--histogram=1' takes no argument"),
    (["report", "--at-k", "1", "--with", "1", "x"], "only one of --threads, --histogram, --timeline, --at-k"),
    (["report", "--with", "1", "--threads", "x"], "only one of --threads, --histogram, --timeline, --at-k"),
    (["report", "-H", "--at-k", "1", "x"], "only one of --threads, --histogram, --timeline, --at-k"),
    (["report", "--flat", "--tree", "x"], "only one of --threads, --histogram, --timeline, --at-k"),
    (["report", "--callgraph", "--threads", "x"], "only one of --threads"),
    (["report", "--callers", "a(", "x"], "--callers 'a(': Unmatched ( "),
    (["report", "--focus", "[", "x"], "--focus '[': "),
    (["report", "--focus", "", "x"], "--focus needs a regular expression"),
    (["report", "--depth", "0", "x"], "--depth expects a number of sites, 1 or more, not '0'"),
    (["report", "--depth", "two", "x"], "--depth expects a number of sites, 1 or more, not 'two'"),
    (["report", "--sort", "gain", "--flat", "x"], "this view has no 'gain' to sort by"),
    (["report", "--markdown", "--csv", "x"], "either --csv or --markdown"),
    (["report", "--markdown", "--flat", "x"], "--markdown is for the table of regions"),
    (["export", "--depth", "-1", "x"], "--depth expects a number of sites, not '-1'"),
    (["export", "--format", "xml", "x"], "--format knows no 'xml'; there is: json"),
    (["report", "a", "b"], "one FILE at a time: 'heddle compare' shows several beside each other, 'heddle merge' adds them up"),
    (["report", "--bogus", "x"], "'--bogus' is not an option here\n"),
    (["report", "--fucos", "x"], "did you mean --focus?"),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_wrong_usage_shows_the_usage_line(run_heddle, arguments, words):
    result = run_heddle(*arguments)
    assert result.returncode == 2 and result.stdout == ""
    assert words in result.stderr and "\nUsage: heddle" in result.stderr


@pytest.mark.parametrize("arguments", [["--help"], ["report", "--help"], ["export", "--help"], ["run", "--help"],
                                       ["--version"]], ids=" ".join)
def test_help_and_version_are_no_errors(run_heddle, arguments):
    result = run_heddle(*arguments)
    assert result.returncode == 0 and result.stdout and result.stderr == ""
    assert "--format FORMAT" not in result.stdout.splitlines()[0]  # json, unless another is asked for


@pytest.mark.parametrize("content, reason", [
    (None, "No such file or directory"),
    (b"", "the file is empty"),
    (b"#!/bin/sh\necho this is no profile\n", "not a Heddle profile"),
    (b"HEDDLE\r\n", "cut short"),
])
@pytest.mark.parametrize("command", ["report", "export"])
def test_what_is_no_profile_is_refused_in_one_line(run_heddle, tmp_path, command, content, reason):
    path = tmp_path / "x.heddle"
    if content is not None:
        path.write_bytes(content)
    result = run_heddle(command, path)
    assert result.returncode == 1 and result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith(f"heddle: {path}: ") and reason in result.stderr


def test_newer_profile_is_refused(run_heddle, path):
    content = bytearray(path.read_bytes())
    content[8] += 1
    path.write_bytes(content)
    result = run_heddle("report", path)
    assert result.returncode == 1 and result.stdout == ""
    assert f"written by a newer Heddle (format {content[8]}, this reads {content[8] - 1})" in result.stderr


@pytest.mark.parametrize("command", ["report", "export"])
def test_full_disk_is_an_error(heddle, command, path):
    with open("/dev/full", "w") as full:
        result = subprocess.run([heddle, command, path], stdout=full, stderr=subprocess.PIPE, text=True)
    assert result.returncode == 1 and result.stderr == "heddle: standard output: No space left on device\n"


@pytest.mark.parametrize("command", ["report", "export"])
@pytest.mark.parametrize("trap", ["", "trap '' PIPE; "], ids=["default", "ignored"])
def test_reader_that_leaves_early_is_no_error(heddle, command, trap, path):
    result = subprocess.run(["sh", "-c", f"{trap}'{heddle}' {command} '{path}' | true"], capture_output=True, text=True)
    assert result.stderr == ""


def test_export_writes_to_a_file(run_heddle, path, tmp_path):
    out = tmp_path / "out.json"
    result = run_heddle("export", "-o", out, path)
    assert result.returncode == 0 and result.stdout == ""
    assert out.read_text() == run_heddle("export", path).stdout
    assert run_heddle("export", "-o", "/dev/null", path).returncode == 0


def test_export_keeps_an_existing_file_unless_forced(run_heddle, path, tmp_path):
    out = tmp_path / "out.json"
    out.write_text("mine")
    result = run_heddle("export", "-o", out, path)
    assert result.returncode == 1 and out.read_text() == "mine"
    assert result.stderr == f"heddle: {out}: file already exists; --force replaces it, -o names another\n"
    result = run_heddle("export", "--force", "-o", out, path)
    assert result.returncode == 0 and out.read_text() == run_heddle("export", path).stdout


# So many regions, in a program with so many functions without debug information: 0 to 49,999, all in assembler code.
MANY_FUNCTIONS = r"""
#define REGION _Pragma("omp parallel") sum++;
#define TEN REGION REGION REGION REGION REGION REGION REGION REGION REGION REGION
int main(void) {
  static _Thread_local int sum;
#if MANY
  TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#else
  REGION
#endif
  return 0;
}
__asm__(".altmacro\n.macro one n\n.globl f\\n\n.type f\\n,@function\nf\\n: ret\n.size f\\n,1\n.endm\n"
        ".set i,0\n.rept 50000\none %i\n.set i,i+1\n.endr");
"""


@pytest.mark.timed
def test_naming_takes_no_look_at_all_symbols_for_every_place(build_program, profile, heddle):
    def seconds(many):
        flags = ["-g0", f"-DMANY={many}"]
        path = profile(build_program(MANY_FUNCTIONS, compiler="clang-19", flags=flags), threads=1)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        result = subprocess.run([heddle, "report", path], capture_output=True, text=True, env=clean_environment())
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert " in main\n" in result.stdout
        return after.ru_utime - before.ru_utime

    one, many = min(seconds(0) for _ in range(3)), min(seconds(1) for _ in range(3))
    assert many < 3 * one + 0.05


def test_efficiency_is_a_product_and_what_the_json_says(run_heddle, profile, export, build_program):
    path = profile(build_program("tasks.c"), runtime=19, threads=2, env={"HEDDLE_OVERHEAD": "off"})
    loaded = export(path)
    rows = {int(row["id"]): row for row in csv.DictReader(run_heddle("report", "--efficiency", "--csv", path).stdout.splitlines())}
    regions = {entry["id"]: entry["efficiency"] for entry in loaded.profiles if entry.get("efficiency")}
    assert set(rows) == {0, *regions} and len(regions) >= 1
    for number, efficiency in {0: loaded["program"]["efficiency"], **regions}.items():
        parallel, *factors = efficiency.values()
        assert math.prod(factors) == pytest.approx(parallel) and all(0 < factor <= 1 for factor in factors)
        for name, value in efficiency.items():
            assert float(rows[number]["parallel_efficiency" if name == "parallel" else name]) == pytest.approx(value)
    program = loaded["program"]
    assert program["efficiency"]["parallel"] == pytest.approx(program["busy_s"] / (2 * program["elapsed_s"]))


@pytest.mark.parametrize("change, status, words", [
    ("nothing", 2, "--what-if expects ID=balanced"),
    ("0 without reason", 2, "that is no cause"),
    ("9999=balanced", 1, "no callpath 9999"),
    ("threads=1", 0, "If it had 1 thread, the run would take "),
])
def test_what_if_asks_for_what_there_is(run_heddle, path, change, status, words):
    result = run_heddle("explain", "--what-if", change, path)
    assert result.returncode == status and words in result.stdout + result.stderr
