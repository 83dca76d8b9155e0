# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that have, or leave themselves, less than usual: descriptors, limits, users, directories, disk space. With
Heddle they do what they do without it, and the profile is whole, or is where a line on standard error says, or is
missing for a reason that a line gives."""
import os
import re
import stat
import subprocess

import pytest

from conftest import LIBRARY, TIMEOUT_S, environment_for, marks, run_plain

SOURCE = "host_resources.c"
REGIONS, THREADS = 90, 420
STAYS = re.compile(r"^heddle: cannot write (.*): (.*); the profile stays in (.*)$", re.M)
DECLINES = re.compile(r"^heddle: not measuring: .+$", re.M)


@pytest.fixture
def places(tmp_path):
    """Directories of the test's own for live files, for profiles, and to work in; other users may come here."""
    found = {name: tmp_path / name for name in ("store", "output", "work")}
    for place in found.values():
        place.mkdir()
        place.chmod(0o777)
    for parent in tmp_path.parents:
        if parent.stat().st_uid == os.getuid() and parent.name.startswith("pytest"):
            parent.chmod(0o755)
    tmp_path.chmod(0o755)
    return found


class Loaded:
    """The same program without and with Heddle (OMP_TOOL_LIBRARIES alone, or `heddle run`)."""

    def __init__(self, plain, result, places):
        self.result = result
        assert (result.returncode, result.stdout) == (plain.returncode, plain.stdout), result.stderr
        self.live = sorted(places["store"].rglob("*.live"))
        self.saved = sorted(places["output"].rglob("*.heddle"))
        for path in self.live + self.saved:
            assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.fixture
def both(build_program, heddle, places):
    """both(arguments..., under_run=, launcher=) -> Loaded."""

    def run(*arguments, source=SOURCE, under_run=False, launcher=(), runtime=19, env=None, **options):
        program = build_program(source)
        tool = {"HEDDLE_OUTPUT": str(places["output"] / "p.heddle"), "HEDDLE_STORE_DIR": str(places["store"]),
                "OMP_WAIT_POLICY": "passive", **(env or {})}
        if not under_run:
            tool["OMP_TOOL_LIBRARIES"] = str(LIBRARY)
        command = [*launcher, program, *map(str, arguments)]
        environments = environment_for(runtime, 2, {"OMP_WAIT_POLICY": "passive"}), environment_for(runtime, 2, tool)
        commands = command, [heddle, "run", "-q", "--", *command] if under_run else command
        plain, result = (
            subprocess.run(one, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S, cwd=places["work"],
                           **options) for one, environment in zip(commands, environments))
        return Loaded(plain, result, places)

    return run


def assert_whole(loaded):
    """Nothing is missing in a profile of host_resources.c."""
    region = marks(SOURCE)["region"]
    assert loaded["run"]["complete"] is True
    assert loaded.visits(region, "parallel") in (REGIONS + 1, REGIONS + 2)
    assert loaded["run"]["notes"] == [note for note in loaded["run"]["notes"] if "space" not in note]


either_way = pytest.mark.parametrize("under_run", [False, True], ids=["alone", "run"])

UNHINDERED = {
    "all descriptors": ["descriptors"],
    "free descriptors": ["free descriptors"],
    "descriptors' limit": ["open files", 3],
    "new privileges": ["privileges"],
    "permissions of new files": ["permissions"],
    "address space": ["address space", 64 << 20],
    "data": ["data", 64 << 20],
    "stack": ["stack", 1 << 20],
    "locked memory": ["locked memory", 64 << 10],
}


@either_way
@pytest.mark.parametrize("what", UNHINDERED)
def test_profile_is_whole_without(both, export, what, under_run):
    loaded = both(*UNHINDERED[what], under_run=under_run)
    if what in ("all descriptors", "free descriptors", "descriptors' limit") and not under_run:
        stays = STAYS.search(loaded.result.stderr)
        assert stays and loaded.live == [type(loaded.live[0])(stays.group(3))]
        assert_whole(export(loaded.live[0]))
    else:
        assert loaded.result.stderr == "" and len(loaded.saved) == 1 and not loaded.live
        assert_whole(export(loaded.saved[0]))
