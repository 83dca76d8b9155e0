# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forked children that use OpenMP: each has a profile of its own, with its own numbers alone, whatever the parent did."""

import subprocess
import sys

import pytest
from conftest import assert_identities, clean_environment, libomp_folder

from host_program import either_way

OPENMP = ["region", "touch", "region _exit", "touch _exit"]
CHILDREN = [1, 2, 3, 7]  # regions; the last is the second child's


def regions(loaded):
    return sum(entry["visits"] for entry in loaded.profiles if entry["kind"] == "parallel")


def family(pair, export):
    """The parent's profile, and its descendants by their regions; all with their identities checked."""
    loaded = [export(path) for path in pair.saved + pair.live]
    for one in loaded:
        assert_identities(one)
    parents = [one for one in loaded if not one["run"]["parent"]]
    assert len(parents) == 1
    return parents[0], {regions(one): one for one in loaded if one["run"]["parent"]}


def pids(loaded):
    return [child["pid"] for child in loaded["run"]["children"]]


@either_way
@pytest.mark.parametrize("how", OPENMP)
def test_each_child_has_its_own_regions(both, export, runtime, how, under_run):
    pair = both("children.c", how, runtime=runtime, under_run=under_run)
    parent, children = family(pair, export)
    assert pair.status == 3 and regions(parent) == (2 if "region" in how else 0)
    assert parent["run"]["complete"] is True and parent["run"]["children_not_measured"] == 0
    assert sorted(children) == CHILDREN
    assert pids(parent) == [children[i]["run"]["pid"] for i in (1, 2, 3)]
    assert pids(children[2]) == [children[7]["run"]["pid"]]
    assert children[7]["run"]["parent"] == children[2]["run"]["pid"]
    for child in children.values():
        assert child["run"]["complete"] is ("_exit" not in how)
        assert [thread["threads"] for thread in child["threads"]] == [1, 1]
        assert child["program"]["elapsed_s"] < parent["program"]["elapsed_s"]
        assert child["run"]["start"] >= parent["run"]["start"]
        assert not any("10 ms" in note for note in child["run"]["notes"]), "its start is the fork's"


@either_way
def test_child_without_openmp_leaves_nothing(both, export, runtime, under_run):
    pair = both("children.c", "region idle _exit", runtime=runtime, under_run=under_run)
    parent, children = family(pair, export)
    assert not children and pids(parent) == [] and regions(parent) == 2
    assert parent["run"]["children_measured"] == parent["run"]["children_not_measured"] == 0


def test_child_that_cannot_be_measured_is_counted(run_heddle, build_program, export, tmp_path, runtime):
    environment = {"LD_LIBRARY_PATH": str(libomp_folder(runtime))}
    result = run_heddle("run", "-o", tmp_path / "p.heddle", "--", build_program("children.c"), "region limit",
                        env=environment)
    assert result.returncode == 3 and result.stdout.count("child") == 1 + 2 + 7 + 3
    assert "1 forked child used OpenMP and could not be measured" in result.stderr
    parent = export(tmp_path / "p.heddle")
    assert regions(parent) == 2
    assert parent["run"]["children_measured"] == 2 and parent["run"]["children_not_measured"] == 1


def test_names_and_links_of_children(run_heddle, build_program, export, tmp_path):
    """The parent has the name that was asked for, though its children end before it; they have their numbers in theirs."""
    result = run_heddle("run", "-o", tmp_path / "p.heddle", "--", build_program("children.c"), "touch")
    parent = export(tmp_path / "p.heddle")
    named = {tmp_path / f"p.{pid}.heddle" for pid in pids(parent)}
    assert parent["run"]["parent"] is None and len(named) == 3
    assert {child["profile"] for child in parent["run"]["children"]} == {str(path) for path in named}
    assert named < set(tmp_path.glob("*.heddle")) and len(list(tmp_path.iterdir())) == 5
    assert [regions(export(child["profile"])) for child in parent["run"]["children"]] == [1, 2, 3]
    assert "3 forked children used OpenMP" in result.stderr
    assert result.stderr.count("profile of a forked child") == 4


PYTHON = """
import ctypes, multiprocessing
library = ctypes.CDLL({library!r})
library.use(0)
def work(count):
    for _ in range(count):
        library.use(1)
processes = [multiprocessing.get_context("fork").Process(target=work, args=(count,)) for count in (3, 5)]
for process in processes:
    process.start()
for process in processes:
    process.join()
"""
LIBRARY = """
int omp_get_max_threads(void);
int use(int regions) {
  int sum = omp_get_max_threads();
  for (int r = 0; r < regions; r++)
  #pragma omp parallel num_threads(2) reduction(+ : sum)
    sum++;
  return sum;
}
"""


def test_python_multiprocessing(run_heddle, build_program, export, tmp_path):
    library = build_program(LIBRARY, flags=["-shared", "-fPIC"])
    result = run_heddle("run", "-o", tmp_path / "p.heddle", "--", sys.executable, "-c",
                        PYTHON.format(library=str(library)))
    assert result.returncode == 0, result.stderr
    parent = export(tmp_path / "p.heddle")
    assert regions(parent) == 0
    children = [export(child["profile"]) for child in parent["run"]["children"]]
    assert sorted(regions(child) for child in children) == [3, 5]


def test_children_of_a_program_that_only_loads_the_runtime(run_heddle, build_program, export, tmp_path):
    """The parent has no profile then; each child has one as any program has."""
    result = run_heddle("run", "-o", tmp_path / "%p.heddle", "--", build_program("children.c"), "")
    assert result.returncode == 3
    loaded = [export(path) for path in tmp_path.iterdir()]
    assert sorted(regions(one) for one in loaded) == CHILDREN
    assert subprocess.run([build_program("children.c"), ""], env=clean_environment(), capture_output=True,
                          text=True).stdout == result.stdout
