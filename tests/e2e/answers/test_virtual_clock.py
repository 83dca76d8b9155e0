# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Corrected times of runs in which Heddle's events last 1, 10 or 100 us longer are those of undisturbed runs.

Runs with and without the delay alternate; of five to twenty each, until they agree, a region's fastest are compared: those
that were interrupted least. Elapsed, busy and waiting time agree within 1 % of the region's elapsed or busy time, where the measured times are
off by up to two thirds of it. Threads that sleep while they wait (passive) must be woken, but for the last to arrive:
who that is depends on the delay, so there the limits are 5 % and, for waiting, 10 %.
"""
import math

import pytest

from conftest import marks
from timed import check_longer_times, check_times

pytestmark = pytest.mark.timed

REGIONS = ("imbalance", "loops", "barriers")
UNITS = {"imbalance": (2, 3, 1), "loops": (4, 7, 1), "barriers": (8, 12, 4)}  # elapsed, busy, waiting: virtual_clock.c
INSTANCES, UNIT_US = 8, 500  # short and many: the fastest are those that nothing else disturbed
RUNS = range(5, 21)
STATES = ("elapsed", "busy", "wait")


def times_of(entry):
    raw = (entry["elapsed_s"], entry["busy_inclusive_s"], sum(entry["wait_inclusive_s"].values()))
    corrected = {name: math.nan if value is None else value for name, value in entry["corrected"].items()}
    return raw, (corrected["elapsed_s"], corrected["busy_inclusive_s"], corrected["wait_inclusive_s"])


@pytest.fixture
def run_once(measure, build_program):
    """run_once(policy, delay in ns and whose) -> {region: (measured, corrected)}, each of elapsed, busy and waiting seconds;
    longer: the work and the delay, so many times."""

    def run(policy, delay=None, whose="", longer=1):
        env = {"OMP_WAIT_POLICY": policy, "HEDDLE_OVERHEAD": "off"}
        env.update({"HEDDLE_TEST_DELAY": f"{delay * longer}{whose}"} if delay else {})
        loaded = measure(build_program("virtual_clock.c"), INSTANCES, UNIT_US * longer, runtime=19, threads=2, env=env)
        line = marks("virtual_clock.c")
        return {region: times_of(loaded.one(line[region], "parallel")) for region in REGIONS}

    return run


def fastest(runs, region):
    return min((run[region] for run in runs), key=lambda times: times[0][0])


def run_until(check, once):
    """The results of once(), repeated as often as RUNS says, or until check(results) passes."""
    results = []
    while len(results) + 1 < RUNS.stop:
        results.append(once())
        try:
            if len(results) in RUNS:
                check(results)
                break
        except AssertionError:
            pass
    return results


def check_region(region, plain, disturbed, limits):
    expected = fastest(plain, region)[1]
    measured, corrected = fastest(disturbed, region)
    for state, limit, one, other, raw in zip(STATES, limits, corrected, expected, measured, strict=True):
        scale = expected[1] if state == "busy" else expected[0]
        off, left = 100 * (raw - other) / scale, 100 * (one - other) / scale
        print(f"{region} {state}: {off:+.1f} % measured, {left:+.2f} % corrected")
        assert abs(one - other) <= limit * scale, (region, state, one, other, raw)
    return measured[0] / expected[0]


@pytest.mark.parametrize("policy, limits", (("active", (0.01, 0.01, 0.01)), ("passive", (0.05, 0.01, 0.1))),
                         ids=("active", "passive"))
@pytest.mark.parametrize("delay, whose, least", ((1000, "", 0), (10000, "", 1.01), (100000, "", 1.2), (100000, "@0", 1.1),
                                                 (100000, "@1", 1.1)))
def test_corrected_times_are_those_of_an_undisturbed_run(run_once, policy, limits, delay, whose, least):
    def check(pairs):
        for region in REGIONS:
            assert check_region(region, *zip(*pairs), limits) >= least  # or nothing was disturbed

    check_longer_times(lambda longer: run_until(check, lambda: (run_once(policy, longer=longer),
                                                                run_once(policy, delay, whose, longer))), check)


def test_corrected_times_are_the_known_ones(run_once):
    """Without any other run to compare with: from the program's arithmetic alone. Forks and joins take time, too."""

    def check(runs):
        for region in REGIONS:
            for state, units, corrected in zip(STATES, UNITS[region], fastest(runs, region)[1], strict=True):
                expected = units * INSTANCES * UNIT_US / 1e6
                scale = UNITS[region][1 if state == "busy" else 0] * INSTANCES * UNIT_US / 1e6
                assert abs(corrected - expected) <= 0.02 * scale, (region, state, corrected, expected)

    check_times(lambda: run_until(check, lambda: run_once("active", 50000)), check)
