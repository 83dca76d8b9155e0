# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs in a sandbox: Heddle makes no system call there that the program itself could do without."""
import errno

from conftest import marks
from host_program import either_way

SOURCE = "host_sandbox.c"
ROUTINES = ("first", "second", "third")


def assert_whole(loaded):
    """All 91 regions, 30 of them called from each routine."""
    region = marks(SOURCE)["region"]
    assert loaded["run"]["complete"] is True
    assert loaded.visits(region, "parallel") == 91
    for name in ROUTINES:
        ids = {entry["id"] for entry in loaded.routines(name)}
        below = [e for e in loaded.all(region, "parallel") if any(a["id"] in ids for a in loaded.ancestors(e))]
        assert sum(entry["visits"] for entry in below) == 30, name


def test_filter_that_kills(both, export, runtime):
    """The program is not killed, though Heddle's file grows meanwhile; what it may not move it leaves."""
    pair = both(SOURCE, runtime=runtime)
    assert pair.status == 3
    assert_whole(export(pair.kept()))


def test_filter_that_kills_is_installed_by_number(both, export):
    assert_whole(export(both(SOURCE, flags=["-DRAW"]).kept()))


def test_filter_that_kills_under_heddle_run(both, export):
    assert_whole(export(both(SOURCE, under_run=True).only()))


def test_filter_that_kills_a_program_that_has_closed_all_descriptors(both, export):
    """There may be one: then nothing is tried."""
    assert_whole(export(both(SOURCE, 0, "close").kept()))


def test_filter_that_refuses(both, export):
    assert_whole(export(both(SOURCE, errno.EPERM).kept()))


@either_way
def test_filter_of_whoever_starts_the_program(both, build_program, export, under_run):
    """It let Heddle be loaded: it lets the profile be saved."""
    starter = [build_program("forbid_perf.c"), str(errno.EPERM)]
    loaded = export(both("host_resources.c", before=starter, under_run=under_run).only())
    assert loaded["run"]["complete"] is True
