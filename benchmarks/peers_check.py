# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Test of `peers`: what it runs and what it makes of known figures, whatever time things take.

usage: peers_check.py BUILD
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
BUILT_IN = ["no tool", "null", "tsc", "Heddle"]
COLUMNS = ["region 1t", "critical 1t", "region 2t", "critical 2t", "`constructs region 20` 2t"]

KNOWN = {
    "region 2t": [{"no tool": [100, 200, 300], "null": [120, 220, 320], "steady": [150, 250, 350], "noisy": [50, 250, 300],
                   "blind": [121, 221, 318], "fails": [None]},
                  {"no tool": [400], "null": [420], "steady": [453], "noisy": [400]}],
    "barrier 2t": [{"no tool": [100, 200, 300], "null": [95, 205, 300], "steady": [105, 210, 305]}],
    "`app` 2t": [{"no tool": [1, 2, 3], "null": [1, 2, 3], "steady": [3, 2.5, 2], "noisy": [1, 2, 3], "fails": [2, None]}],
}
KNOWN_TABLE = """\
|  | region 2t | barrier 2t | `app` 2t |
| --- | --- | --- | --- |
| no tool | 250 ns | 200 ns | 2 s |
| null | 20.0 | - | × 1.00 |
| steady | 50.0 | 5 | × 1.25 |
| noisy | - | - | × 1.00 |
| blind | - | - | - |
| fails | - | - | - |
"""


def peers(*arguments):
    command = [HERE / "peers", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)


def expect(found, wanted):
    if found != wanted:
        sys.exit(f"found:\n{found}\nwanted:\n{wanted}")


def ends(pid):
    """A process that has been killed; who waits for it may not have done so yet."""
    for _ in range(100):
        state = pathlib.Path(f"/proc/{pid}/stat")
        if not state.exists() or state.read_text().split(") ")[1][0] == "Z":
            return True
        time.sleep(0.1)
    return False


def check_known_figures(folder):
    samples = folder / "known"
    samples.write_text(json.dumps(KNOWN))
    expect(peers("--rounds", 0, "--samples", samples).stdout, KNOWN_TABLE)


def check_every_tool_runs_everything(build, folder):
    samples = folder / "all"
    constructs = build / "benchmarks" / "constructs"
    quick = ["--build", build, "--constructs", "region,critical", "--turn", 0.05, "--samples", samples]
    for _ in range(2):  # the second adds to the first
        peers(*quick, "--rounds", 2, "--program", f"{constructs} region 20",
              "talks=sh -c 'echo 0 ns; echo 7 >a_file; \"$0\" \"$@\"; yes about 0 ns | head -5'")
    found = json.loads(samples.read_text())
    expect(list(found), COLUMNS)
    for parts in found.values():
        expect([list(part) for part in parts], [[*BUILT_IN, "talks"]] * 2)
        for figures in (figures for part in parts for figures in part.values()):
            expect((len(figures), min(figures) > 0), (2, True))


def check_failures(build, folder):
    """What fails is left out, the rest goes on."""
    samples = folder / "failures"
    found = peers("--build", build, "--constructs", "region", "--threads", 1, "--rounds", 1, "--turn", 0.05, "--samples",
                  samples, "--timeout", 5, "ends=false", "silent=true", "missing=/nowhere/tool",
                  f"hangs=sh -c 'sleep 1000 & echo $! >{folder}/child; wait'")
    figures = json.loads(samples.read_text())["region 1t"][0]
    expect({tool: None in values for tool, values in figures.items()},
           {**dict.fromkeys(BUILT_IN, False), "ends": True, "silent": True, "missing": True, "hangs": True})
    for reason in ("ends, region 1t: exit status 1: \n", "silent, region 1t: nothing printed",
                   "missing, region 1t: [Errno 2]", "hangs, region 1t: not ended after 5 s"):
        expect((reason, found.stderr.count(reason)), (reason, 1))
    expect(ends((folder / "child").read_text().strip()), True)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="heddle-peers-check.") as name:
        folder = pathlib.Path(name)
        check_known_figures(folder)
        check_every_tool_runs_everything(build, folder)
        check_failures(build, folder)


if __name__ == "__main__":
    main()
