# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""However a program ends, and whatever processes it makes: with Heddle it says and returns the same, and its profile is
saved, or lies where `heddle recover` finds it."""

import pytest

from host_program import either_way

PEACEFUL = {  # status, and whether a region comes after the end of main
    "return": (0, 0),
    "atexit": (0, 1),
    "first handler": (0, 1),
    "jump out of a handler": (6, 1),
    "exit in a region": (3, 0),
    "exit in a worker": (3, 0),
    "exit in a thread": (4, 0),
    "pthread_exit": (4, 1),
}
SUDDEN = {
    "quick_exit": 5,
    "_exit": 8,
    "abort": -6,
    "sigkill": -9,
    "sigterm": -15,
    "sigsegv": -11,
    "sigsegv in a worker": -11,
    "sigbus": -7,
    "overflow": -11,
    "overflow handled": 9,
}


def regions(loaded):
    return sum(entry["visits"] for entry in loaded.profiles if entry["kind"] == "parallel")


@either_way
@pytest.mark.parametrize("how", PEACEFUL)
def test_program_that_closes_its_profile(both, export, runtime, how, under_run):
    pair = both("ends.c", how, runtime=runtime, under_run=under_run, flags=["-pthread"])
    status, later = PEACEFUL[how]
    loaded = export(pair.only())
    assert pair.status == status and loaded["run"]["complete"] is True
    assert 1 <= regions(loaded) <= 2 + later


def test_profile_is_closed_before_the_runtime_ends_below_other_threads(both, export, runtime):
    """Another thread may use the runtime at any moment, and while it is being taken apart: then Heddle does not let it wait
    there. What comes later is not in the profile."""
    pair = both("ends.c", "first handler beside a waiting thread", runtime=runtime, flags=["-pthread"])
    assert pair.status == 0 and regions(export(pair.only())) == 2
    pair.only().unlink()
    assert regions(export(both("ends.c", "first handler", runtime=runtime, flags=["-pthread"]).only())) == 2


@either_way
@pytest.mark.parametrize("how", SUDDEN)
def test_program_that_does_not(both, export, run_heddle, places, runtime, how, under_run):
    pair = both("ends.c", how, runtime=runtime, under_run=under_run, flags=["-pthread"])
    status = SUDDEN[how]
    assert pair.status == (128 - status if under_run and status < 0 else status)
    if not under_run:
        assert len(pair.live) == 1 and not pair.saved and pair.said == ""
        recovered = run_heddle("recover", "-o", places["output"] / "p.heddle", places["store"])
        assert recovered.returncode == 0, recovered.stderr
        pair.saved, pair.live = list(places["output"].iterdir()), list(places["store"].iterdir())
    loaded = export(pair.only())
    assert loaded["run"]["complete"] is False and regions(loaded) in (1, 2)
    assert loaded["run"].get("exit") == (pair.status if under_run else None)


@either_way
def test_openmp_before_and_after_main(both, export, runtime, under_run):
    pair = both("outside_main.cpp", runtime=runtime, under_run=under_run, flags=["-pthread"], compiler="clang++")
    loaded = export(pair.only())
    assert pair.status == 7 and loaded["run"]["complete"] is True
    assert regions(loaded) >= 6  # in main and before; the runtime may be gone when the last ones come


# ---- libraries ----


@pytest.fixture(scope="module")
def library(build_program):
    return build_program("uses_openmp.c", flags=["-shared", "-fPIC"])


@either_way
@pytest.mark.parametrize("rounds", [1, 3])
def test_library_that_brings_the_runtime_and_takes_it_along(both, export, library, runtime, rounds, under_run):
    pair = both("loads_openmp.c", rounds, library, runtime=runtime, under_run=under_run, flags=["-fno-openmp", "-ldl"])
    assert pair.status == 7 and pair.said == "" and not pair.live
    assert pair.saved and all(export(path)["run"]["complete"] for path in pair.saved)


# ---- processes ----

CHILDREN = ["fork _exit", "fork killed", "fork exec", "vfork", "spawn", "fork openmp", "fork openmp daemon", "fork openmp exec"]
HANG_ON_16 = ["fork", "fork daemon"]  # without Heddle as well: the runtime's own end in a child that did not use it
BY_WHOM = ["initial thread", "primary", "worker", "thread"]


def assert_parent_and_child(pair, export, how):
    """The parent's profile is whole, and has nothing of its child, which has its own if it used OpenMP; as has what was
    executed. A child that became another program could not close its own."""
    executed = how.startswith(("fork exec", "vfork", "spawn", "fork openmp exec"))
    replaced = how.startswith("fork openmp exec")
    assert pair.status == 7 and pair.said == ""
    loaded = [export(path) for path in pair.saved + pair.live]
    children = [one for one in loaded if one["run"]["parent"]]
    others = [one for one in loaded if not one["run"]["parent"]]
    parent = max(others, key=regions)
    assert regions(parent) in (2, 3) and len(others) == 1 + executed and len(pair.live) <= replaced
    assert all(one["run"]["complete"] for one in others)
    assert [(regions(one), one["run"]["complete"]) for one in children] == [(1, not replaced)] * ("openmp" in how)
    assert all(one["run"]["parent"] == parent["run"]["pid"] for one in children)
    assert [child["pid"] for child in parent["run"]["children"]] == [one["run"]["pid"] for one in children]
    assert parent["run"]["children_not_measured"] == 0


@either_way
@pytest.mark.parametrize("how", CHILDREN)
def test_child(both, export, runtime, how, under_run):
    pair = both("forks.c", how, runtime=runtime, under_run=under_run, flags=["-pthread"])
    assert_parent_and_child(pair, export, how)


@either_way
@pytest.mark.parametrize("how", HANG_ON_16)
@pytest.mark.parametrize("version", [14, 19])
def test_child_that_ends_as_its_parent_would(both, export, version, how, under_run):
    pair = both("forks.c", how, runtime=version, under_run=under_run, flags=["-pthread"])
    assert_parent_and_child(pair, export, how)


@pytest.mark.parametrize("by", BY_WHOM[1:])
@pytest.mark.parametrize("how", ["fork openmp", "vfork", "fork exec"])
def test_child_of_a_thread(both, export, runtime, how, by):
    pair = both("forks.c", f"{how} by {by}", runtime=runtime, flags=["-pthread"])
    assert_parent_and_child(pair, export, how)


@either_way
def test_program_that_executes_itself(both, export, runtime, under_run):
    """The process's number, and so the name of its live file, stays the same."""
    pair = both("executes_itself.c", 4, runtime=runtime, under_run=under_run)
    files = pair.saved if under_run else pair.live
    assert pair.status == 6 and len(files) == 5
    assert all(regions(export(path)) == 1 for path in files)


@pytest.mark.needs("own-pids")
def test_processes_of_one_number_in_two_containers(both, export, places):
    """Each is number 1 of its own, and the directory is theirs in common: the second begins before the first ends."""
    script = """if [ -z "$HEDDLE_STORE_DIR" ]; then exec "$@"; fi
                mkfifo "$0/go" && { unshare --mount-proc -pf "$1" <"$0/go" & exec 3>"$0/go"; }
                until ls "$HEDDLE_STORE_DIR" | grep -q live; do sleep 0.02; done
                unshare --mount-proc -pf "$1" 3>&- </dev/null >/dev/null; exec 3>&-; wait $!"""
    pair = both("until_told.c", before=["sh", "-c", script, places["work"]])
    assert len(pair.saved) == 2 and not pair.live
    assert all(export(path)["run"]["complete"] for path in pair.saved)


# ---- files ----


def test_links_in_the_way_are_not_followed(both, export, places, tmp_path):
    """In a directory where everybody may write, others may guess names."""
    victim = tmp_path / "victim"
    victim.write_text("mine\n")
    victim.chmod(0o600)
    (places["output"] / "p.heddle").symlink_to(victim)
    (places["output"] / "p.heddle.1").symlink_to(tmp_path / "made")
    pair = both("ends.c", "return", flags=["-pthread"])
    assert victim.read_text() == "mine\n" and not (tmp_path / "made").exists()
    assert export(places["output"] / "p.heddle.2")["run"]["complete"] is True
    assert pair.status == 0


@pytest.mark.parametrize("planted", ["link", "file", "directory"])
def test_name_of_the_live_file_that_is_taken(both, export, places, tmp_path, planted):
    """The process's number is known before the program starts: the shell's."""
    victim = tmp_path / "victim"
    victim.write_text("mine\n")
    victim.chmod(0o600)
    name = f"{places['store']}/ends.$$.live"
    command = {"link": f"ln -s {victim} {name}", "file": f"cp -p {victim} {name}", "directory": f"mkdir {name}"}[planted]
    pair = both("ends.c", "return", flags=["-pthread"],
                before=["sh", "-c", f'[ -z "$HEDDLE_STORE_DIR" ] || {command}; exec "$@"', "sh"])
    assert victim.read_text() == "mine\n" and pair.status == 0
    assert export(pair.saved[0])["run"]["complete"] is True
