# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle run`: the command line in the profile is the one given; --gomp is named when it may help, and only then."""

import re
import shutil
import subprocess

from conftest import LIBRARY, clean_environment

# Cuts its argument at the commas before its first region, as parsers do; the runtime comes after that.
CUTS = r"""
#include <string.h>
static int count;
__attribute__((noinline)) static void region(void) { /* clang calls the runtime where a function with regions begins */
#pragma omp parallel num_threads(2)
#pragma omp atomic
  count++;
}
int main(int argc, char **argv) {
  for (char *part = argc > 1 ? strtok(argv[1], ",") : 0; part; part = strtok(0, ","))
    count++;
  region();
  return count;
}
"""
SERIAL = "int main(void) {\n  return 0;\n}\n"
ABORTS = "#include <stdlib.h>\nint main(void) {\n  abort();\n}\n"


def test_command_is_the_one_that_was_given(run_heddle, build_program, export, tmp_path):
    program = build_program(CUTS)
    result = run_heddle("run", "-q", "-o", tmp_path / "p.heddle", "--", program, "first,second,third", "a b")
    assert result.returncode == 5, result.stderr
    assert export(tmp_path / "p.heddle")["run"]["command"] == [str(program), "first,second,third", "a b"]
    alone = {"OMP_TOOL_LIBRARIES": str(LIBRARY), "HEDDLE_OUTPUT": str(tmp_path / "alone.heddle")}
    subprocess.run([program, "first,second"], env={**clean_environment(), **alone}, check=False)
    assert export(tmp_path / "alone.heddle")["run"]["command"] == [str(program), "first", "second"]  # what is left of it


def test_quiet_run_takes_the_names_at_once(run_heddle, build_program, export, tmp_path):
    """Not with the first report: the program may have been built anew by then."""
    program = shutil.copy(build_program(CUTS), tmp_path / "app")
    assert run_heddle("run", "-q", "-o", tmp_path / "p.heddle", "--", program).returncode == 2
    shutil.copy(build_program(SERIAL, compiler="gcc", flags=["-fno-openmp"]), program)
    region = next(profile for profile in export(tmp_path / "p.heddle")["profiles"] if profile["kind"] == "parallel")
    assert (region["name"], region["file"].split("/")[-1], region["line"]) == ("region", "program.c", 5)


def test_gomp_is_named_unless_it_was_given(run_heddle, build_program):
    program = build_program(SERIAL, compiler="gcc", flags=["-fno-openmp"])
    without = run_heddle("run", "--", program).stderr
    assert "links no OpenMP runtime" in without and "heddle run --gomp" in without
    given = run_heddle("run", "--gomp", "--", program).stderr
    assert "links no OpenMP runtime" in given and "heddle run --gomp" not in given


def test_abort_under_gomp_is_explained(run_heddle, build_program):
    program = build_program(ABORTS, compiler="gcc")
    said = run_heddle("run", "--gomp", "--", program)
    assert said.returncode == 134 and "GCC's libgomp, without --gomp" in said.stderr
    assert "without --gomp" not in run_heddle("run", "--", program).stderr
    assert "without --gomp" not in run_heddle("run", "-q", "--gomp", "--", program).stderr


THREADS = """#include <omp.h>
int main(void) {
  int count = 0;
#pragma omp parallel reduction(+ : count)
  count++;
  return count;
}
"""


def test_threads_are_those_asked_for(run_heddle, build_program, tmp_path):
    program = build_program(THREADS)
    for threads, status in (("3", 3), ("2,4", 2)):
        result = run_heddle("run", "-q", "-o", tmp_path / "p.heddle", "-t", threads, "--", program,
                            env={"OMP_NUM_THREADS": "1"})
        assert result.returncode == status, result.stderr
    for wrong in ("0", "", "x", "2,", ",2", "2,0", "-1"):
        result = run_heddle("run", "-t", wrong, "--", program)
        assert result.returncode == 2 and "--threads expects a number of threads" in result.stderr, wrong


def test_each_command_says_its_version(run_heddle):
    whole = run_heddle("--version").stdout
    assert whole.startswith("heddle ") and run_heddle("run", "--version").stdout == whole


PARTS = ("screen of heddle top", "charts of heddle html", "heddle export -f pprof", "heddle export -f otf2",
         "metrics of event groups", "events of PAPI", "ranks of Open MPI", "ranks of MPICH")


def test_version_says_which_optional_parts_are_missing(run_heddle, tmp_path):
    plain = run_heddle("--version").stdout
    whole = run_heddle("--version", "--verbose").stdout
    lines = whole.splitlines()
    assert whole.startswith(plain) and len(lines) == 1 + len(PARTS)
    for line, part in zip(lines[1:], PARTS, strict=True):
        assert re.fullmatch(rf"  {part} +(yes(, \S.*)?|no: \S.*)", line), line
    missing = run_heddle("--version", "--verbose", env={"HEDDLE_PAPI": str(tmp_path / "none.so")}).stdout
    assert re.search(rf"^  events of PAPI +no: .*{tmp_path}/none\.so", missing, re.M)
    for name in ("pprof", "otf2"):
        refused = run_heddle("export", "-f", name, tmp_path / "none.heddle").stderr
        assert ("was left out of this build" in refused) == bool(re.search(rf"heddle export -f {name} +no: ", whole))
