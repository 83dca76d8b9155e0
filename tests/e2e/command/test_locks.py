# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle run --locks` and what shows it, with holds of known length. What the numbers must be to the tick is the unit
tests' concern (test_locks.c): here are real runtimes, and the outputs."""
import csv
import io
import json
import re

import pytest

from conftest import SOURCE, libomp_folder

# Thread 0 holds it for 40 ms in one place, while thread 1 waits for it in another and then holds it for 5 ms.
WORK = r"""
#include <omp.h>
#include <string.h>
#include "spin.h"
static omp_lock_t lock;
static omp_nest_lock_t nest;
static volatile int taken, coming, left; /* rounds so far */
static void take(const char *how) {
  if (!strcmp(how, "nest")) { omp_set_nest_lock(&nest); omp_set_nest_lock(&nest); }
  else if (!strcmp(how, "test")) while (!omp_test_lock(&lock));
  else omp_set_lock(&lock);
}
static void give(const char *how) {
  if (!strcmp(how, "nest")) { omp_unset_nest_lock(&nest); omp_unset_nest_lock(&nest); } else omp_unset_lock(&lock);
}
static void hold(int round) {
  taken = round;
  while (coming < round);
  spin_ms(0, 40);
}
int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "lock";
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(2)
  for (int round = 1; round <= 5; round++) {
#pragma omp barrier
    if (!strcmp(how, "critical") && omp_get_thread_num() == 0) {
#pragma omp critical
      hold(round);
    } else if (!strcmp(how, "critical")) {
      while (taken < round);
      coming = round;
#pragma omp critical
      spin_ms(1, 5);
    } else if (omp_get_thread_num() == 0) {
      take(how);
      hold(round);
      left = round;
      if (strcmp(how, "other")) give(how);
    } else {
      while (taken < round);
      coming = round;
      if (!strcmp(how, "other")) { while (left < round); give(how); }
      if (!strcmp(how, "nest")) omp_set_nest_lock(&nest); else omp_set_lock(&lock);
      spin_ms(1, 5);
      if (!strcmp(how, "nest")) omp_unset_nest_lock(&nest); else omp_unset_lock(&lock);
    }
  }
  return 0;
}
"""


@pytest.fixture
def followed(build_program, run_heddle, tmp_path, runtime):
    def run(text, *arguments, options=("--locks",), env=None):
        path = tmp_path / "run.heddle"
        program = build_program(text, flags=[f"-I{SOURCE}/tests/e2e/programs"])
        environment = {"LD_LIBRARY_PATH": str(libomp_folder(runtime)), **(env or {})}
        result = run_heddle("run", "-q", *options, "-o", path, "--", program, *arguments, env=environment)
        assert result.returncode == 0, result.stderr
        return path

    return run


def load(run_heddle, path):
    return json.loads(run_heddle("export", path).stdout)


def ends(loaded):
    """The callpath that waits longest, and the one whose holds it waits for longest."""
    having = [entry for entry in loaded["profiles"] if entry["lock"]]
    waiter = max(having, key=lambda entry: entry["lock"]["waited_s"])
    longest = max(waiter["lock"]["held_by"], key=lambda held: held["seconds"])
    return waiter, loaded["profiles"][longest["id"]], longest


@pytest.mark.parametrize("how", ["lock", "nest", "test", "critical"])
def test_waits_are_divided(followed, run_heddle, how):
    path = followed(WORK, how)
    loaded = load(run_heddle, path)
    assert loaded["program"]["locks_missing"] is None and loaded["program"]["lost_locks"] == 0
    waiter, holder, longest = ends(loaded)
    assert holder["line"] != waiter["line"] and longest["times"] == 5
    assert holder["lock"]["holds"] == 5 and holder["lock"]["released_elsewhere"] == 0
    assert holder["lock"]["hold_s"] >= 5 * 0.040
    assert holder["held_s"] == pytest.approx(holder["lock"]["hold_s"], rel=0.01)
    for entry in loaded["profiles"]:
        lock = entry["lock"]
        if lock:
            parts = lock["held_s"] + lock["handover_s"] + lock["free_s"] + lock["unknown_s"]
            assert parts == pytest.approx(lock["waited_s"], abs=1e-9)
            assert entry["handover_s"] == lock["handover_s"]
            assert lock["held_s"] == pytest.approx(sum(held["seconds"] for held in lock["held_by"]), abs=1e-9)


def test_a_lock_that_another_thread_releases_is_marked(followed, run_heddle):
    path = followed(WORK, "other")
    loaded = load(run_heddle, path)
    having = [entry for entry in loaded["profiles"] if entry["lock"]]
    assert sum(entry["lock"]["released_elsewhere"] for entry in having) == 5
    holder = max(having, key=lambda entry: entry["lock"]["released_elsewhere"])
    assert holder["lock"]["holds"] == 5


def test_views(followed, run_heddle):
    path = followed(WORK)
    waiter, holder, _ = ends(load(run_heddle, path))
    text = run_heddle("report", "--locks", path).stdout
    assert re.search(r"held by .*:%d" % holder["line"], text), text
    rows = list(csv.DictReader(io.StringIO(run_heddle("report", "--locks", "--csv", path).stdout)))
    row = next(row for row in rows if row["holder"] == str(holder["id"]))
    assert float(row["held_by_s"]) == pytest.approx(waiter["lock"]["held_s"], rel=1e-6)
    findings = json.loads(run_heddle("explain", "--json", "--all", path).stdout)["findings"]
    evidence = " ".join(text for finding in findings for text in finding["evidence"])
    held = r"waits: \S+ \w+ for holders \(\S+ \w+: .*:%d.*\), .* for hand-overs" % holder["line"]
    assert re.search(held, evidence), evidence


# Two locks that are got in one line, which is two callpaths.
PAIR = r"""
#include <omp.h>
#include "spin.h"
static omp_lock_t first, second;
static void take(void) { omp_set_lock(&first); omp_set_lock(&second); }
int main(void) {
  omp_init_lock(&first);
  omp_init_lock(&second);
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 50; i++) {
    take();
    spin_ms(0, 1);
    omp_unset_lock(&first);
    spin_ms(0, 1);
    omp_unset_lock(&second);
  }
  return 0;
}
"""
SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}


def test_explain_adds_up_the_callpaths_of_a_place(followed, run_heddle):
    path = followed(PAIR)
    having = [entry for entry in load(run_heddle, path)["profiles"] if entry["lock"] and entry["kind"] == "lock"]
    assert len(having) == 2 and len({entry["line"] for entry in having}) == 1
    [finding] = [finding for finding in json.loads(run_heddle("explain", "--json", "--all", path).stdout)["findings"]
                 if finding["cause"] == "lock"]
    told = re.search(r"waits: (\S+) (\w+) for holders .*, (\S+) (\w+) for hand-overs", " ".join(finding["evidence"]))
    for value, unit, what in ((told[1], told[2], "held_s"), (told[3], told[4], "handover_s")):
        assert float(value) * SECONDS[unit] == pytest.approx(sum(entry["lock"][what] for entry in having), rel=0.01,
                                                             abs=1e-9)


# Hands over the lock all the time if its argument is there; else holds it for long.
TURNS = r"""
#include <omp.h>
#include "spin.h"
static omp_lock_t lock;
int main(int argc, char **argv) {
  (void)argv;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  for (int i = 0; i < (argc > 1 ? 200000 : 50); i++) {
    omp_set_lock(&lock);
    if (argc < 2)
      spin_ms(0, 2);
    omp_unset_lock(&lock);
  }
  return 0;
}
"""


@pytest.mark.parametrize("arguments", [(), ("turns",)])
def test_the_cure_is_for_holders_or_for_hand_overs(followed, run_heddle, arguments):
    path = followed(TURNS, *arguments, env={"HEDDLE_OVERHEAD": "off"})
    [lock] = [entry["lock"] for entry in load(run_heddle, path)["profiles"] if entry["lock"]]
    findings = json.loads(run_heddle("explain", "--json", "--all", path).stdout)["findings"]
    attempts = [" ".join(finding["try"]) for finding in findings if finding["cause"] == "lock"]
    for attempt in attempts:
        assert ("less often" in attempt) == (2 * lock["handover_s"] > lock["waited_s"])
    assert arguments or len(attempts) == 1


@pytest.mark.parametrize("options, reason", [((), "'heddle run --locks' does")])
def test_what_is_missing_is_said(followed, run_heddle, options, reason):
    path = followed(WORK, options=options)
    loaded = load(run_heddle, path)
    assert reason in loaded["program"]["locks_missing"]
    assert all(entry["lock"] is None and entry["handover_s"] is None for entry in loaded["profiles"])
    text = " ".join(run_heddle("report", "--locks", path).stdout.split())
    assert reason in text
