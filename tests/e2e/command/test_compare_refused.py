# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle compare`: other builds, failed runs, conditions, and what it refuses."""
import re
import subprocess

import pytest

from compared_profiles import N, flat


# ---- builds, sums, and runs that failed ----


def test_other_builds_are_refused_and_forced(compare, load, twos, edited):
    assert compare(twos, edited, status=1) == ""
    message = compare.stderr
    assert message.count("\n") == 1 and "twos" in message and "edited" in message and "--force" in message
    [comparison] = load("--force", twos, edited)
    assert comparison["by_name"] and comparison["mode"] == "sides"
    assert comparison["moved"] > 0  # three lines were added above all of them
    for row in comparison["rows"]:
        assert all(row["at"]), row["text"]
    text = compare("--force", twos, edited)
    assert "Regions, in milliseconds: before is twos, after is edited" in text
    assert re.search(r"^edited (takes [\d.]+ ms \([\d.]+ %\) (more|less) than twos|differs from twos by no more)", text,
                     re.M)


def test_killed_failed_and_merged_runs_are_told(compare, record, run_heddle, scanned, tmp_path):
    killed = record(tmp_path / "killed.heddle", 2, N, "die", status=128 + 9)
    assert "killed.heddle: the program" in flat(compare(scanned / "t1.r1.heddle", killed))
    text = compare(scanned / "t1.r1.heddle", killed)
    assert re.search(r"^ +2 .* a run was killed$", text, re.M) and "\nA run was killed: its time is not that" in text
    assert "\nother     " in text and "the command lines differ" in text
    assert "killed:" not in compare(scanned) and "\nother" not in compare(scanned)
    failed = record(tmp_path / "failed.heddle", 2, N, "fail", status=1)
    assert "failed.heddle: the program's exit status was 1" in flat(compare(scanned / "t1.r1.heddle", failed))
    merged = tmp_path / "merged.heddle"
    run_heddle("merge", "-o", merged, scanned / "t2.r1.heddle", scanned / "t2.r2.heddle")
    refused = run_heddle("compare", scanned / "t1.r1.heddle", merged)
    assert refused.returncode == 1 and refused.stdout == "" and "is a sum of several runs" in flat(refused.stderr)
    assert "merged.heddle: the sum of several runs" in flat(compare("--force", scanned / "t1.r1.heddle", merged))


# ---- conditions ----


@pytest.mark.parametrize("condition, status", [
    ("program.time > 1e6", 0), ("program.time < 1e6", 3), ("region.time > 1e6", 0), ("region.time > 0", 3),
    ("region.nonsense > 1", 2), ("region.time >", 2), ("", 2)])
def test_conditions_decide_the_exit_status(run_heddle, scanned, condition, status):
    result = run_heddle("compare", "--fail-if", condition, scanned / "t1.r1.heddle", scanned / "t2.r1.heddle")
    assert result.returncode == status, result.stderr
    assert (result.stdout == "") == (status == 2)
    assert result.stderr  # which, and with what values; or what is wrong with it


def test_any_of_several_conditions_fails(compare, scanned):
    never, always = "program.time > 1e6", "program.time > 0"
    for formats in ([], ["--json"], ["--csv"], ["--markdown"]):
        compare(*formats, "--fail-if", never, "--fail-if", always, scanned, status=3)
        assert "program.time" in compare.stderr
    compare("--fail-if", always, "--fail-if", always, scanned, status=3)
    compare("--fail-if", always, "--fail-if", never, scanned, status=3)
    compare("--fail-if", never, "--fail-if", never, scanned, status=0)


def test_short_regions_are_not_tried(compare, scanned):
    condition = "region.time > 0"
    compare("--min-share", "100", "--fail-if", condition, scanned, status=0)
    compare("--min-share", "0", "--fail-if", condition, scanned, status=3)


# ---- what is refused ----


@pytest.mark.parametrize("arguments, words", [
    ([], "missing profile or directory"),
    (["--predict", "0", "x"], "--predict expects comma-separated thread counts, not '0'"),
    (["--predict", "1,,2", "x"], "--predict expects comma-separated thread counts"),
    (["--predict", "", "x"], "--predict expects comma-separated thread counts"),
    (["--predict", ",".join(["3"] * 65), "x"], "no more than 64"),
    (["--csv", "--json", "x"], "only one of --csv, --markdown and --json"),
    (["--difference", "--scaling", "x"], "only one of --difference and --scaling at a time"),
    (["--limit", "many", "x"], "--limit expects a number of regions, not 'many'"),
    (["--min-share", "101", "x"], "--min-share expects a percentage from 0 to 100, not '101'"),
    (["--min-share", "x", "x"], "--min-share expects a percentage"),
    (["--min-share", "nan", "x"], "--min-share expects a percentage"),
])
def test_wrong_options_are_refused(run_heddle, arguments, words):
    result = run_heddle("compare", *arguments)
    assert result.returncode == 2 and result.stdout == ""
    assert words in result.stderr and "\nUsage: heddle compare" in result.stderr


def test_what_cannot_be_compared_is_refused(compare, scanned, twos, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "no.profile").write_text("x")
    bad = tmp_path / "bad.heddle"
    bad.write_text("x")
    one = scanned / "t1.r1.heddle"
    for arguments, words in (
            ([one], "t1.r1.heddle is a single run; a comparison needs two or more"),
            ([empty], "empty: no profiles (*.heddle) in this directory"),
            ([tmp_path / "gone", bad, one], "gone: No such file or directory"),
            ([tmp_path / "gone", bad, one], "bad.heddle: not a Heddle profile"),
            ([twos], "all 3 runs in"),
            ([twos], "had 2 threads: there is nothing to compare; add runs with other numbers of threads"),
            (["--scaling", twos, scanned / "t2.r1.heddle"], "--scaling needs two or more thread counts"),
            (["--difference", scanned], "--difference needs two or more sets of runs"),
    ):
        assert compare(*arguments, status=1) == ""
        assert words in compare.stderr and compare.stderr.startswith("heddle: "), compare.stderr


def test_full_disk_and_early_readers(heddle, scanned):
    for options in ([], ["--json"], ["--csv"], ["--markdown"]):
        with open("/dev/full", "w") as full:
            result = subprocess.run([heddle, "compare", *options, scanned], stdout=full, stderr=subprocess.PIPE, text=True)
        assert result.returncode == 1 and result.stderr == "heddle: standard output: No space left on device\n"
        result = subprocess.run(["sh", "-c", f"'{heddle}' compare {' '.join(options)} '{scanned}' | true"],
                                capture_output=True, text=True)
        assert result.stderr == ""


def test_help_tells_of_every_option(run_heddle):
    result = run_heddle("compare", "--help")
    assert result.returncode == 0 and result.stderr == ""
    for option in ("predict", "csv", "markdown", "json", "limit", "callpaths", "fail-if", "min-share", "force",
                   "difference", "scaling"):
        assert re.search(rf"--{option}[ \n]", result.stdout), option
    assert max(map(len, result.stdout.splitlines())) <= 120
