# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Other OMPT tools beside Heddle. A runtime takes one: Heddle can be the client of one that passes events on (LLVM's
ompt-multiplex.h), and else it is said which of them was taken."""
import subprocess

import pytest

from conftest import LIBRARY, environment_for, load_checked, run_plain, source_of

SHAPES = ("taskloops", "nested", "teams", "cancelled", "initials")
WITHOUT_TOOL = "#include <stdio.h>\nint main(void) {\n  int sum = 0;\n" \
               "#pragma omp parallel num_threads(2) reduction(+ : sum)\n  sum++;\n  printf(\"%d\\n\", sum);\n  return 0;\n}\n"


@pytest.fixture(scope="session")
def multiplexer(tmp_path_factory):
    """libcounter.so: a tool that passes events on to the tools in COUNTER_TOOL_LIBRARIES."""
    path = tmp_path_factory.mktemp("tools") / "libcounter.so"
    result = subprocess.run(["clang-19", "-O1", "-fPIC", "-shared", "-fopenmp", source_of("tool_multiplexer.c"), "-o",
                             path], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return path


@pytest.fixture(scope="session")
def own_tool(build_program):
    """own_tool(starts, flags...) -> a program, or library, with a tool of its own, which starts or declines."""
    headers = subprocess.run(["clang-19", "-print-resource-dir"], capture_output=True, text=True).stdout.strip()

    def build(starts, *flags):
        return build_program("tool_in_program.c", flags=(f"-DSTARTS={starts}", "-idirafter", f"{headers}/include", *flags))

    return build


@pytest.mark.parametrize("shape", SHAPES)
def test_client_of_a_tool_that_passes_events_on(build_program, profile, export, multiplexer, runtime, shape):
    env = {"OMP_TOOL_LIBRARIES": str(multiplexer), "COUNTER_TOOL_LIBRARIES": str(LIBRARY), "OMP_CANCELLATION": "true"}
    program = build_program("host_shapes.c", flags=("-pthread",))
    plain = run_plain(program, shape, runtime=runtime, env={"OMP_CANCELLATION": "true"})
    path = profile(program, shape, runtime=runtime, env=env)
    assert (profile.result.returncode, profile.result.stdout) == (0, plain.stdout)
    loaded = load_checked(export, path, profile.result.stdout)
    begun = sum(entry["visits"] for entry in loaded["profiles"] if entry["kind"] in ("parallel", "teams"))
    assert f"counter: {begun} regions\n" in profile.result.stderr
    assert loaded["run"]["runtime"].startswith("LLVM OMP version")


def test_runtime_is_told_from_the_program_through_another_tool(build_program, profile, export, multiplexer, runtime):
    """What lies in the runtime is told by an address there, not by one in the tool between."""
    env = {"OMP_TOOL_LIBRARIES": str(multiplexer), "COUNTER_TOOL_LIBRARIES": str(LIBRARY)}
    loaded = export(profile(build_program("host_shapes.c", flags=("-pthread",)), "helpers", runtime=runtime, env=env))
    routines = [entry for entry in loaded["profiles"] if entry["kind"] == "routine"]
    assert [entry["name"] for entry in routines] == ["main", "helpers"]


def test_tool_behind_heddle_is_named(build_program, profile, export, multiplexer, runtime):
    env = {"OMP_TOOL_LIBRARIES": f"{LIBRARY}:{multiplexer}"}
    loaded = export(profile(build_program(WITHOUT_TOOL), runtime=runtime, env=env))
    note = f"another OMPT tool, {multiplexer}, was not loaded: the runtime takes only the first"
    assert note in loaded["run"]["notes"]


def test_tool_behind_heddle_run_is_named(run_heddle, build_program, export, tmp_path, multiplexer, runtime):
    env = environment_for(runtime, env={"OMP_TOOL_LIBRARIES": str(multiplexer)})
    path = tmp_path / "profile.heddle"
    result = run_heddle("run", "-o", path, "--", build_program(WITHOUT_TOOL), env=env)
    assert (result.returncode, result.stdout) == (0, "2\n"), result.stderr
    notes = [note for note in export(path)["run"]["notes"] if "another OMPT tool" in note]
    assert notes == [f"another OMPT tool, {multiplexer}, was not loaded: the runtime takes only the first"]
    assert notes[0] in result.stderr


def test_tool_that_declines_is_no_hindrance(build_program, profile, export, own_tool, runtime):
    """As LLVM's Archer does in programs that the thread sanitizer does not watch."""
    env = {"OMP_TOOL_LIBRARIES": f"{own_tool(0, '-shared', '-fPIC')}:{LIBRARY}"}
    loaded = export(profile(build_program(WITHOUT_TOOL), runtime=runtime, env=env))
    assert not [note for note in loaded["run"]["notes"] if "another OMPT tool" in note]


@pytest.mark.parametrize("starts", (0, 1))
def test_tool_in_the_program_comes_first(run_heddle, own_tool, tmp_path, runtime, starts):
    program = own_tool(starts, "-rdynamic")
    plain = run_plain(program, runtime=runtime)
    path = tmp_path / "profile.heddle"
    result = run_heddle("run", "-o", path, "--", program, env=environment_for(runtime))
    assert (result.returncode, result.stdout) == (plain.returncode, plain.stdout) == (0, f"6 {3 * starts}\n")
    assert path.exists() == (not starts)
    assert ("another OMPT tool came first, the one in the program itself" in result.stderr) == bool(starts)
