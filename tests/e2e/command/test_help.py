# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Manual pages and completions say what --help says: both come from the commands' tables of options."""

import re
import subprocess

import pytest

COMMANDS = ("run", "report", "explain", "html", "scale", "tune", "compare", "top", "ctl",
            "trace", "export", "job", "events", "recover", "doctor", "merge", "completion")


def printed(run_heddle, *arguments):
    result = run_heddle(*arguments)
    assert result.returncode == 0 and result.stderr == "", result.stderr
    return result.stdout


def options_of(run_heddle, command):
    found = re.findall(r"^  (?:-(\w), |    )--([\w-]+)", printed(run_heddle, command, "--help"), re.M)
    assert ("h", "help") in found
    return found


def test_all_commands_are_known_here(run_heddle):
    assert re.findall(r"^  (\w+) +\S", printed(run_heddle, "help").split("Commands:")[1], re.M) == list(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_manual_page_has_all_options(run_heddle, command):
    page = printed(run_heddle, "help", "--man", command)
    lines = page.splitlines()
    assert lines[0].startswith(f".TH heddle\\-{command} 1 ") and f"heddle\\-{command} \\- " in lines[2]
    requests = {line.split()[0] for line in lines if line.startswith((".", "'"))}
    assert requests <= {".TH", ".SH", ".SS", ".TP", ".B", ".BI", ".BR", ".PP", ".nf", ".fi"}
    for letter, name in options_of(run_heddle, command):
        short = rf"\-{letter}, " if letter else ""
        begin = rf'.BI "{short}\-\-' + name.replace("-", r"\-")
        assert any(begin + end in page for end in ('"', ' "', '[=" ')), name


def test_manual_page_of_heddle_lists_the_commands(run_heddle):
    page = printed(run_heddle, "help", "--man")
    assert page.startswith(".TH heddle 1 ") and all(f"\n  {command} " in page for command in COMMANDS)


def completed(rules, *words):
    script = f"{rules}\nCOMP_WORDS=({' '.join(words)!s})\nCOMP_CWORD={len(words) - 1}\n_heddle\nprintf '%s\\n' \"${{COMPREPLY[@]}}\""
    result = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert result.stderr == ""
    return result.stdout.split()


def test_bash_completes_commands_and_options(run_heddle):
    rules = printed(run_heddle, "completion", "bash")
    assert completed(rules, "heddle", "re") == ["report", "recover"]
    assert completed(rules, "heddle", "report", "--call") == ["--callgraph", "--callers"]
    assert completed(rules, "heddle", "run", "--", "./app", "--call") == []
    for command in COMMANDS:
        expected = {f"--{name}" for _, name in options_of(run_heddle, command)}
        assert set(completed(rules, "heddle", command, "--")) == expected


@pytest.mark.parametrize("shell, form", [("zsh", "--{}'["), ("fish", " -l {} ")])
def test_rules_for_other_shells_have_all_options(run_heddle, shell, form):
    rules = printed(run_heddle, "completion", shell)
    for command in COMMANDS:
        for _, name in options_of(run_heddle, command):
            rule = form.format(name)
            assert any(rule.replace("'", end) in rules for end in ("'", "}'", "=-'")), (command, name)


def test_unknown_shell_is_refused(run_heddle):
    result = run_heddle("completion", "csh")
    assert result.returncode == 2 and "there is: bash, zsh, fish" in result.stderr
