# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples in a trace: what threads executed, and when; which of them belong to a part of the run."""
import collections
import csv
import io
import json

import pytest

from conftest import SOURCE

pytestmark = pytest.mark.needs("user-perf")

# In one region, without an event in between: `first`, then `second`. "at NS": before the region, between the two, after it.
WORK = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "heddle.h"

static volatile uint64_t sink;

static void work(void) {
  uint64_t x = 1;
  for (uint64_t i = 0; i < 400000000; i++)
    x = x * UINT64_C(6364136223846793005) + i;
  sink = x;
}

__attribute__((noinline)) void first(void) {
  work();
}

__attribute__((noinline)) void second(void) {
  work();
}

static void print_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  printf("at %lld\n", now.tv_sec * 1000000000ll + now.tv_nsec);
}

int main(void) {
#pragma omp parallel num_threads(1) // the runtime comes
  sink = 1;
  print_now();
#pragma omp parallel num_threads(1) // mark: region
  {
    first();
    print_now();
    second();
  }
  print_now();
  heddle_phase_begin("solve");
  first();
  heddle_phase_end("solve");
  second();
  return 0;
}
"""
WHERE = ("state", "function", "inlined_into", "line", "module", "offset")
REGION = next(number for number, line in enumerate(WORK.splitlines(), start=1) if "mark: region" in line)


@pytest.fixture(scope="module")
def record(build_program, run_heddle, tmp_path_factory):
    """record(options of `heddle run`...) -> the profile's path, and what the program printed."""
    program = build_program(WORK, flags=(f"-I{SOURCE}/include",))

    def run(*options):
        path = tmp_path_factory.mktemp("samples") / "run.heddle"
        result = run_heddle("run", "-q", "--samples", "1000", *options, "-o", path, "--", program)
        assert result.returncode == 0, result.stderr
        return path, result.stdout

    return run


@pytest.fixture(scope="module")
def path(record):
    return record("--trace")[0]


def printed(run_heddle, path):
    result = run_heddle("trace", "--print", "--csv", path)
    assert result.returncode == 0, result.stderr
    return list(csv.DictReader(io.StringIO(result.stdout)))


def samples_of(rows, function):
    """`work` is inlined into it."""
    return [float(row["time_s"]) for row in rows if row["event"] == "sample" and f"(inlined into {function})" in row["code"]]


def counted(*parts):
    """How many samples there are of each callpath, state and place in the code."""
    found = collections.Counter()
    for entry in (entry for part in parts for entry in part.profiles):
        for sample in entry["samples"]:
            found[entry["id"], *(sample[key] for key in WHERE)] += sample["count"]
    return found


def test_samples_have_their_time(record, run_heddle):
    """Between the program's two clock readings around a region lie the region's begin and end, whatever keeps the program
    from its processor: so much is known of how the two clocks differ."""
    path, output = record("--trace")
    before, between, after = (int(line.split()[1]) / 1e9 for line in output.splitlines() if line.startswith("at "))
    rows = printed(run_heddle, path)
    begin = next(float(row["time_s"]) for row in rows if row["event"] == "region_begin" and row["line"] == str(REGION))
    end = max(float(row["time_s"]) for row in rows if row["event"] == "region_end")
    early, late = ([time for time in samples_of(rows, function) if begin <= time <= end] for function in ("first", "second"))
    close = 0.001  # the two clocks are compared when the tool is loaded, and when samples are taken
    assert max(early) + before - begin <= between + close
    assert min(late) + after - end >= between - close
    assert max(early) < min(late)
    times = [float(row["time_s"]) for row in rows]
    assert times == sorted(times)


def test_a_whole_trace_has_the_samples_of_the_profile(path, export):
    whole, replayed = export(path), export(path, "--to", "1000")
    assert counted(whole) and counted(replayed) == counted(whole)
    assert replayed["program"]["samples"] == whole["program"]["samples"]
    assert replayed["program"]["samples_hz"] == whole["program"]["samples_hz"]


def test_parts_have_theirs(path, export, run_heddle):
    rows = printed(run_heddle, path)
    second = min(samples_of(rows, "second"))
    middle = (max(time for time in samples_of(rows, "first") if time < second) + second) / 2
    parts = [export(path, "--to", str(middle)), export(path, "--from", str(middle))]
    assert counted(*parts) == counted(export(path)) and all(counted(part) for part in parts)
    text = run_heddle("report", "--hot", "--to", str(middle), path).stdout
    assert "into first)" in text and "into second)" not in text


def test_chrome_has_them_on_their_threads(path, export, run_heddle):
    events = json.loads(run_heddle("export", "-f", "chrome", path).stdout)["traceEvents"]
    found = [event for event in events if event.get("cat") == "sample"]
    assert len(found) == export(path)["program"]["samples"]
    names = " ".join(event["name"] for event in found)
    assert "(inlined into first)" in names and "(inlined into second)" in names
    assert all(event["ph"] == "i" and event["s"] == "t" and event["tid"] == 0 for event in found)


def test_a_trace_with_a_condition_has_those_of_its_stretches(record, run_heddle, export):
    """Those that are taken at the end of the phase, too."""
    path, _ = record("--trace", "--trace-when", "phase solve")
    rows = printed(run_heddle, path)
    ((begin, end),) = export(path)["program"]["trace"]["stretches_s"]
    found = samples_of(rows, "first")
    assert found and not samples_of(rows, "second") and all(begin <= time <= end for time in found)


def test_a_trace_of_concurrency_has_none(record, run_heddle):
    rows = printed(run_heddle, record("--trace=concurrency")[0])
    assert rows and not [row for row in rows if row["event"] == "sample"]
