# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle report` and `heddle export` from the outside: tables, names kept in the profile, wrong usage, full disks."""
import csv
import io
import subprocess

import pytest

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
    region = next(i for i, line in enumerate(lines) if f"parallel {REGION} in main" in line)
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


def test_csv_agrees_with_json(run_heddle, export, path):
    rows = rows_of(run_heddle("report", "--csv", "--limit", "0", path).stdout)
    profiles = export(path)["profiles"]
    assert [row["kind"] for row in rows] == ["parallel", "loop_static", "critical"]
    for row in rows:  # one line of source, several addresses: the compiler may peel the outer loop
        same = [profile for profile in profiles if (profile["kind"], str(profile["line"])) == (row["kind"], row["line"])]
        assert int(row["calls"]) == sum(profile["visits"] for profile in same)
        assert float(row["busy_s"]) == pytest.approx(sum(profile["busy_inclusive_s"] for profile in same))
        waits = sum(sum(profile["wait_inclusive_s"].values()) for profile in same)
        assert float(row["wait_s"]) == pytest.approx(waits)
        gains = [profile["potential_gain_s"] for profile in same]
        assert row["gain_s"] == "" if gains[0] is None else float(row["gain_s"]) == pytest.approx(sum(gains))
    assert rows[2]["gain_s"] == "" and float(rows[0]["gain_s"]) > 0


def test_names_stay_when_the_program_has_gone(run_heddle, profile, build_program, program):
    path = profile(program, threads=2)
    moved = program.with_name("moved")
    unnamed = run_heddle("report", "--no-cache", path).stdout  # looked up, not kept
    program.rename(moved)
    try:
        assert REGION in unnamed
        without = run_heddle("report", path).stdout
        assert REGION not in without and f"{program.name}: not found on this machine" in without
    finally:
        moved.rename(program)
    assert REGION in run_heddle("report", path).stdout  # looked up and kept
    program.rename(moved)
    try:
        again = run_heddle("report", path).stdout
        assert REGION in again and "not found" not in again
    finally:
        moved.rename(program)


def test_names_of_a_rebuilt_program_are_not_shown(run_heddle, profile, tmp_path):
    source, program = tmp_path / "program.c", tmp_path / "program"
    command = ["clang-19", "-g", "-O2", "-fopenmp", str(source), "-o", str(program)]
    source.write_text(PROGRAM)
    subprocess.run(command, check=True)
    path = profile(program, threads=2)
    source.write_text("\n\n\n" + PROGRAM)
    subprocess.run(command, check=True)
    result = run_heddle("report", path)
    assert "note      program: rebuilt since the run; names not shown" in result.stdout
    assert "program.c:" not in result.stdout and "parallel program+0x" in result.stdout


def test_limit_says_what_is_left_out(run_heddle, path):
    text = run_heddle("report", "--limit", "1", path).stdout
    assert REGION in text and LOOP not in text and "2 more lines are not shown" in text


@pytest.mark.parametrize("arguments, words", [
    ([], "which command?"),
    (["weave"], "'weave' is not a command"),
    (["report"], "which FILE?"),
    (["report", "--bogus", "x"], "'--bogus' is not an option here"),
    (["report", "--sort", "colour", "x"], "cannot sort by 'colour'"),
    (["report", "--limit", "-1", "x"], "'-1' is not a number of lines"),
    (["report", "a", "b"], "one FILE at a time"),
    (["export", "--format", "xml", "x"], "'xml' is not a format; there is: json"),
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
    content[8] = 7
    path.write_bytes(content)
    result = run_heddle("report", path)
    assert result.returncode == 1 and result.stdout == ""
    assert "written by a newer Heddle (format 7, this reads 1)" in result.stderr


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
