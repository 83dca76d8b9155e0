# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""heddle.h: phases, pause and resume in programs with and without OpenMP, and what they cost where there is no tool.

The programs' head comments say what they do; their own books say how long it took."""

import re
import subprocess

import pytest

from conftest import SOURCE, TIMEOUT_S, assert_close, marks, run_plain
from timed import check_longer_times, check_times

INCLUDE = f"-I{SOURCE / 'include'}"
PTHREAD = "-pthread"
NO_OPENMP = "-fno-openmp"
REGION = marks("markers.c")["region"]


@pytest.fixture
def program(build_program):
    return build_program("markers.c", "clang", (INCLUDE, PTHREAD))


@pytest.fixture
def plain_program(build_program):
    """Without OpenMP: no runtime is there to load a tool."""
    return build_program("markers.c", "clang", (INCLUDE, PTHREAD, NO_OPENMP))


def did(loaded, *books):
    return sum(int(ns) for name, ns in re.findall(r"^did (\w+) (\d+)$", loaded.stdout, re.M) if name in books) / 1e9


def phase(loaded, name):
    found = [entry for entry in loaded.profiles if entry["kind"] == "phase" and entry["name"] == name]
    assert len(found) == 1, f"{len(found)} phases {name}: {loaded.summary()}"
    return found[0]


def busy_itself(entry):
    """Without what Heddle did there: a thread's first events, of a tool that nothing has started yet, take fractions of a
    millisecond."""
    return entry["busy_s"] - entry["overhead_s"]


def above(loaded, entry):
    """The kinds and names from the program down to the entry; routines that the stack tells of left out."""
    chain = [e for e in loaded.ancestors(entry) if e["kind"] not in ("routine", "program")]
    return [(e["kind"], e["name"] if e["kind"] == "phase" else None) for e in reversed(chain)]


def has_note(loaded, text):
    return any(text in note for note in loaded["run"]["notes"])


def is_balanced(loaded):
    return not has_note(loaded, "without having begun") and not has_note(loaded, "paused")


# ---- phases ----


@pytest.mark.timed
def test_phases_are_callpaths(measure_routines, program, runtime):
    def measured(longer):
        loaded = measure_routines(program, "phases", "warm", runtime=runtime, threads=2, env={"LONGER": str(longer)})
        assert {e["name"] for e in loaded.profiles if e["kind"] == "phase"} == {"read", "solve", "assemble", "inner"}
        visits = {name: phase(loaded, name)["visits"] for name in ("read", "solve", "assemble", "inner")}
        assert visits == {"read": 1, "solve": 2, "assemble": 2, "inner": 1}
        assert above(loaded, phase(loaded, "read")) == above(loaded, phase(loaded, "solve")) == []
        assert above(loaded, phase(loaded, "assemble")) == [("phase", "solve")]
        assert above(loaded, loaded.one(REGION, "parallel")) == [("phase", "solve")]
        assert above(loaded, phase(loaded, "inner")) == [("phase", "solve"), ("parallel", None)]
        assert [row["thread"] for row in phase(loaded, "inner")["threads"] if row["busy_s"]] == [1]
        assert is_balanced(loaded)
        return loaded

    def check(loaded):
        for name in ("read", "solve", "assemble", "inner"):
            assert_close(phase(loaded, name)["busy_s"], did(loaded, name), name)
        assert_close(phase(loaded, "solve")["busy_inclusive_s"], did(loaded, "solve", "assemble", "team0", "inner"),
                     "all of solve")
        assert_close(loaded.one(REGION, "parallel")["busy_s"], did(loaded, "team0"), "region")

    check_longer_times(measured, check)


@pytest.mark.timed
def test_phases_without_openmp(measure_routines, plain_program):
    def measured():
        loaded = measure_routines(plain_program, "phases", runtime=None)
        assert {name: phase(loaded, name)["visits"] for name in ("read", "solve", "assemble")} == {
            "read": 1, "solve": 2, "assemble": 2}
        assert len(loaded.threads) == 1 and loaded["run"]["complete"]
        assert loaded["program"]["serial_s"] == loaded["program"]["elapsed_s"]
        return loaded

    def check(loaded):
        for name in ("read", "solve", "assemble"):
            books = ("solve", "team0") if name == "solve" else (name,)  # the team's only thread is the first
            assert_close(busy_itself(phase(loaded, name)), did(loaded, *books), name)

    check_times(measured, check)


@pytest.mark.timed
def test_phase_inside_itself_is_one_phase(measure_routines, plain_program):
    def measured():
        loaded = measure_routines(plain_program, "nested", runtime=None)
        assert phase(loaded, "a")["visits"] == 2 and is_balanced(loaded)
        return loaded

    check_times(measured, lambda loaded: assert_close(busy_itself(phase(loaded, "a")), did(loaded, "a"), "a"))


@pytest.mark.timed
def test_each_thread_has_its_own_phases(measure_routines, plain_program):
    def measured():
        loaded = measure_routines(plain_program, "threads", runtime=None)
        rows = [row for row in phase(loaded, "worker")["threads"] if row["visits"]]
        assert [row["visits"] for row in rows] == [1, 1] and len(loaded.threads) == 3
        assert above(loaded, phase(loaded, "worker")) == [] and phase(loaded, "both")["visits"] == 1
        return loaded

    def check(loaded):
        assert_close(busy_itself(phase(loaded, "worker")), did(loaded, "worker0", "worker1"), "both threads")

    check_times(measured, check)


def test_with_the_tool_alone_phases_count_from_the_first_construct(measure, program, runtime):
    loaded = measure(program, "phases", runtime=runtime, threads=2)
    assert {e["name"] for e in loaded.profiles if e["kind"] == "phase"} == {"inner", "solve"}
    assert phase(loaded, "solve")["visits"] == 1  # the second one; the first began before the region
    assert has_note(loaded, "1 phase ended without having begun, or never ended")


@pytest.mark.parametrize("compiler, flags", [("gcc", ()), ("clang++", ("-std=c++11", "-xc++", "-Wno-deprecated")), ("clang-19", ())],
                         ids=["gcc", "C++", "clang 19"])
def test_other_compilers(measure_routines, build_program, compiler, flags):
    program = build_program("markers.c", compiler, (*flags, INCLUDE, PTHREAD))
    loaded = measure_routines(program, "phases", threads=2, gomp=compiler == "gcc")
    assert {name: phase(loaded, name)["visits"] for name in ("read", "solve", "assemble", "inner")} == {
        "read": 1, "solve": 2, "assemble": 2, "inner": 1}


def test_phase_of_a_library_and_of_the_program_are_the_same(measure_routines, tmp_path, build_program):
    (tmp_path / "helper.c").write_text('#include "heddle.h"\nvoid helper(void);\nvoid helper(void) '
                                       '{ heddle_phase_begin("both"); heddle_phase_end("both"); }\n')
    (tmp_path / "main.c").write_text('#include "heddle.h"\nvoid helper(void);\nint main(void) {\n  char name[] = "both";\n'
                                     '  heddle_phase_begin(name);\n  heddle_phase_end(name);\n  name[0] = 0;\n'
                                     '  helper();\n  return 0;\n}\n')
    for command in (["-shared", "-fPIC", "helper.c", "-o", "libhelper.so"],
                    ["main.c", "-o", "main", "-L.", "-lhelper", f"-Wl,-rpath,{tmp_path}"]):
        subprocess.run(["gcc", INCLUDE, *command], cwd=tmp_path, check=True, timeout=TIMEOUT_S)
    loaded = measure_routines(tmp_path / "main", runtime=None)
    callers = {entry["id"]: [a["name"] for a in loaded.ancestors(entry) if a["kind"] == "routine"]
               for entry in loaded.profiles if entry["kind"] == "phase" and entry["visits"] == 1}
    assert sorted(callers.values()) == [["helper", "main"], ["main"]]
    loaded = measure_routines(tmp_path / "main", runtime=None, env={"HEDDLE_UNWIND": "off"})
    assert phase(loaded, "both")["visits"] == 2


# ---- pauses ----


@pytest.mark.timed
@pytest.mark.parametrize("openmp", [True, False], ids=["OpenMP", "none"])
def test_pause_is_left_out(measure_routines, program, plain_program, openmp):
    def measured(longer):
        loaded = measure_routines(program if openmp else plain_program, "pause", threads=2, env={"LONGER": str(longer)})
        assert loaded["program"]["pauses"] == 2
        assert phase(loaded, "after")["visits"] == 1
        assert not [e for e in loaded.profiles if e["kind"] == "phase" and e["name"] == "unseen" and e["visits"]]
        assert has_note(loaded, "measurement was paused 2 times")
        assert not has_note(loaded, "without having begun")
        return loaded

    def check(loaded):
        assert_close(loaded["program"]["paused_s"], did(loaded, "paused"), "paused")
        assert_close(phase(loaded, "after")["busy_s"], did(loaded, "after"), "after")
        left = loaded["program"]["elapsed_s"] - did(loaded, "before", "after")
        assert 0 <= left < did(loaded, "paused") / 2, f"the start of the program, not the pauses: {left}"

    check_longer_times(measured, check)


# ---- bad use ----


@pytest.mark.timed
@pytest.mark.parametrize("openmp", [True, False], ids=["OpenMP", "none"])
def test_unbalanced_markers_are_counted_and_said(measure_routines, program, plain_program, openmp):
    def measured():
        loaded = measure_routines(program if openmp else plain_program, "unbalanced", threads=2)
        assert has_note(loaded, "5 phases ended without having begun, or never ended"), loaded["run"]["notes"]
        assert {name: phase(loaded, name)["visits"] for name in ("outer", "inner", "left", "open")} == {
            "outer": 1, "inner": 1, "left": 1, "open": 1}
        return loaded

    def check(loaded):
        assert_close(phase(loaded, "inner")["busy_s"], did(loaded, "inner"), "inner")
        assert_close(phase(loaded, "open")["busy_s"], did(loaded, "open"), "open")

    check_times(measured, check)


def test_who_sends_events_in_a_pause_does_not_wait_for_its_end(measure, build_program, runtime):
    """A thread that looked at the clock just before it was stopped is later than where it stands, for the whole pause."""
    loaded = measure(build_program("pauses.c", "clang", (INCLUDE,)), 10, runtime=runtime, threads=2)
    assert loaded.stdout == "100000 100000\n"
    assert loaded["program"]["pauses"] > 0


def test_no_marker_is_reached(run_routines, program):
    """Heddle is loaded, and finds nothing to measure: it says so."""
    assert run_routines(program, "none", runtime=19) is None
    assert run_routines.result.returncode == 0
    assert "reached no OpenMP construct on LLVM's libomp, no marker and no instrumented routine" in run_routines.result.stderr


# ---- without the tool ----


@pytest.mark.parametrize("case", ["phases", "nested", "pause", "unbalanced", "threads"])
def test_without_the_tool_nothing_happens(program, case):
    result = run_plain(program, case, runtime=19, threads=2)
    assert result.returncode == 0 and result.stderr == "" and result.stdout.startswith("did ")


ONE_MARKER = '#include "heddle.h"\nvoid one_marker(void);\nvoid one_marker(void) { %s; }\n'


@pytest.mark.needs("x86-64")
@pytest.mark.parametrize("marker", ['heddle_phase_begin("a")', "heddle_phase_end(0)", "heddle_pause()", "heddle_resume()"])
@pytest.mark.parametrize("compiler, flags", [("gcc", ()), ("gcc", ("-fPIC",)), ("g++", ("-xc++",)), ("clang", ()),
                                             ("clang", ("-fPIC",))], ids=str)
def test_marker_is_one_load_and_a_branch(tmp_path, compiler, flags, marker):
    (tmp_path / "one.c").write_text(ONE_MARKER % marker)
    subprocess.run([compiler, *flags, "-O2", "-fcf-protection=none", INCLUDE, "-c", "one.c", "-o", "one.o"],
                   cwd=tmp_path, check=True, timeout=TIMEOUT_S)
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "one.o"], cwd=tmp_path, capture_output=True, text=True,
                          check=True).stdout
    instructions = [line.split("\t")[1].split()[0] for line in text.splitlines() if re.match(r"\s+[0-9a-f]+:\t", line)]
    until_return = instructions[:instructions.index("ret") + 1]
    # A conditional jump to the call, or over a jump to it.
    assert until_return in (["mov", "test", "jne", "ret"], ["mov", "test", "je", "jmp", "ret"]), text
    assert "(%rip)" in text.split("mov", 1)[1].splitlines()[0]
