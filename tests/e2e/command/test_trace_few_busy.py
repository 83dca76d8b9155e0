# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle trace --when 'busy<=K for TIME'`: when few threads were busy, and what all did then."""
import csv
import io
import json
import re

import pytest

# Three times both threads are busy, each until the other one is, too; then one alone, the second time for long.
WORK = r"""
#include <omp.h>

static int there;

static void spin(double seconds) {
  const double end = omp_get_wtime() + seconds;
  while (omp_get_wtime() < end)
    ;
}

static void meet(int count) {
  __atomic_add_fetch(&there, 1, __ATOMIC_ACQ_REL);
  while (__atomic_load_n(&there, __ATOMIC_ACQUIRE) < count)
    ;
}

int main(void) {
  for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(2)
    meet(2 * i + 2);
#pragma omp parallel num_threads(2) // mark: alone
    if (omp_get_thread_num() == 1)
      spin(i == 1 ? 0.4 : 0.1);
  }
  return 0;
}
"""
ALONE = next(number for number, line in enumerate(WORK.splitlines(), start=1) if "mark: alone" in line)


@pytest.fixture(scope="module")
def path(build_program, run_heddle, tmp_path_factory):
    path = tmp_path_factory.mktemp("few") / "run.heddle"
    result = run_heddle("run", "-q", "--trace", "-o", path, "--", build_program(WORK), env={"OMP_WAIT_POLICY": "passive"})
    assert result.returncode == 0, result.stderr
    return path


@pytest.fixture
def alone_s(path, export):
    """How long one thread was busy alone without a break in the longest instance, at least. The other one is busy in it once,
    before it waits; on a busy machine that may be at any time, so two stretches are left."""
    both = export(path).one(ALONE, "parallel")["elapsed_at_k_s"][2:]
    return (0.4 - sum(both)) / 2 - 1e-6


@pytest.fixture
def asked(run_heddle):
    def run(path, condition, *options, status=0):
        result = run_heddle("trace", "--when", condition, *options, path)
        assert result.returncode == status, result.stderr
        return result.stderr if status else result.stdout

    return run


def test_the_longest_time_with_one_busy_thread(path, asked, alone_s):
    found = json.loads(asked(path, "busy<=1 for 90ms", "--json"))
    assert (found["busy_most"], found["least_s"]) == (1, 0.09) and found["found"] == len(found["stretches"]) >= 1
    lengths = [stretch["length_s"] for stretch in found["stretches"]]
    assert lengths == sorted(lengths, reverse=True) and lengths[0] >= alone_s and min(lengths) >= 0.09
    assert found["found_s"] == pytest.approx(sum(lengths), abs=1e-6) and found["found_s"] < found["traced_s"]
    longest = found["stretches"][0]
    busy = [row for row in longest["threads"] if row["state"] == "busy"]
    assert longest["busy_threads"] == pytest.approx(sum(row["time_s"] for row in busy) / longest["length_s"], abs=1e-6)
    alone, = (row for row in longest["threads"] if row["thread"] == 1 and row["state"] == "busy" and f":{ALONE} " in row["place"])
    assert alone_s <= alone["time_s"] <= longest["length_s"]
    waits, = (row for row in longest["threads"]
              if row["thread"] == 0 and row["state"] == "barrier_implicit" and row["id"] == alone["id"])
    assert 0 < waits["time_s"] <= longest["length_s"]


@pytest.mark.parametrize("most", [0, 1])
def test_they_are_those_of_the_changes_of_concurrency(path, asked, run_heddle, most):
    """All that are longer than some, which is chosen so that no length is near it."""
    rows = [(float(row["time_s"]), int(row["busy_threads"])) for row in csv.DictReader(io.StringIO(
        run_heddle("trace", "--concurrency", "--csv", path).stdout))]
    times, begin = [], None
    for (since, busy), (until, _) in zip(rows, rows[1:]):
        if until > since and busy <= most and begin is None:
            begin = since
        elif until > since and busy > most and begin is not None:
            times.append((begin, since))
            begin = None
    lengths = sorted(end - begin for begin, end in times)
    shorter, longer = max(zip(lengths, lengths[1:]), key=lambda pair: pair[1] / pair[0])
    least = (shorter + longer) / 2
    expected = [pair for pair in times if pair[1] - pair[0] > least]
    found = json.loads(asked(path, f"busy<={most} for {1e9 * least:.0f} ns", "--json"))["stretches"]
    found = sorted((stretch["from_s"], stretch["to_s"]) for stretch in found)
    last = [pair for pair in found if pair[1] > rows[-1][0] - 2e-9]  # goes on to the end of the trace
    assert 0 < len(expected) == len(found) - len(last) and len(last) <= 1
    for pair, other in zip(expected, found):
        assert pair == pytest.approx(other, abs=2e-9)


def test_text_has_the_longest_first_and_goes_on_to_its_profile(path, asked, run_heddle, alone_s):
    text = asked(path, "busy <= 1 for 90 ms", "--limit", "2")
    flat = re.sub(r"\s+", " ", text)
    assert re.match(r"At most 1 thread busy for at least 90\.0 ms: \d+ times, for [\d.]+ .?s of the [\d.]+ .?s traced\. ", flat)
    assert re.search(rf" [\d.]+ ms (thread 1|2 threads) busy parallel [\w.]+:{ALONE} .* (thread 0|2 threads) barrier parallel", flat)
    assert "the 2 longest of " in flat
    begin, end = re.search(r"heddle report --from ([\d.]+) --to ([\d.]+) ", flat).groups()
    assert float(end) - float(begin) >= alone_s
    report = run_heddle("report", "--from", begin, "--to", end, path)
    assert report.returncode == 0 and f":{ALONE} " in report.stdout, report.stderr
    whole = asked(path, "busy<=1 for 90ms", "--limit", "0")
    assert "longest of" not in re.sub(r"\s+", " ", whole) and len(whole) > len(text)


def test_there_may_be_none(path, asked):
    assert re.match(r"At most 1 thread busy for at least 1000 s: 0 times, for 0", asked(path, "busy<=1 for 1000s"))
    assert json.loads(asked(path, "busy<=1 for 1e200 s", "--json"))["stretches"] == []


def test_a_trace_of_concurrency_is_enough(build_program, run_heddle, asked, tmp_path):
    path = tmp_path / "changes.heddle"
    result = run_heddle("run", "-q", "--trace=concurrency", "-o", path, "--", build_program(WORK), env={"OMP_WAIT_POLICY": "passive"})
    assert result.returncode == 0, result.stderr
    assert json.loads(asked(path, "busy<=1 for 90ms", "--json"))["stretches"][0]["length_s"] >= 0.19  # as alone_s
    assert "heddle report" not in asked(path, "busy<=1 for 90ms")


@pytest.mark.parametrize("condition", ["busy<1 for 1ms", "busy<=1", "busy<=1 for 1", "busy<=1 for 0ms", "busy<=-1 for 1ms",
                                       "busy<=1 for -1ms", "busy<=1 for infs", "busy<=1 for 1msec", "busy<=9999999999 for 1ms", ""])
def test_what_is_no_condition(path, asked, condition):
    assert "expects 'busy<=K for TIME'" in asked(path, condition, status=2)


def test_what_does_not_go_with_it(path, asked, run_heddle):
    assert "--limit and --json belong to --when" in run_heddle("trace", "--json", path).stderr
    assert "--limit and --json belong to --when" in run_heddle("trace", "--print", "--limit", "3", path).stderr
    assert "belong to --print and --concurrency" in asked(path, "busy<=1 for 1ms", "--from", "1", status=2)
    for options, why in ((["--trace-last", "1M", "--trace-when", "busy<=1 for 10ms"], "'busy<=K for TIME' belongs to --trace"),
                         (["--trace", "--trace-when", "busy<=1"], "or 'busy<=K for TIME', as 'busy<=1 for 10ms'")):
        result = run_heddle("run", *options, "--", "true")
        assert result.returncode == 2 and why in result.stderr, result.stderr


# ---- only these times are traced ----

# Thousands of regions in which both threads are busy, and then one thread alone for 50 ms, four times; the program may end by
# a signal in the last one.
FLOODS = r"""
#include <omp.h>
#include <signal.h>

static void spin(double seconds) {
  const double end = omp_get_wtime() + seconds;
  while (omp_get_wtime() < end)
    ;
}

int main(int argc, char **argv) {
  (void)argv;
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 3000; j++)
#pragma omp parallel num_threads(2)
      spin(1e-5);
#pragma omp parallel num_threads(2) // mark: spin
    {
#pragma omp barrier
      if (omp_get_thread_num() == 1) {
        spin(0.05);
        if (i == 3 && argc > 1)
          raise(SIGKILL);
      }
    }
  }
  return 0;
}
"""
CONDITION = "busy<=1 for 40ms"
SPIN = next(number for number, line in enumerate(FLOODS.splitlines(), start=1) if "mark: spin" in line)


@pytest.fixture
def record_few(build_program, run_heddle, tmp_path):
    def run(*arguments, status=0):
        path = tmp_path / "few.heddle"
        result = run_heddle("run", "-q", "--trace=4M", "--trace-when", CONDITION, "-o", path, "--", build_program(FLOODS), *arguments,
                            env={"OMP_WAIT_POLICY": "passive"})
        assert result.returncode == status, result.stderr
        return path

    return run


def check_few(run_heddle, export, path):
    """Stretches that are long enough, with nothing between; of each, what all threads did at its begin. A look at the events finds
    one of the four times in them at least: a busy machine may let the other thread pass the barrier in the middle of some."""
    trace = export(path)["program"]["trace"]
    stretches = trace["stretches_s"]
    assert stretches and all(end - begin > 0.0399 for begin, end in stretches)
    found = json.loads(run_heddle("trace", "--when", "busy<=1 for 39ms", "--limit", "0", "--json", path).stdout)
    alone = sum(row["time_s"] for item in found["stretches"] for row in item["threads"]
                if row["state"] == "busy" and row["thread"] == 1 and f"program.c:{SPIN} " in row["place"])
    assert alone > 0.039
    events = list(csv.DictReader(io.StringIO(run_heddle("trace", "--print", "--csv", path).stdout)))
    for begin, end in stretches[-3:]:
        begun = [row for row in events if row["event"] == "trace_begin" and abs(float(row["time_s"]) - begin) < 2e-9]
        assert {row["thread"] for row in begun} == {"0", "1"}
        assert sum(row["state"] == "busy" for row in begun) <= 2
    assert all(any(begin - 2e-9 <= float(row["time_s"]) <= end + 2e-9 for begin, end in stretches) for row in events)
    return trace


def test_only_such_times_are_traced(record_few, run_heddle, export):
    """That what lies between is written over is the unit tests' concern: here a busy machine may have such times everywhere."""
    trace = check_few(run_heddle, export, record_few())
    assert trace["whole_until_s"] is None and trace["whole_from_s"] is None


def test_one_in_which_the_program_is_killed(record_few, run_heddle, export):
    path = record_few("kill", status=128 + 9)
    check_few(run_heddle, export, path)


def test_no_more_than_there_is_room_for(build_program, run_heddle, export, tmp_path):
    """All of the run is such a time: the trace ends when it is full, and says so."""
    path = tmp_path / "full.heddle"
    result = run_heddle("run", "-q", "--trace=100k", "--trace-when", "busy<=2 for 1ms", "-o", path, "--", build_program(FLOODS),
                        env={"OMP_WAIT_POLICY": "passive"})
    assert result.returncode == 0, result.stderr
    trace = export(path)["program"]["trace"]
    assert trace["bytes"] <= 200000 and 0 < trace["whole_until_s"] < export(path)["program"]["elapsed_s"]
    (begin, end), = trace["stretches_s"]
    assert end == pytest.approx(trace["whole_until_s"], abs=1e-6)
