# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle report`: the names of functions, files and lines: found, kept, looked for elsewhere, or said to be missing."""
import re
import subprocess

import pytest

from test_report import PROGRAM, REGION


def test_names_stay_when_the_program_has_gone(run_heddle, profile, build_program):
    program = build_program(PROGRAM, compiler="clang-19")
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


def strip_debug(program, tmp_path):
    """A stripped copy of a program, its debug information and its build id."""
    stripped, debug = tmp_path / "stripped", tmp_path / "whole.debug"
    subprocess.run(["objcopy", "--only-keep-debug", program, debug], check=True)
    subprocess.run(["objcopy", "--strip-all", program, stripped], check=True)
    notes = subprocess.run(["readelf", "-nW", program], capture_output=True, text=True, check=True).stdout
    return stripped, debug, re.search(r"Build ID: (\w+)", notes)[1]


@pytest.fixture
def stripped(build_program, tmp_path):
    return strip_debug(build_program(PROGRAM, compiler="clang-19", flags=["-Wl,--build-id"]), tmp_path)


def test_names_from_debug_information_below_its_build_id(run_heddle, profile, stripped, tmp_path):
    program, debug, build_id = stripped
    path = profile(program, threads=2)
    without = run_heddle("report", path).stdout  # kept: nothing was found
    assert REGION not in without
    assert re.search(r"^note +no symbols in stripped: its code is shown by address; .*DEBUGINFOD_URLS", without, re.M)
    place = tmp_path / "debug" / ".build-id" / build_id[:2] / f"{build_id[2:]}.debug"
    place.parent.mkdir(parents=True)
    debug.rename(place)
    assert REGION not in run_heddle("report", path).stdout
    named = run_heddle("report", path, env={"HEDDLE_DEBUGINFO": str(tmp_path / "debug")}).stdout
    assert f"parallel {REGION} in main" in named and "no symbols in" not in named
    assert f"parallel {REGION} in main" in run_heddle("report", path).stdout  # kept


def test_names_from_debuginfod(run_heddle, profile, stripped, tmp_path):
    """A folder serves as well as a server. libdw loads libdebuginfod where it is installed."""
    program, debug, build_id = stripped
    path = profile(program, threads=2)
    place = tmp_path / "served" / "buildid" / build_id / "debuginfo"
    place.parent.mkdir(parents=True)
    debug.rename(place)
    result = run_heddle("report", path, env={"DEBUGINFOD_URLS": f"file://{tmp_path}/served",
                                             "DEBUGINFOD_CACHE_PATH": str(tmp_path / "cache")})
    assert f"parallel {REGION} in main" in result.stdout and "no symbols in" not in result.stdout


MANY_LIBRARIES = """
int work0(void), work1(void), work2(void), work3(void), work4(void), work5(void);
int main(void) {
  return work0() + work1() + work2() + work3() + work4() + work5();
}
"""
ONE_LIBRARY = """
int work%d(void) {
  int sum = 0;
#pragma omp parallel
  sum++;
  return 0;
}
"""


def test_what_has_no_symbols_is_one_note(run_heddle, profile, tmp_path):
    for i in range(6):
        (tmp_path / f"{i}.c").write_text(ONE_LIBRARY % i)
        subprocess.run(["clang-19", "-O1", "-fopenmp", "-shared", "-fPIC", "-s", "-Wl,-soname,library%d.so" % i,
                        "-o", tmp_path / f"library{i}.so", tmp_path / f"{i}.c"], check=True)
    (tmp_path / "main.c").write_text(MANY_LIBRARIES)
    subprocess.run(["clang-19", "-O1", "-s", "-fopenmp", tmp_path / "main.c", "-o", tmp_path / "many", f"-Wl,-rpath,{tmp_path}",
                    *(tmp_path / f"library{i}.so" for i in range(6))], check=True)
    path = profile(tmp_path / "many", threads=2)
    for i in range(6):
        (tmp_path / f"library{i}.so").unlink()
    notes = [line for line in run_heddle("report", path).stdout.splitlines() if "names not shown" in line]
    assert len(notes) == 1
    assert re.match(r"note +library\d.so, library\d.so, library\d.so, library\d.so and 2 more: not found", notes[0])
