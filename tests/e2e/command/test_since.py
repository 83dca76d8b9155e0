# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What came after a snapshot: --since."""
import json

import pytest

from conftest import Profile

UNEVEN, CRITICAL = 5, 7  # regions, as in phased.c


@pytest.fixture
def phased(start_steered):
    """The profiles after the first part, after the second one, and at the end."""

    def save(env=None):
        program = start_steered(source="phased.c", env=env)
        paths = []
        for number in range(2):
            if number > 0:
                program.go_on()
            paths.append(program.store / f"{number}.heddle")
            program.do("snapshot", "-o", paths[-1])
        return [*paths, program.end()[1]]

    return save


def export(run_heddle, *arguments):
    result = run_heddle("export", *arguments)
    assert result.returncode == 0, result.stderr
    return Profile(json.loads(result.stdout))


def regions(profile):
    return sorted(entry["visits"] for entry in profile["profiles"] if entry["kind"] == "parallel")


def test_numbers_are_of_what_came_since(phased, run_heddle):
    first, second, last = phased()
    before, part, whole = (export(run_heddle, *which) for which in ((first,), ("--since", first, second), (second,)))
    assert regions(before) == [UNEVEN] and regions(part) == [0, CRITICAL] and regions(whole) == [UNEVEN, CRITICAL]
    for key in ("elapsed_s", "busy_s", "outside_regions_s", "idle_s", "pauses"):
        assert part["program"][key] == pytest.approx(whole["program"][key] - before["program"][key], rel=1e-3, abs=1e-4), key
    assert before["program"]["pauses"] == 1 and before["program"]["paused_s"] > 0.01
    assert part["program"]["measured_from_s"] == pytest.approx(
        before["program"]["elapsed_s"] + before["program"]["paused_s"], rel=1e-4)
    for thread in part["threads"]:
        assert thread["busy_s"] + thread["wait_s"] + thread["runtime_s"] + thread["idle_s"] == pytest.approx(thread["lifetime_s"], abs=1e-4)
    contended, = (entry for entry in part["profiles"] if entry["visits"] == CRITICAL and entry["kind"] == "parallel")
    assert contended["elapsed_s"] == pytest.approx(CRITICAL * 2 * 0.02, rel=0.5) and part["timeline"] is None
    assert all(entry["history"] is None for entry in part["profiles"] if entry["kind"] == "parallel")
    assert sum(part["program"]["time_at_k_s"]) == pytest.approx(part["program"]["elapsed_s"], rel=1e-4)
    assert any("this is the part of the run from" in note and str(first) in note for note in part["run"]["notes"])
    assert regions(export(run_heddle, "--since", second, last)) == [0, 0]


def test_findings_are_of_what_came_since(phased, run_heddle):
    first, second, _ = phased()

    def found(*arguments):
        result = run_heddle("explain", "--json", *arguments)
        assert result.returncode == 0, result.stderr
        return {(finding["cause"], finding["place"]["function"]) for finding in json.loads(result.stdout)["findings"]}

    uneven, contended = ("imbalance", "uneven"), ("critical", "contend")
    assert uneven in found(first) and contended not in found(first)
    assert contended in found("--since", first, second) and uneven not in found("--since", first, second)
    assert {uneven, contended} <= found(second)


def test_views_say_that_they_show_a_part(phased, run_heddle, tmp_path):
    first, second, _ = phased()
    explained = run_heddle("explain", "--since", first, second)
    assert explained.returncode == 0 and " elapsed since " in explained.stdout
    reported = run_heddle("report", "--since", first, second)
    assert reported.returncode == 0 and " after the program's start\n" in reported.stdout
    assert "in contend" in reported.stdout and "in uneven" not in reported.stdout
    assert "\nnote      this is the part of the run" in reported.stdout
    page = run_heddle("html", "-o", tmp_path / "page.html", "--since", first, second)
    assert page.returncode == 0 and "this is the part of the run" in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize("option, variable", [("--critical-path", "HEDDLE_CRITICAL_PATH"), ("--locks", "HEDDLE_LOCKS")])
def test_what_is_not_known_of_parts_is_said(phased, run_heddle, option, variable):
    first, _, last = phased(env={variable: "1", "HEDDLE_OVERHEAD": "off"})
    assert "known of whole runs only" not in run_heddle("report", option, last).stdout
    said = " ".join(run_heddle("report", option, "--since", first, last).stdout.split())
    assert "it is known of whole runs only, not of parts" in said


def test_only_an_earlier_profile_of_the_run_is_taken(phased, run_heddle, tmp_path):
    first, second, last = phased()
    other, *_ = phased()
    for arguments in ((second, first), (other, last)):
        result = run_heddle("report", "--since", *arguments)
        assert result.returncode == 1 and result.stdout == ""
        assert f"{arguments[0]} is no earlier profile of the run of {arguments[1]}\n" in result.stderr
    missing = run_heddle("report", "--since", tmp_path / "none", last)
    assert missing.returncode == 1 and "No such file" in missing.stderr
    for command in (("html", "-o", tmp_path / "page"), ("export", "-f", "folded")):
        several = run_heddle(*command, "--since", first, second, last)
        assert several.returncode == 2 and "--since, --from and --to are for one FILE" in several.stderr
