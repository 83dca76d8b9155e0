# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle report --source`: the source with the numbers of its lines beside it."""

import os
import re
import time

import pytest

SOURCE = """#include <omp.h>
static volatile double sink;
static void work(int n) {
  for (int i = 0; i < n; i++)
    sink += i;
}
/* far from
   all
   that
   is
   shown */
int main(void) {
#pragma omp parallel num_threads(2)
\twork(omp_get_thread_num() == 0 ? 100000000 : 1000);
  return 0;
}
"""
CODE, REGION = (4, 5), 13


@pytest.fixture
def made(build_program, run_heddle, tmp_path):
    path = tmp_path / "work.c"
    path.write_text(SOURCE)
    os.utime(path, (1, 1))
    profile = tmp_path / "p.heddle"
    result = run_heddle("run", "-q", "-o", profile, "--", build_program(path))
    assert result.returncode == 0, result.stderr
    return path, profile


def source_of(run_heddle, *arguments, **options):
    result = run_heddle("report", "--source", *arguments, **options)
    assert result.returncode == 0, result.stderr
    return result.stdout


def lines_of(shown):
    """{line: (its numbers, its text)}"""
    found = re.findall(r"^(.{37})(.{5})(?:  (.*))?$", shown, re.M)
    return {int(line): (numbers.split(), text) for numbers, line, text in found if line.strip().isdigit()}


def test_numbers_stand_beside_their_lines(made, run_heddle):
    path, profile = made
    shown = source_of(run_heddle, profile)
    lines = lines_of(shown)
    assert f"\n{path}\n" in shown and "changed since" not in shown
    gain, busy, wait = map(float, lines[REGION][0][:3])
    assert gain > 0 and busy > 0 and wait > 0
    assert lines[REGION][1] == "#pragma omp parallel num_threads(2)"
    assert lines[REGION + 1][1] == "        work(omp_get_thread_num() == 0 ? 100000000 : 1000);"


@pytest.mark.needs("user-perf")
def test_lines_that_threads_execute_have_their_samples(made, run_heddle):
    shown = source_of(run_heddle, made[1])
    lines = lines_of(shown)
    assert sum(float(lines[number][0][-1]) for number in CODE if lines[number][0]) > 50  # % of the samples
    assert 9 not in lines and "...\n" in shown


def test_source_that_changed_or_is_gone_is_said(made, run_heddle, tmp_path):
    path, profile = made
    os.utime(path, (time.time() + 10,) * 2)
    assert "changed since the run" in source_of(run_heddle, profile)
    (tmp_path / "elsewhere").mkdir()
    path.rename(tmp_path / "elsewhere" / path.name)
    gone = source_of(run_heddle, profile, cwd=tmp_path)
    assert f"{path}: No such file or directory" in gone and re.search(rf"^ .* {REGION}$", gone, re.M)
    assert "#pragma omp parallel" in source_of(run_heddle, profile, cwd=tmp_path / "elsewhere")  # by its name


def test_only_lines_that_matter_most(made, run_heddle):
    _, profile = made
    assert re.search(r"\d+ more lines? (is|are) not shown", source_of(run_heddle, "-n", "1", profile))
    refused = run_heddle("report", "--source", "--csv", profile)
    assert refused.returncode == 2 and "--source is for people" in refused.stderr


@pytest.mark.needs("user-perf")
def test_code_whose_source_is_not_here_gets_a_sentence(build_program, run_heddle, tmp_path):
    path = tmp_path / "user.c"
    head, main = SOURCE.split("/* far from")
    path.write_text(f'#line 1 "library/gone.c"\n{head}#line 100 "{path}"\n/* far from{main}')
    profile = tmp_path / "p.heddle"
    assert run_heddle("run", "-q", "-o", profile, "--", build_program(path)).returncode == 0
    shown = source_of(run_heddle, profile)
    percent, files = re.search(r"\n([\d.]+) % of the samples of busy threads are in (\d+) files? whose source is", shown).groups()
    assert float(percent) > 50 and int(files) >= 1
    assert f"\n{path}" in shown and "gone.c" not in shown
