# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a program of known concurrency did, added up by brute force from the spans that it printed (programs/books.h).

All times in seconds. Lists by level start at level 0; a level is the number of threads that work at an instant.
"""
import collections


def parse(stdout, what):
    """The "span" or "window" lines: (where, begin, end) in nanoseconds."""
    found = []
    for line in stdout.splitlines():
        if line.startswith(what + " "):
            where, begin, end = line[len(what) + 1:].rsplit(" ", 2)
            found.append((where, int(begin), int(end)))
    return found


def add(levels, k, seconds):
    levels.extend([0.0] * (k + 1 - len(levels)))
    levels[k] += seconds


class Books:
    """time_at: from the first span's begin to the last one's end. thread_time_at, wall_share, active: of each place;
    overlap: of each pair of places; elapsed_at: of each region's windows. What the program closed no more than 1 ms
    before its last word goes on for `longer` seconds: a program that is killed says so just before it dies."""

    def __init__(self, stdout, longer=0.0):
        self.unit = next(int(line.split()[1]) / 1e9 for line in stdout.splitlines() if line.startswith("unit "))
        self.time_at = []
        self.thread_time_at = collections.defaultdict(list)
        self.elapsed_at = collections.defaultdict(list)
        self.wall_share = collections.Counter()
        self.active = collections.Counter()
        self.overlap = collections.Counter()
        spans, windows = parse(stdout, "span"), parse(stdout, "window")
        last = max(end for _, _, end in spans + windows) - 1_000_000
        death = last + 1_000_000 + round(longer * 1e9)
        if longer:
            spans, windows = ([(where, begin, death if end > last else end) for where, begin, end in entries]
                              for entries in (spans, windows))
        self._add_up(spans, windows)

    def _add_up(self, spans, windows):
        changes = []
        for kind, entries in (("span", spans), ("window", windows)):
            for where, begin, end in entries:
                changes += [(begin, 1, kind, where), (end, -1, kind, where)]
        changes.sort()
        working, running = collections.Counter(), collections.Counter()
        for (now, step, kind, where), (later, *_) in zip(changes, changes[1:] + [(changes[-1][0],)], strict=True):
            (working if kind == "span" else running)[where] += step
            self._add_stretch(working, running, (later - now) / 1e9)

    def _add_stretch(self, working, running, seconds):
        level = sum(working.values())
        add(self.time_at, level, seconds)
        for where, count in running.items():
            add(self.elapsed_at[where], level, count * seconds)
        present = sorted(where for where, count in working.items() if count)
        for where in present:
            add(self.thread_time_at[where], level, working[where] * seconds)
            self.wall_share[where] += working[where] * seconds / level
            self.active[where] += seconds
        for i, one in enumerate(present):
            for other in present[i + 1:]:
                self.overlap[one, other] += seconds
