# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle run` loads libheddle.so with a program that calls it: instrumented routines or markers, also in a library that
the program needs. Programs print LD_PRELOAD; none of them uses OpenMP, so what they say is what `heddle run` found."""

import subprocess

import pytest

from conftest import LIBRARY, SOURCE, TIMEOUT_S, environment_for, libomp_folder

INCLUDE = f"-I{SOURCE / 'include'}"
INSTRUMENTED = "-finstrument-functions"

SHOW = r"""
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  const char *preload = getenv("LD_PRELOAD");
  printf("%s\n", preload ? preload : "none");
  return 0;
}
"""
MARKED = '#include "heddle.h"\n' + SHOW.replace("return 0;", 'heddle_phase_begin("p"); heddle_phase_end(0); return 0;')
SHOW_WITH_LIBRARY = "int helper(void);\n" + SHOW.replace("return 0;", "return helper();")
HELPER = "int helper(void) { return 0; }\n"
MARKED_HELPER = '#include "heddle.h"\nint helper(void) { heddle_pause(); heddle_resume(); return 0; }\n'
MIDDLE = "int deeper(void);\nint helper(void);\nint helper(void) { return deeper(); }\n"
OWN_HOOKS = SHOW + """
__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *f, void *c) { (void)f; (void)c; }
__attribute__((no_instrument_function)) void __cyg_profile_func_exit(void *f, void *c) { (void)f; (void)c; }
"""


@pytest.fixture
def compile_c(tmp_path):
    """compile_c("name", text, flags..., compiler=) -> path"""

    def build(name, text, *flags, compiler="gcc"):
        source = tmp_path / f"{name}.c"
        source.write_text(text)
        result = subprocess.run([compiler, INCLUDE, str(source), "-o", str(tmp_path / name), *flags],
                                capture_output=True, text=True, timeout=TIMEOUT_S)
        assert result.returncode == 0, result.stderr
        return tmp_path / name

    return build


@pytest.fixture
def preloaded(run_heddle, tmp_path):
    """preloaded(program, options...) -> the program's LD_PRELOAD as a list."""

    def run(program, *options, **keywords):
        result = run_heddle("run", "-q", "-o", tmp_path / "p.heddle", *options, "--", program, **keywords)
        assert result.returncode == 0, result.stderr
        value = result.stdout.strip()
        return [] if value == "none" else value.split(":")

    return run


def library_flags(compile_c, tmp_path, text, *flags):
    compile_c("libhelper.so", text, "-shared", "-fPIC", *flags)
    return f"-L{tmp_path}", "-lhelper", f"-Wl,-rpath,{tmp_path}"


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("flags", [(), ("-no-pie",), ("-O2", "-flto", "-fuse-ld=lld"), ("-s",)], ids=str)
def test_instrumented_program_gets_the_library(compile_c, preloaded, compiler, flags):
    if compiler == "gcc" and "-flto" in flags:
        flags = ("-O2", "-flto")
    assert preloaded(compile_c("p", SHOW, INSTRUMENTED, *flags, compiler=compiler)) == [str(LIBRARY)]


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("flags", [(), ("-no-pie",), ("-O2", "-ffunction-sections", "-Wl,--gc-sections"), ("-s",)],
                         ids=str)
def test_marked_program_gets_the_library(compile_c, preloaded, compiler, flags):
    assert preloaded(compile_c("p", MARKED, *flags, compiler=compiler)) == [str(LIBRARY)]


@pytest.mark.parametrize("text, flags", [(HELPER, (INSTRUMENTED,)), (MARKED_HELPER, ())], ids=["hooks", "markers"])
def test_program_that_needs_such_a_library_gets_the_library(compile_c, preloaded, tmp_path, text, flags):
    program = compile_c("p", SHOW_WITH_LIBRARY, *library_flags(compile_c, tmp_path, text, *flags))
    assert preloaded(program) == [str(LIBRARY)]


def test_library_behind_a_library_is_seen(compile_c, preloaded, tmp_path):
    compile_c("libdeeper.so", MARKED_HELPER.replace("helper", "deeper"), "-shared", "-fPIC")
    below = (f"-L{tmp_path}", "-ldeeper", f"-Wl,-rpath,{tmp_path}")
    program = compile_c("p", SHOW_WITH_LIBRARY, *library_flags(compile_c, tmp_path, MIDDLE, *below))
    assert preloaded(program) == [str(LIBRARY)]


ENTRIES = LIBRARY.parent / "libheddle-entry.so"
LOOP = SHOW.replace("int main", "int work(void) {\n  int sum = 0;\n#pragma omp parallel for schedule(SCHEDULE) "
                    "reduction(+ : sum)\n  for (int i = 0; i < 9; i++) sum++;\n  return sum;\n}\nint main")
TASK = SHOW.replace("int main", "void work(void) {\n#pragma omp task\n  puts(\"\");\n}\nint main")


@pytest.mark.parametrize("text, flags, gets", [
    (LOOP, ("-DSCHEDULE=dynamic",), True), (LOOP, ("-DSCHEDULE=runtime",), True), (LOOP, ("-DSCHEDULE=static",), False),
    (TASK, (), True), (TASK, ("-s", "-no-pie"), True)])
def test_program_of_chunks_or_tasks_gets_the_entry_library(build_program, run_heddle, tmp_path, text, flags, gets):
    program = build_program(text, flags=flags)
    result = run_heddle("run", "-q", "-o", tmp_path / "p.heddle", program, env=environment_for(19))
    assert result.stdout == f"{ENTRIES if gets else 'none'}\n"
    result = run_heddle("run", "-q", "--no-handout", "-o", tmp_path / "p.heddle", program, env=environment_for(19))
    assert result.stdout == "none\n"
    result = run_heddle("run", "-q", "--handout", "-o", tmp_path / "p.heddle", program, env=environment_for(19))
    assert result.stdout == f"{ENTRIES}\n"


@pytest.mark.parametrize("text", [LOOP.replace("SCHEDULE", "dynamic"), TASK], ids=["loop", "task"])
def test_program_of_gccs_gets_it_before_the_runtime(build_program, run_heddle, tmp_path, text):
    program = build_program(text, "gcc")
    libomp = libomp_folder(19) / "libomp.so.5"
    result = run_heddle("run", "-q", "-o", tmp_path / "p.heddle", program)
    assert result.stdout == "none\n"
    result = run_heddle("run", "-q", "--gomp", "--libomp", libomp, "-o", tmp_path / "p.heddle", program)
    assert result.stdout == f"{ENTRIES}:{libomp}\n"


def test_entry_library_that_is_not_there_is_said(build_program, run_heddle, tmp_path):
    (tmp_path / "libheddle.so").write_bytes(LIBRARY.read_bytes())
    asked = ("run", "-q", "--library", tmp_path / "libheddle.so", "-o", tmp_path / "p.heddle")
    program = build_program(TASK)
    result = run_heddle(*asked, program, env=environment_for(19))
    assert result.returncode == 0 and result.stdout == "none\n" and "libheddle-entry.so is not there" in result.stderr
    result = run_heddle(*asked, "--handout", program, env=environment_for(19))
    assert result.returncode == 125 and result.stdout == "" and "libheddle-entry.so is not there" in result.stderr


def test_plain_program_is_left_alone(compile_c, preloaded):
    assert preloaded(compile_c("p", SHOW)) == []


def test_program_with_hooks_of_its_own_is_left_alone(compile_c, preloaded):
    assert preloaded(compile_c("p", OWN_HOOKS, INSTRUMENTED, "-rdynamic")) == []


@pytest.mark.parametrize("options", [(), ("--routines",)], ids=str)
def test_reason_hooks_of_its_own(compile_c, run_heddle, options):
    result = run_heddle("run", *options, "--", compile_c("p", OWN_HOOKS, INSTRUMENTED))
    said = result.stderr.splitlines()
    assert result.returncode == 0 and len(said) == 2
    assert said[0].startswith("heddle: no profile: ") and "has hooks for instrumented routines of its own" in said[0]


def test_routines_loads_it_for_a_script(compile_c, preloaded, tmp_path):
    script = tmp_path / "s.sh"
    script.write_text('#!/bin/sh\necho "${LD_PRELOAD:-none}"\n')
    script.chmod(0o755)
    assert preloaded(script) == []
    assert preloaded(script, "--routines") == [str(LIBRARY)]


def test_no_routines_keeps_it_out(compile_c, preloaded):
    assert preloaded(compile_c("p", SHOW, INSTRUMENTED), "--no-routines") == []


def test_what_was_preloaded_stays_and_stands_before_it(compile_c, preloaded, tmp_path):
    other = compile_c("libother.so", HELPER, "-shared", "-fPIC")
    program = compile_c("p", MARKED)
    assert preloaded(program, env={"LD_PRELOAD": str(other)}) == [str(other), str(LIBRARY)]


def test_path_that_ld_preload_cannot_hold_is_said(compile_c, run_heddle, tmp_path):
    place = tmp_path / "a b"
    place.mkdir()
    (place / "libheddle.so").write_bytes(LIBRARY.read_bytes())
    program = compile_c("p", MARKED)
    result = run_heddle("run", "--library", place / "libheddle.so", program, cwd=tmp_path)
    assert result.returncode == 0 and result.stdout == "none\n"
    assert "separates its entries by ':' and ' '" in result.stderr
    result = run_heddle("run", "--routines", "--library", place / "libheddle.so", program, cwd=tmp_path)
    assert result.returncode == 125 and result.stdout == ""


@pytest.mark.parametrize("arguments, variable, value", [
    (("--unwind", "off"), "HEDDLE_UNWIND", "off"),
    (("--unwind", "12"), "HEDDLE_UNWIND", "12"),
    (("--cycle-limit", "3"), "HEDDLE_CYCLE_LIMIT", "3"),
    (("--overhead", "0.5%"), "HEDDLE_OVERHEAD", "0.5%"),
    (("--overhead=off",), "HEDDLE_OVERHEAD", "off"),
    (("--memory", "16M"), "HEDDLE_MEMORY", "16M"),
    (("--memory=off",), "HEDDLE_MEMORY", "off"),
    (("--cpu-time",), "HEDDLE_CPU_TIME", "1"),
    (("--gomp",), "HEDDLE_GOMP", "1"),
    (("--callpath-depth", "4"), "HEDDLE_CALLPATH_DEPTH", "4"),
    ((), "HEDDLE_UNWIND", "unset"),
])
def test_option_becomes_a_variable(run_heddle, tmp_path, arguments, variable, value):
    result = run_heddle("run", *arguments, "--", "sh", "-c", f"echo ${{{variable}:-unset}}", cwd=tmp_path)
    assert result.stdout == f"{value}\n"


@pytest.mark.parametrize("arguments", [("--unwind", "some"), ("--unwind", "-1"), ("--unwind", ""),
                                       ("--cycle-limit", "0"), ("--cycle-limit", "x"),
                                       ("--overhead", "0"), ("--overhead", "2x"),
                                       ("--memory", "2x"), ("--memory", "")], ids=str)
def test_wrong_option_runs_nothing(run_heddle, tmp_path, arguments):
    result = run_heddle("run", *arguments, "--", "echo", "ran", cwd=tmp_path)
    assert result.returncode == 2 and result.stdout == "" and arguments[0] in result.stderr
