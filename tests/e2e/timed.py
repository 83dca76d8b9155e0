# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of time, on machines that may do something else meanwhile.

A measurement that is wrong is judged by what the machine did during it:
  clean      no thread waited for a processor: two such failures fail the test;
  queued     threads waited for one, maybe only for each other: four fail it, unless the hypervisor took processors away
             at some time since the first: it is told in hundredths of a second, and a fraction of one is enough to fail;
  disturbed  others worked, the hypervisor took the processors away, or a quota held them back, or the program itself
             missed the times that it should keep: such a failure says nothing, and the test measures again.
A test that was disturbed every time is "not judged": it is named at the end, and more than a tenth of them is a failure.
One that passed only after an undisturbed failure is named, too: on this machine it is near its tolerance.
"""
import os
import pathlib
import resource
import time

import pytest

NOT_JUDGED = "not judged"
MEASUREMENTS = 6
STRIKES = {"clean": 2, "queued": 1}  # of four
TICK_S = 1 / os.sysconf("SC_CLK_TCK")
QUOTAS = ("/sys/fs/cgroup/cpu.stat", "/sys/fs/cgroup/cpu/cpu.stat")


class MissedItsTimes(AssertionError):
    """By its own books, the program did not do what its head comment says."""


def read(path):
    try:
        return pathlib.Path(path).read_text(encoding="ascii")
    except OSError:  # not every kernel or container has it
        return ""


def processor_times():
    """(seconds in which the processors that we may run on worked, seconds that a hypervisor withheld them): proc(5)."""
    ours = {f"cpu{number}" for number in os.sched_getaffinity(0)}
    rows = [line.split() for line in read("/proc/stat").splitlines()]
    rows = [list(map(int, row[1:9])) for row in rows if row and row[0] in ours]
    worked = sum(user + nice + system + irq + soft for user, nice, system, _, _, irq, soft, _ in rows)
    return worked * TICK_S, sum(row[7] for row in rows) * TICK_S


def own_time():
    """Seconds in which this process and its ended children worked."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def queued_time():
    """Seconds in which some thread of the machine waited for a processor; None: the kernel does not say."""
    for line in read("/proc/pressure/cpu").splitlines():
        if line.startswith("some "):
            return int(line.rsplit("total=", 1)[1]) / 1e6
    return None


def throttled_count():
    found = [line.split()[1] for path in QUOTAS for line in read(path).splitlines() if line.startswith("nr_throttled ")]
    return sum(map(int, found))


class Watch:
    """What the machine did since this was made."""

    def __init__(self):
        self.began = time.monotonic()
        self.own, self.queued, self.throttled = own_time(), queued_time(), throttled_count()
        self.worked, self.stolen = processor_times()

    def has_stolen(self):
        """Whether a hypervisor withheld processors."""
        return processor_times()[1] > self.stolen

    def verdict(self):
        """("clean", "queued" or "disturbed", and why in words)."""
        lasted = time.monotonic() - self.began
        worked, stolen = processor_times()
        others = (worked - self.worked) - (own_time() - self.own)
        if stolen > self.stolen:
            return "disturbed", f"the processors were away for {stolen - self.stolen:.2f} s"
        if throttled_count() > self.throttled:
            return "disturbed", "a quota held the processors back"
        if others > 3 * TICK_S + 0.03 * lasted:  # the kernel counts in ticks
            return "disturbed", f"others worked for {others:.2f} s of {lasted:.2f} s"
        now = queued_time()
        if now is not None and now - self.queued < 0.001 + 0.002 * lasted:
            return "clean", "no thread waited for a processor"
        return "queued", "threads waited for a processor"


def check_times(measure_once, check):
    """check(measure_once()) must hold; what is done after a failure stands in the head comment. What the measurement
    itself asserts (identities, counts) must hold in each."""
    assert "PYTEST_XDIST_WORKER" not in os.environ, "this test measures time: mark it pytest.mark.timed"
    strikes = {"clean": 0, "queued": 0, "disturbed": 0}
    last = None
    whole = Watch()
    for attempt in range(MEASUREMENTS):
        watch = Watch()
        measured = measure_once()
        verdict, why = watch.verdict()
        try:
            check(measured)
            if last:
                measured_again.append((os.environ["PYTEST_CURRENT_TEST"].split(" ")[0], last))
            return
        except AssertionError as failure:
            if isinstance(failure, MissedItsTimes):
                verdict = "disturbed"
            print(f"measurement {attempt + 1} ({verdict}: {why}): {failure}")
            strikes[verdict] += STRIKES.get(verdict, 0)
            last = last if verdict == "disturbed" else f"{verdict}: {failure}"
            if strikes["clean"] + (0 if whole.has_stolen() else strikes["queued"]) >= 4:
                raise
            reason = f"{NOT_JUDGED}: {why}: {failure}"
        time.sleep(1)  # what keeps the machine from its work now may be over then
    pytest.xfail(reason)


# A thread reports some 0.1 ms late that it has woken up, and the first time that code runs takes as long; on some machines
# 0.5 ms. Where a tolerance is a share of the run, what is wrong stays as large a share when all takes longer.
LONGER = (1, 2, 4)


def check_longer_times(measure, check):
    """As check_times; measure(longer) works so many times as long, after a failure longer."""
    lengths = iter(LONGER)
    check_times(lambda: measure(next(lengths, LONGER[-1])), check)


timed, not_judged, measured_again = [], [], []


def pytest_runtest_logreport(report):
    if report.when == "call" and "timed" in report.keywords:
        timed.append(report.nodeid)
        if NOT_JUDGED in getattr(report, "wasxfail", ""):
            not_judged.append((report.nodeid, " ".join(report.wasxfail.split())[:200]))


def pytest_terminal_summary(terminalreporter):
    for test, why in measured_again:
        terminalreporter.write_line(f"MEASURED AGAIN {test}: {why.splitlines()[0][:200]}")
    for test, why in not_judged:
        terminalreporter.write_line(f"NOT JUDGED {test}: {why}")
    if timed:
        terminalreporter.write_line(f"{len(timed) - len(not_judged)} of {len(timed)} timed tests were judged")


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session):
    if 10 * len(not_judged) > len(timed):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
