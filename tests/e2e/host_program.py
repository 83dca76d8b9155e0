# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For tests that a program does the same with and without Heddle, whatever it does to itself."""
import os
import pathlib
import re
import shutil
import stat
import subprocess
import tempfile

import pytest

from conftest import LIBRARY, TIMEOUT_S, environment_for, libomp_folder

STAYS = re.compile(r"^heddle: cannot write (.*): (.*); for 'heddle recover' the profile stays in (.*)$", re.M)
INSTEAD = re.compile(r"^heddle: cannot write (.*): (.*); the profile is in (.*) instead$", re.M)
DECLINES = re.compile(r"^heddle: not measuring: .+$", re.M)


@pytest.fixture
def places(tmp_path):
    """Directories of the test's own for live files, for profiles, and to work in; other users may come here."""
    found = {name: tmp_path / name for name in ("store", "output", "work")}
    for place in found.values():
        place.mkdir()
        place.chmod(0o777)
    for parent in tmp_path.parents:
        if parent.stat().st_uid == os.getuid() and parent.name.startswith(("pytest", "popen")):
            parent.chmod(0o755)
    tmp_path.chmod(0o755)
    return found


class Pair:
    """A program that did the same without and with Heddle."""

    def __init__(self, plain, result, places):
        ours = [line for line in result.stderr.splitlines(keepends=True) if line.startswith("heddle: ")]
        others = [line for line in result.stderr.splitlines(keepends=True) if line not in ours]
        assert (result.returncode, result.stdout, "".join(others)) == (plain.returncode, plain.stdout, plain.stderr)
        self.status, self.said = result.returncode, "".join(ours)
        self.live = sorted(path for path in places["store"].rglob("*.live*") if path.is_file())
        self.saved = sorted(path for path in places["output"].rglob("*") if path.is_file() and ".live" not in path.name)
        for path in self.live + self.saved:
            assert stat.S_IMODE(path.stat().st_mode) == 0o600

    def kept(self):
        """The only profile there is, and a line says that it is not where it should be."""
        stays = STAYS.search(self.said)
        assert stays and self.said == stays.group(0) + "\n"
        assert self.live == [pathlib.Path(stays.group(3))] and not self.saved
        return self.live[0]

    def instead(self, place):
        """The only profile there is, in `place`, and a line says so."""
        line = INSTEAD.search(self.said)
        assert line and self.said == line.group(0) + "\n", self.said
        found = pathlib.Path(line.group(3))
        assert found.parent == place and not self.saved and not self.live
        return found

    def only(self):
        """The profile that was saved; nothing else is left and nothing was said."""
        assert len(self.saved) == 1 and not self.live and self.said == "", (self.saved, self.live, self.said)
        return self.saved[0]


@pytest.fixture(scope="session")
def for_anybody():
    """for_anybody(file) -> a copy that any user may read: this checkout may be root's alone. Not in /tmp, which tests hide."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as root:
        os.chmod(root, 0o755)

        def copy(file):
            place = pathlib.Path(root, str(file.parent).replace("/", "-"), file.name)
            if not place.exists():
                place.parent.mkdir(exist_ok=True)
                shutil.copy(file, place)
            return place

        yield copy


@pytest.fixture
def both(build_program, heddle, places, for_anybody):
    """both(source, arguments..., under_run=, before=, flags=) -> Pair; alone means with OMP_TOOL_LIBRARIES only; `before` begins
    the program's command line."""

    def run(source, *arguments, under_run=False, before=(), runtime=19, env=None, change=None, flags=(),
            compiler="clang"):
        program = build_program(source, compiler, flags)
        if change:
            program = change(program)
        libomp = for_anybody(libomp_folder(runtime) / "libomp.so.5")
        plain_env = environment_for(runtime, 2, {"OMP_WAIT_POLICY": "passive", "LD_LIBRARY_PATH": str(libomp.parent)})
        env = {**plain_env, "HEDDLE_OUTPUT": str(places["output"] / "p.heddle"), "HEDDLE_STORE_DIR": str(places["store"]),
               "HEDDLE_LIBRARY": str(for_anybody(LIBRARY)), **(env or {})}
        if not under_run:
            env["OMP_TOOL_LIBRARIES"] = env.pop("HEDDLE_LIBRARY")
        command = [*before, program, *map(str, arguments)]
        command_with = [heddle, "run", "-q", "--", *command] if under_run else command
        ends = [subprocess.run(one, env=its, capture_output=True, text=True, timeout=TIMEOUT_S, cwd=places["work"])
                for one, its in ((command, plain_env), (command_with, env))]
        if under_run and ends[0].returncode < 0:  # a shell's status
            ends[0].returncode = 128 - ends[0].returncode
        return Pair(*ends, places)

    return run


either_way = pytest.mark.parametrize("under_run", [False, True], ids=["alone", "run"])
