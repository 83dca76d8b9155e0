# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shapes of parallelism that are legal and rare: the program says the same with and without Heddle, the identities hold
(measure checks them), nothing is unmatched or lost, and every region is counted."""
import pytest

from conftest import run_plain

# Name: parallel regions, and teams. None: as many as the runtime makes of it.
SHAPES = {
    "initials": (64 * 3, 0),
    "outlive": (1 + 40, 0),
    "pause_soft": (3, 0),
    "pause_hard": (1, 0),
    "nested": (16, 0),
    "cancelled": (2, 0),
    "teams": (None, 1),
    "wide": (1, 0),
    "sizes": (12 + 8, 0),
    "detached": (1, 0),
    "taskloops": (1, 0),
    "doacross": (1, 0),
    "helpers": (None, 0),
    "finals": (1, 0),
    "serialised": (3, 0),
    "mixed": (20, 0),
}
CANCELLATION = {"OMP_CANCELLATION": "true"}

# How threads wait, where they run and how many there are.
SETTINGS = {
    "blocktime0": {"KMP_BLOCKTIME": "0"},
    "infinite": {"KMP_BLOCKTIME": "infinite", "OMP_NUM_THREADS": "2"},
    "active": {"OMP_WAIT_POLICY": "active", "OMP_NUM_THREADS": "2"},
    "oversubscribed": {"OMP_NUM_THREADS": "40", "OMP_WAIT_POLICY": "passive"},
    "dynamic": {"OMP_DYNAMIC": "true", "OMP_NUM_THREADS": "16"},
    "places": {"OMP_PLACES": "threads", "OMP_PROC_BIND": "spread"},
    "limited": {"OMP_THREAD_LIMIT": "3", "OMP_NUM_THREADS": "8"},
    "guided": {"OMP_SCHEDULE": "guided,3"},
}


@pytest.fixture
def run_shape(measure, build_program):
    """run_shape(name, runtime=, env=) -> the profile, once the program has said what it says without Heddle."""

    def run(name, **options):
        program = build_program("host_shapes.c", flags=("-pthread",))
        plain = run_plain(program, name, **options)
        assert plain.returncode == 0, plain.stderr
        loaded = measure(program, name, **options)
        assert loaded.stdout == plain.stdout
        assert not [note for note in loaded["run"]["notes"] if "without" in note or "lost" in note or "no space" in note]
        return loaded

    return run


def instances(loaded, kind):
    return sum(entry["visits"] for entry in loaded["profiles"] if entry["kind"] == kind)


@pytest.mark.parametrize("name", SHAPES)
def test_shape_is_measured_and_undisturbed(run_shape, runtime, name):
    regions, leagues = SHAPES[name]
    loaded = run_shape(name, runtime=runtime, env=CANCELLATION)
    if regions is not None:
        assert instances(loaded, "parallel") == regions
    assert instances(loaded, "teams") == leagues


@pytest.mark.parametrize("setting", SETTINGS)
def test_settings_of_the_runtime_change_nothing(run_shape, runtime, setting):
    loaded = run_shape("mixed", runtime=runtime, env=SETTINGS[setting])
    assert instances(loaded, "parallel") == 20
