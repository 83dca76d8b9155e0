# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What this machine lacks, and what tests leave behind on it; a test that was skipped for anything else is a failure."""
import contextlib
import os
import pathlib
import pty

import pytest


NOT_ALLOWED = "this machine does not allow it"  # the only reason to skip a test that HEDDLE_NO_SKIP takes


@pytest.fixture(autouse=True)
def forget_dead_runtimes():
    """libomp notes in /dev/shm, under the process's number, that it is loaded. A killed process leaves that file, without
    a byte in it if it was killed just then; whoever gets the number later and takes the file for its own dies by SIGBUS,
    Heddle or not. Programs are killed here by the hundred, so the files of the dead are removed."""
    for file in pathlib.Path("/dev/shm").glob("__KMP_REGISTERED_LIB_*"):
        number = file.name.split("_")[-2]
        with contextlib.suppress(OSError):  # gone meanwhile, or another user's
            if number.isdigit() and not os.path.exists(f"/proc/{number}"):
                file.unlink()


@pytest.fixture(scope="session")
def terminals():
    """For tests that need a pseudo-terminal: a chroot without /dev/pts has none."""
    try:
        for descriptor in pty.openpty():
            os.close(descriptor)
    except OSError as failure:
        pytest.skip(f"{NOT_ALLOWED}: no pseudo-terminal: {failure}")


skipped = []
not_allowed = []


def pytest_runtest_logreport(report):
    if report.skipped:
        (not_allowed if NOT_ALLOWED in str(report.longrepr) else skipped).append(report.nodeid)


def pytest_sessionfinish(session, exitstatus):
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and session.config.option.markexpr == "timed":
        session.exitstatus = pytest.ExitCode.OK  # a folder without timed tests
    if not_allowed and "PYTEST_XDIST_WORKER" not in os.environ:
        print(f"\n{len(not_allowed)} tests were not run because {NOT_ALLOWED}: {not_allowed[0]} ...")
    if skipped and os.environ.get("HEDDLE_NO_SKIP"):
        print(f"\n{len(skipped)} tests were skipped, which HEDDLE_NO_SKIP forbids: {skipped[0]} ...")
        session.exitstatus = 1
