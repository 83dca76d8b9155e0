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
    assert (found["busy_most"], found["least_s"]) == (1, 0.09) and found["found"] == len(found["stretches"]) >= 3
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
    assert json.loads(asked(path, "busy<=1 for 90ms", "--json"))["stretches"][0]["length_s"] >= 0.4
    assert "heddle report" not in asked(path, "busy<=1 for 90ms")


@pytest.mark.parametrize("condition", ["busy<1 for 1ms", "busy<=1", "busy<=1 for 1", "busy<=1 for 0ms", "busy<=-1 for 1ms",
                                       "busy<=1 for -1ms", "busy<=1 for infs", "busy<=1 for 1msec", "busy<=9999999999 for 1ms", ""])
def test_what_is_no_condition(path, asked, condition):
    assert "expects 'busy<=K for TIME'" in asked(path, condition, status=2)


def test_what_does_not_go_with_it(path, asked, run_heddle):
    assert "--limit and --json belong to --when" in run_heddle("trace", "--json", path).stderr
    assert "--limit and --json belong to --when" in run_heddle("trace", "--print", "--limit", "3", path).stderr
    assert "belong to --print and --concurrency" in asked(path, "busy<=1 for 1ms", "--from", "1", status=2)
    result = run_heddle("run", "--trace", "--trace-when", "busy<=1 for 10ms", "--", "true")
    assert result.returncode == 2 and "'heddle trace --when CONDITION FILE' lists those times" in result.stderr
