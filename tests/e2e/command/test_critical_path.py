# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle run --critical-path` and what shows it. What the numbers must be is the unit tests' concern
(test_critical_path.c): here are real runtimes, and the outputs."""
import csv
import io
import json
import re
import subprocess

import pytest

from conftest import SOURCE, libomp_folder
from timed import check_times

WORK = r"""
#include <stdlib.h>
static volatile double sink;
static int total;
static void work(int n) { for (int i = 0; i < n; i++) sink += i; }
static void tree(int n) {
  work(10000);
  if (n == 0) return;
#pragma omp task
  tree(n - 1);
#pragma omp task
  tree(n - 1);
#pragma omp taskwait
}
int main(int argc, char **argv) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(dynamic, 10)
    for (int i = 0; i < 100; i++) work(10000);
#pragma omp critical
    { work(10000); total++; }
#pragma omp single
    tree(4);
  }
  if (argc > 1) abort();
  return 0;
}
"""


@pytest.fixture
def followed(build_program, run_heddle, tmp_path):
    def run(program, *arguments, option="--critical-path", env=None):
        path = tmp_path / "run.heddle"
        options = [option] if option else []
        result = run_heddle("run", "-q", *options, "-o", path, "--", build_program(program), *arguments, env=env)
        return path, result

    return run


def test_identities(followed, run_heddle, runtime):
    path, result = followed(WORK, env={"LD_LIBRARY_PATH": str(libomp_folder(runtime))})
    assert result.returncode == 0, result.stderr
    loaded = json.loads(run_heddle("export", path).stdout)
    program, profiles = loaded["program"], loaded["profiles"]
    assert 0 < program["span_s"] <= program["elapsed_s"]
    assert program["span_s"] <= program["busy_s"]
    assert program["critical_path_at_least"] is False
    assert sum(entry["critical_path_self_s"] for entry in profiles) == pytest.approx(program["span_s"])
    assert profiles[0]["critical_path_s"] == pytest.approx(program["span_s"])
    region = next(entry for entry in profiles if entry["kind"] == "parallel")
    assert region["span_instances"] == 1
    assert region["span_s"] == pytest.approx(region["critical_path_s"])
    assert region["work_s"] == pytest.approx(region["busy_inclusive_s"])
    trees = [entry for entry in profiles if entry["kind"] == "task" and entry["span_s"]]
    assert sum(entry["span_instances"] for entry in trees) == 2
    for entry in profiles:
        assert entry["critical_path_self_s"] <= entry["busy_s"] * (1 + 1e-9) if entry["measured"] else True


def test_report_in_text_and_csv(followed, run_heddle):
    path, _ = followed(WORK)
    text = run_heddle("report", "--critical-path", path).stdout
    for line in ("work      ", "span      ", "work/span "):
        assert re.search(f"^{line}", text, re.M), text
    assert re.search(r"critical .* < parallel", text)
    assert "may be longer" not in text
    rows = list(csv.DictReader(io.StringIO(run_heddle("report", "--critical-path", "--csv", path).stdout)))
    assert rows[0]["kind"] == "program" and float(rows[0]["critical_path_share"]) == 1
    assert float(rows[0]["work_per_span"]) == pytest.approx(float(rows[0]["work_s"]) / float(rows[0]["span_s"]))
    assert sum(float(row["critical_path_self_s"]) for row in rows) == pytest.approx(float(rows[0]["span_s"]))


@pytest.mark.parametrize("option, argument, words", [
    (None, (), "it was not followed; 'heddle run --critical-path' does"),
    ("--critical-path", ("killed",), "the program was killed, or still runs"),
])
def test_what_has_no_path_says_why(followed, run_heddle, option, argument, words):
    path, _ = followed(WORK, *argument, option=option)
    text = run_heddle("report", "--critical-path", path).stdout
    assert f"This profile has no critical path: {words}" in text
    loaded = json.loads(run_heddle("export", path).stdout)
    assert loaded["program"]["span_s"] is None
    assert all(entry["critical_path_s"] is None for entry in loaded["profiles"])


PHASE = 'say "a\\b" {|} <b>\\n</b>\n'  # with a newline at its end
NAMED = WORK.replace("#include <stdlib.h>", "#include <heddle.h>\n#include <stdlib.h>").replace(
    "  if (argc > 1)", f"  heddle_phase_begin({json.dumps(PHASE)}); work(1000000); heddle_phase_end(0);\n  if (argc > 1)")


def graph_of(text):
    """What graphviz reads of it."""
    shown = subprocess.run(["dot", "-Tjson0"], input=text, capture_output=True, encoding="utf-8", check=True, timeout=60)
    assert shown.stderr == ""
    return json.loads(shown.stdout)


def test_graph_of_the_path(build_program, run_heddle, tmp_path):
    path = tmp_path / "run.heddle"
    program = build_program(NAMED, flags=(f"-I{SOURCE / 'include'}",))
    run_heddle("run", "-q", "--critical-path", "-o", path, "--", program)
    loaded = json.loads(run_heddle("export", path).stdout)
    graph = graph_of(run_heddle("export", "-f", "dot", path).stdout)
    nodes = {node["_gvid"]: (int(node["name"][1:]), float(node["seconds"]), node["label"]) for node in graph["objects"]}
    reached = {entry["id"]: entry for entry in loaded["profiles"] if entry["earliest_s"] is not None}
    assert {node: seconds for node, seconds, _ in nodes.values()} == {
        node: pytest.approx(entry["critical_path_self_s"], abs=1e-9) for node, entry in reached.items()}
    for node in graph["objects"]:
        entry = reached[int(node["name"][1:])]
        assert float(node["earliest"]) == pytest.approx(entry["earliest_s"], abs=1e-9)
        assert float(node["slack"]) == pytest.approx(entry["slack_s"], abs=1e-9)
        assert (node.get("style") == "dashed") == (entry["critical_path_self_s"] == 0)
    phases = [label.split("\\nfrom ")[0] for _, _, label in nodes.values() if "phase" in label]
    assert phases == ["phase " + PHASE.replace("\\", "\\\\").replace("\n", "?")]  # as graphviz has a backslash in labels
    comes = {node: 0 for node in nodes}
    for edge in graph["edges"]:
        assert 0 <= int(edge["thread_changes"]) <= int(edge["count"])
        comes[edge["head"]] += int(edge["count"])
        comes[edge["tail"]] -= int(edge["count"])
    assert sorted(comes.values())[1:-1] == [0] * (len(comes) - 2) or set(comes.values()) == {0}
    steps = loaded["critical_path_steps"]
    assert len(steps) == len(graph["edges"]) + 1  # its begin
    assert 0 < sum(step["seconds"] for step in steps) <= loaded["program"]["span_s"] * (1 + 1e-9)  # all but its end


def test_a_profile_without_a_path_is_an_empty_graph(followed, run_heddle):
    path, _ = followed(WORK, option=None)
    graph = graph_of(run_heddle("export", "-f", "dot", path).stdout)
    assert "objects" not in graph and graph["label"].startswith("This profile has no critical path: it was not followed")


@pytest.mark.timed
@pytest.mark.parametrize("program, how", [("fib_span.c", ()), ("lu_span.c", ("taskwait",)), ("lu_span.c", ("depend",))])
def test_span_by_the_programs_own_clock(followed, run_heddle, program, how):
    def measure():
        path, result = followed(program, *how, env={"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"})
        path = path.rename(path.with_suffix(f".{len(list(path.parent.iterdir()))}"))
        own = dict(re.findall(r"^(span|worked) 0 (\d+)$", result.stdout, re.M))
        profiles = json.loads(run_heddle("export", path).stdout)["profiles"]
        region = next(entry for entry in profiles if entry["kind"] == "parallel")
        return int(own["span"]) / 1e9, int(own["worked"]) / 1e9, region

    def check(measured):
        span, worked, region = measured
        assert region["span_s"] == pytest.approx(span, rel=0.02)
        assert region["work_s"] == pytest.approx(worked, rel=0.02)

    check_times(measure, check)
