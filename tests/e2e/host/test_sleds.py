# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Routines that are measured by choice: functions compiled with -fxray-instrument, patched when the program starts.

Counts are exact, and the same as with -finstrument-functions; what is not chosen is not there. clang is version 14, whose
trampolines are not those of version 19.
"""
import re

import pytest

from conftest import INSTRUMENTED, environment_for, run_plain

pytestmark = pytest.mark.needs("xray")
SLEDS = ("-fxray-instrument", "-fxray-instruction-threshold=1", "-pthread")
each_version = pytest.mark.parametrize("compiler", ["clang", "clang-19"])
COUNT = 100


def chosen(*rules):
    return [f"--routines={rule}" for rule in rules]


def names(loaded):
    return {entry["name"] for entry in loaded.profiles if entry["kind"] == "routine" and entry["measured"]}


def visits(loaded):
    """{routine: calls}, of those that were called."""
    return {name: calls for name in names(loaded) if (calls := loaded.calls(name))}


def cplusplus(compiler):
    return compiler.replace("clang", "clang++")


@each_version
@pytest.mark.parametrize("source, arguments", [
    ("gprof_sample.c", ()), ("recursion_direct.c", (1, "spin", 12)), ("recursion_mutual.c", (1, "spin")),
    ("recursion_threads.c", (1, "spin"))])
def test_calls_are_those_of_instrument_functions(measure_routines, build_program, compiler, source, arguments):
    """Without optimization a function is entered and left at the same places either way."""
    by_hooks = measure_routines(build_program(source, compiler, (*INSTRUMENTED, "-O0")), *arguments, threads=2)
    both = "|".join(names(by_hooks))  # -fxray-instrument does not know no_instrument_function
    by_sleds = measure_routines(build_program(source, compiler, (*SLEDS, "-O0")), *arguments, threads=2,
                                options=chosen(f"^({both})$"))
    assert by_sleds.arcs() == by_hooks.arcs() and sum(by_sleds.arcs().values()) > 10
    assert not any("left without returning" in note for note in by_sleds["run"]["notes"])


MANY = 2000
CALLS = {i: i % 7 + 1 for i in range(MANY)}


@pytest.fixture(scope="module")
def many(build_program):
    """A program of 2,000 functions, of which number i is called i % 7 + 1 times."""
    functions = "".join(f"__attribute__((noinline)) void f{i}(void) {{ sink = {i}; }}\n" for i in range(MANY))
    table = ", ".join(f"f{i}" for i in range(MANY))
    return build_program(f"""static volatile int sink;
{functions}static void (*const table[])(void) = {{{table}}};
int main(void) {{
  for (int i = 0; i < {MANY}; i++)
    for (int k = 0; k <= i % 7; k++)
      table[i]();
  return 0;
}}
""", "clang-19", SLEDS)


@pytest.mark.parametrize("rules, expected", [
    (["."], {"main": 1, **{f"f{i}": calls for i, calls in CALLS.items()}}),
    (["^f[0-9]*7$"], {f"f{i}": calls for i, calls in CALLS.items() if i % 10 == 7}),
    (["-[02468]$,-main"], {f"f{i}": calls for i, calls in CALLS.items() if i % 2}),
    (["-.", "^f1{2,3}$"], {"f11": CALLS[11], "f111": CALLS[111]})], ids=["all", "some", "odd", "two"])
def test_of_many_functions_those_chosen_are_counted(measure_routines, many, rules, expected):
    loaded = measure_routines(many, options=chosen(*rules))
    assert visits(loaded) == expected
    assert {parent for parent, _ in loaded.arcs()} <= {None, "main"}


@each_version
def test_what_ends_without_an_exit_has_ended(measure_routines, build_program, compiler):
    program = build_program("sleds_left.cpp", cplusplus(compiler), SLEDS)
    loaded = measure_routines(program, COUNT, options=chosen("left::", "main"))
    arcs = {tuple(name and name.split("(")[0] for name in arc): calls for arc, calls in loaded.arcs().items()}
    assert arcs == {
        (None, "main"): 1, ("main", "left::catcher"): COUNT, ("left::catcher", "left::between"): COUNT,
        ("left::between", "left::thrower"): COUNT, ("left::catcher", "left::after"): COUNT,
        ("main", "left::lander"): 2 * COUNT, ("left::lander", "left::jumper"): COUNT,
        ("left::lander", "left::deep"): COUNT, ("left::deep", "left::deep"): 2 * COUNT,
        ("left::lander", "left::after"): 2 * COUNT}
    assert all(entry["visits"] for entry in loaded.profiles if entry["kind"] == "routine"), loaded.summary()
    left = [note for note in loaded["run"]["notes"] if "left without returning" in note]
    assert len(left) == 1 and left[0].startswith(f"{6 * COUNT} routines")


@each_version
def test_names_are_those_of_the_source_and_of_the_symbols(measure_routines, build_program, compiler):
    program = build_program("sleds_left.cpp", cplusplus(compiler), SLEDS)
    by_name = measure_routines(program, 1, options=chosen(r"^left::after\(int\)$"))
    by_symbol = measure_routines(program, 1, options=chosen("^_ZN4left5afterEi$"))
    assert visits(by_name) == visits(by_symbol) == {"left::after(int)": 3}


TAIL = """#include <stdlib.h>
static volatile int sink;
#define ROUTINE __attribute__((noinline))
ROUTINE int last(int i) { return sink = i; }
ROUTINE int middle(int i) { return last(i + 1); }
ROUTINE int first(int i) { return middle(i + 1); }
int main(int argc, char **argv) {
  for (int i = 0; i < atoi(argv[argc - 1]); i++)
    first(i);
  return 0;
}
"""


@each_version
def test_tail_call_leaves_the_caller(measure_routines, build_program, compiler):
    loaded = measure_routines(build_program(TAIL, compiler, SLEDS), COUNT, options=chosen("."))
    assert loaded.arcs() == {(None, "main"): 1, ("main", "first"): COUNT, ("main", "middle"): COUNT, ("main", "last"): COUNT}
    assert not any("left without returning" in note for note in loaded["run"]["notes"])


@each_version
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_registers_stay_as_they_are(measure_routines, build_program, compiler, level):
    program = build_program("sleds_registers.c", compiler, (*SLEDS, level))
    loaded = measure_routines(program, COUNT, options=chosen("."))
    assert loaded.stdout == "right\n"
    assert visits(loaded)["scalars"] == visits(loaded)["turned"] == COUNT


@each_version
def test_wherever_routines_run_they_are_counted(measure_routines, run_heddle, export, build_program, tmp_path, compiler):
    program = build_program("sleds_everywhere.c", compiler, SLEDS)
    loaded = measure_routines(program, COUNT, threads=2, options=chosen("."))
    assert visits(loaded) == {"main": 1, "early": 1, "late": 1, "on_signal": 2 * COUNT, "start": 2, "work": 2 * COUNT,
                              "in_region": COUNT, "send_signals": 2}
    assert loaded.arcs()["send_signals", "on_signal"] == 2 * COUNT
    children = [path for path in tmp_path.glob("*.heddle") if path != loaded.path]
    assert len(children) == 1, list(tmp_path.iterdir())
    child = export(children[0])
    assert child["run"]["parent"] == loaded["run"]["pid"]
    assert visits(child) == {"in_child": COUNT, "late": 1}
    assert not any("without a matching" in note for note in loaded["run"]["notes"] + child["run"]["notes"])


def test_bodies_of_constructs_are_no_routines(measure_routines, build_program):
    loaded = measure_routines(build_program("recursion_tasks.c", "clang-19", SLEDS), 1, "spin", threads=2,
                              options=chosen("."))
    assert "main" in names(loaded) and not [name for name in names(loaded) if "omp" in name]


# ---- what is said ----


def said_by(run_heddle, program, *options, **keywords):
    result = run_heddle("run", *options, "--", program, **keywords)
    assert result.returncode == 0, result.stderr
    return result.stderr.splitlines()


def test_nothing_is_measured_unless_chosen(run_heddle, many, tmp_path):
    said = said_by(run_heddle, many, cwd=tmp_path, env=environment_for(19))
    assert said == [f"heddle: no profile: {many} ran no OpenMP construct. {MANY + 1} of its functions can be measured.",
                    f"heddle: Choose some by their names: heddle run --routines=REGEX -- {many}"]
    assert not list(tmp_path.iterdir())


def test_program_with_regions_is_told_of_its_functions(run_heddle, build_program, tmp_path):
    program = build_program("sleds_everywhere.c", "clang-19", SLEDS)
    sentence = re.compile(r"heddle: \d+ functions of \S+ can be measured: heddle run --routines=REGEX \.\.\.")
    assert len([line for line in said_by(run_heddle, program, cwd=tmp_path) if sentence.fullmatch(line)]) == 1
    assert not [line for line in said_by(run_heddle, program, "--routines=.", cwd=tmp_path) if sentence.fullmatch(line)]


def test_environment_chooses_too(run_heddle, export, many, tmp_path):
    said_by(run_heddle, many, "-o", tmp_path / "p.heddle", env={"HEDDLE_ROUTINES": "^f5$,^f6$"})
    assert visits(export(tmp_path / "p.heddle")) == {"f5": 6, "f6": 7}


def test_choice_of_nothing_is_said(run_heddle, many, tmp_path):
    said = said_by(run_heddle, many, "--routines=nothing", cwd=tmp_path)
    assert said[0] == f"heddle: HEDDLE_ROUTINES=nothing chooses none of the {MANY + 1} functions that can be measured"


def test_what_is_no_expression_is_refused(run_heddle, many, tmp_path):
    result = run_heddle("run", "--routines=+a,-b(", many, cwd=tmp_path)
    assert result.returncode == 2 and "--routines cannot use 'b(': Unmatched ( or \\(" in result.stderr
    result = run_heddle("run", "--routines=", many, cwd=tmp_path)
    assert result.returncode == 2 and "--routines cannot use an empty expression" in result.stderr
    said = said_by(run_heddle, many, cwd=tmp_path, env={"HEDDLE_ROUTINES": "b("})
    assert said[0] == "heddle: HEDDLE_ROUTINES=b(: 'b(': Unmatched ( or \\(: no function is measured"


def test_program_without_sleds_is_said(run_heddle, build_program, tmp_path):
    program = build_program(TAIL, "gcc")
    said = said_by(run_heddle, program, "--routines=.", cwd=tmp_path)
    assert said[0] == (f"heddle: {program} has no functions to choose from with --routines=LIST: "
                       "compile it with clang -fxray-instrument")


def test_stripped_program_is_said(run_heddle, build_program, tmp_path):
    program = build_program(TAIL, "clang-19", (*SLEDS, "-s"))
    assert said_by(run_heddle, program, "--routines=.", cwd=tmp_path)[0] == (
        f"heddle: {program} is stripped: none of its functions can be measured")


def test_other_programs_of_the_run_are_left_alone(run_heddle, export, many, tmp_path):
    """What has no sleds says nothing of them; what has some is measured, whatever started it."""
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\n/bin/true && {many}\n", encoding="ascii")
    script.chmod(0o755)
    said = said_by(run_heddle, script, "--routines=^f5$", "-o", tmp_path / "p.heddle")
    assert not [line for line in said if "HEDDLE_ROUTINES" in line or "functions" in line]
    assert visits(export(tmp_path / "p.heddle")) == {"f5": 6}


@each_version
def test_unpatched_program_runs_as_without_heddle(build_program, compiler):
    program = build_program("sleds_registers.c", compiler, SLEDS)
    assert run_plain(program, COUNT).stdout == "right\n"
