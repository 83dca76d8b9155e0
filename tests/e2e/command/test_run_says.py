# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `heddle run` says: its summary, why there is no profile, --gomp, mistakes."""
import os
import shutil
import subprocess

import pytest

from conftest import LIBRARY
from machine import need
from run_program import NO_CONSTRUCT, REGION, make_environment, on, only_profile, profiles, region_of


# ---- what is said ----


def test_summary_names_the_profile_and_is_short(run, build_program):
    _, _, said = run(build_program(REGION))
    assert said[0] == f"heddle: profile: {only_profile(run).name}"
    assert said[-1].endswith(f"heddle report {only_profile(run).name}")
    assert 3 <= len(said) <= 25


def test_quiet_says_nothing(run, build_program):
    assert run("-q", build_program(REGION)) == (0, "threads 2\n", [])
    only_profile(run)


@pytest.mark.parametrize("quiet", [["-q"], []])
def test_a_name_that_is_taken_is_said(run, build_program, quiet):
    program = build_program(REGION)
    taken = "heddle: x.heddle exists already and is kept: the profile of this run is x.heddle."
    assert not any("exists" in line for line in run(*quiet, "-o", "x.heddle", program)[2])
    for number in (1, 2):
        said = run(*quiet, "-o", "x.heddle", program)[2]
        assert [line for line in said if "exists" in line] == [f"{taken}{number}"]
        assert not quiet or len(said) == 1


def test_names_that_a_runs_own_processes_take_are_not_said(run, build_program):
    program = build_program(REGION)
    for expected in ([], ["heddle: x.heddle exists already"]):
        said = run("-q", "-o", "x.heddle", "sh", "-c", f"{program}; {program}")[2]
        assert [line[:31] for line in said] == expected
    assert len(profiles(run)) == 4


def test_misspelt_variables_are_said_once(run, build_program):
    program = build_program(REGION)
    expected = ["heddle: HEDDLE_OVERHAED is not a Heddle variable and has no effect; did you mean HEDDLE_OVERHEAD?",
                "heddle: HEDDLE_ELSE_WHERE is not a Heddle variable and has no effect"]
    variables = {"HEDDLE_OVERHAED": "off", "HEDDLE_ELSE_WHERE": "1", "HEDDLE_MEMORY": "8M"}
    assert sorted(run("-q", "sh", "-c", f"{program}; {program}", env=variables)[2]) == sorted(expected)
    tool = {"OMP_TOOL_LIBRARIES": str(LIBRARY), "HEDDLE_OUTPUT": str(run.directory / "x.heddle"), **variables}
    alone = subprocess.run([program], env=make_environment(run.store, tool), capture_output=True, text=True)
    assert sorted(alone.stderr.splitlines()) == sorted(line.split("; did")[0] for line in expected)


@pytest.mark.parametrize("name, words", [("%q.heddle", "HEDDLE_OUTPUT expects a file name in which %p, %h, %r, %n or %%"),
                                         ("/dev/null", "cannot write a profile to /dev/null: it is a device or a pipe")])
def test_a_name_that_no_profile_can_have_is_refused(run, name, words):
    options = [] if name.startswith("%") else ["-o", name]
    for status, _, said in (run("touch", "ran", env={"HEDDLE_OUTPUT": name}), run(*options, "touch", "ran",
                                                                                  env={"HEDDLE_OUTPUT": name})):
        assert status == 125 and len(said) == 1 and words in said[0], said
    assert not (run.directory / "ran").exists()


def test_a_name_that_no_profile_can_have_is_ignored_without_the_command(run, build_program):
    """As `heddle run -o` refuses it; the program runs on and its profile has the default name."""
    tool = {"OMP_TOOL_LIBRARIES": str(LIBRARY), "HEDDLE_OUTPUT": "%q.heddle"}
    alone = subprocess.run([build_program(REGION)], env=make_environment(run.store, tool), cwd=run.directory,
                           capture_output=True, text=True)
    assert alone.returncode == 0 and alone.stderr.splitlines() == [
        "heddle: HEDDLE_OUTPUT expects a file name in which %p, %h, %r, %n or %% may stand, not %q.heddle; ignored"]
    assert len(profiles(run)) == 1 and "%" not in profiles(run)[0]


def reason(run, *arguments, **more):
    """Why there is no profile: at most two lines, and the exit status is the program's."""
    status, _, said = run(*arguments, **more)
    assert status == 0 and profiles(run) == []
    assert 1 <= len(said) <= 2 and said[0].startswith("heddle: no profile: ")
    return "\n".join(said)


def test_reason_tools_switched_off(run, runtime, build_program):
    environment = {"OMP_TOOL": "disabled", **on(runtime)}
    assert "OMP_TOOL=disabled" in reason(run, build_program(REGION), env=environment)


def test_reason_libgomp_offers_gomp(run, build_program):
    text = reason(run, build_program(REGION, compiler="gcc"))
    assert "libgomp" in text and "heddle run --gomp -- " in text


def test_reason_no_runtime(run):
    assert "links no OpenMP runtime" in reason(run, "true")


@pytest.mark.parametrize("quiet, lines", [(["-q"], 1), ([], 2)])
def test_cure_is_left_out_when_quiet(run, quiet, lines):
    said = run(*quiet, "true")[2]
    assert len(said) == lines and said[0].startswith("heddle: no profile: true links no OpenMP runtime")


@pytest.mark.parametrize("compiler", ["clang", "gcc"])
def test_reason_no_construct_ran(run, runtime, build_program, compiler):
    options = ["--gomp"] if compiler == "gcc" else []
    program = build_program(NO_CONSTRUCT, compiler=compiler)
    assert "ran no OpenMP construct" in reason(run, *options, program, env=on(runtime))


def test_reason_killed_before_the_first_construct(run, build_program):
    program = build_program("#include <signal.h>\n" + NO_CONSTRUCT.replace("return 0", "return raise(SIGKILL)"))
    status, _, said = run(program)
    assert status == 137 and len(said) == 1 and "signal 9" in said[0]


@pytest.mark.parametrize("flag", ["-static", "-static-pie"])
def test_reason_statically_linked(run, build_program, flag):
    assert "statically linked" in reason(run, build_program(REGION, compiler="gcc", flags=[flag]))


def test_reason_script_names_its_interpreter(run):
    script = run.directory / "script"
    script.write_text("#!/usr/bin/env -S python3 -B\n")
    script.chmod(0o755)
    assert "script for python3" in reason(run, "./script")
    script.write_text("#!/bin/sh -e\ntrue\n")
    assert "script for /bin/sh" in reason(run, "./script")


def test_reason_set_user_id(run, build_program):
    program = shutil.which("su") if os.geteuid() != 0 else None  # root's; for root, it changes nobody
    if not program:
        need("root")
        program = run.directory / "changes-user"
        shutil.copy("/bin/true", program)
        os.chown(program, 65534, 65534)
        program.chmod(0o4755)
    assert "set-user-id" in reason(run, program, "--version")


def test_reason_tool_cannot_be_loaded(run, runtime, build_program):
    broken = run.directory / "broken.so"
    broken.write_text("no library\n")
    text = reason(run, "--library", broken, build_program(REGION), env=on(runtime))
    assert "could not load the tool" in text and "broken.so" in text


def test_reason_tool_declines(run, runtime, build_program):
    declines = build_program("void *ompt_start_tool(unsigned v, const char *r);\n"
                             "void *ompt_start_tool(unsigned v, const char *r) { (void)v; (void)r; return 0; }\n",
                             flags=["-shared", "-fPIC"])
    assert "did not take" in reason(run, "--library", declines, build_program(REGION), env=on(runtime))


def test_reason_tool_gives_up(run, runtime, build_program):
    """A file of 4 KiB is too small for a profile; the library says so itself."""
    program = build_program(REGION)
    status, output, said = run("sh", "-c", f"ulimit -f 8; {program}", env=on(runtime))
    assert status == 0 and output == "threads 2\n" and len(said) == 2
    assert "not measuring" in said[0] and "libheddle.so was loaded, but gave up" in said[1]


# ---- --gomp ----


def test_gomp_profiles_a_program_built_by_gcc(run, runtime, build_program, export):
    program = build_program(REGION, compiler="gcc")
    status, output, said = run("--gomp", program, 3, env=on(runtime))
    assert status == 3 and output == "threads 2\n" and any("heddle: profile: " in line for line in said)
    assert region_of(export(only_profile(run)))["visits"] == 1


def test_gomp_works_with_closed_descriptors(run, build_program):
    program = build_program(REGION, compiler="gcc")
    done = subprocess.run(["sh", "-c", f"exec 0<&- 1>&-; {run.heddle} run --gomp {program}"], cwd=run.directory,
                          stderr=subprocess.PIPE, text=True, env=make_environment(run.store))
    assert done.returncode == 0 and "heddle: profile: " in done.stderr


def test_libomp_that_is_none_is_refused(run, build_program):
    other_library = build_program("int nothing;\n", flags=["-shared", "-fPIC"])
    for name in ("/no/such/libomp.so", other_library):
        status, output, said = run("--gomp", "--libomp", name, "echo", "ran")
        assert (status, output, len(said)) == (125, "", 1) and "libomp" in said[0]


# ---- mistakes ----


@pytest.mark.parametrize("arguments", [["--qiuet", "echo"], ["-x", "echo"], ["-o"], [], ["--quiet"], ["-d", "-1", "echo"],
                                       ["-d", "two", "echo"], ["-o", "%x", "echo"], ["--gomp=1", "echo"]])
def test_wrong_command_line_gives_usage_and_2(run, arguments):
    status, output, said = run(*arguments)
    assert status == 2 and output == ""
    assert said[0].startswith("heddle run: ") and any(line.startswith("Usage: heddle run ") for line in said)


def test_help_lists_the_options(run):
    status, output, said = run("--help")
    assert status == 0 and said == []
    for option in ("--output", "--gomp", "--libomp", "--library", "--callpath-depth", "--quiet", "--help"):
        assert option in output


def test_missing_library_gives_125(run):
    assert run("--library", "/no/such/libheddle.so", "echo", "ran")[:2] == (125, "")
    status, output, said = run("echo", "ran", env={"HEDDLE_LIBRARY": "/no/such/libheddle.so"})
    assert status == 125 and output == "" and len(said) == 1 and "/no/such/libheddle.so" in said[0]


def test_callpath_depth_reaches_the_library(run, build_program):
    show = ["sh", "-c", "echo $HEDDLE_CALLPATH_DEPTH"]
    assert run("-d", "2", *show)[1] == "2\n"
    assert run(*show, env={"HEDDLE_CALLPATH_DEPTH": "7"})[1] == "7\n"
