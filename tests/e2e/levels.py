# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The identities of exact concurrency and of counters: what must hold in every profile's JSON, whatever the program did.

Also a script: levels.py FILE.json... says what does not hold.
"""
import json
import sys

EXACT = 1e-9  # ticks add up exactly; what is left is the rounding of seconds to JSON's numbers


class Checker:
    """Collects what does not hold; `scale` is the largest time of the profile."""

    def __init__(self, loaded):
        self.loaded = loaded
        self.program = loaded["program"]
        self.profiles = loaded["profiles"]
        self.time_at = self.program["time_at_k_s"]
        self.scale = max(self.program["elapsed_s"], self.program["busy_s"])
        self.failures = []
        self.children = {}
        for entry in self.profiles:
            self.children.setdefault(entry["parent"], []).append(entry)

    def equal(self, one, other, what):
        if not abs(one - other) <= EXACT * self.scale:
            self.failures.append(f"{what}: {one!r}, {other!r}")

    def at_most(self, one, other, what):
        if not one <= other + EXACT * self.scale:
            self.failures.append(f"{what}: {one!r} is more than {other!r}")

    def check(self):
        self.check_counters()
        self.check_unresolved()
        if self.time_at is None:
            return ["the profile has no levels"] + self.failures
        self.check_program()
        self.check_sums_of_profiles()
        for entry in self.profiles:
            self.check_profile(entry)
        self.check_tree()
        self.check_overlaps()
        self.check_timeline()
        return self.failures

    def check_program(self):
        program, time_at = self.program, self.time_at
        self.equal(sum(time_at), program["elapsed_s"] - program["unmeasured_s"], "time at k adds up to elapsed")
        self.equal(sum(k * time for k, time in enumerate(time_at)), program["busy_s"], "k * time at k adds up to busy")
        self.equal(sum(time_at[:2]), program["serial_s"], "serial is level 0 and 1")
        self.at_most(0, min(time_at), "no negative time")
        if len(time_at) - 1 > len(self.loaded["threads"]):
            self.failures.append("more threads busy than there are")

    def check_sums_of_profiles(self):
        for k, time in enumerate(self.time_at):
            total = sum(at(entry["thread_time_at_k_s"], k) for entry in self.profiles)
            self.equal(total, k * time, f"thread-time at {k} of all profiles")
        if any(len(entry["thread_time_at_k_s"] or []) > len(self.time_at) for entry in self.profiles):
            self.failures.append("a profile has a level that the program never had")
        shares = sum(entry["wall_share_s"] or 0 for entry in self.profiles)
        self.equal(shares + at(self.time_at, 0), self.program["elapsed_s"] - self.program["unmeasured_s"], "wall shares add up to elapsed")

    def check_profile(self, entry):
        name = f"profile {entry['id']}"
        if known_from_stack(entry):
            if entry["thread_time_at_k_s"] is not None or entry["visits"] is not None:
                self.failures.append(f"{name}: numbers of a routine that was not measured")
        else:
            self.check_own(entry, name)
        inclusive = entry["thread_time_at_k_inclusive_s"]
        self.equal(sum(inclusive), entry["busy_inclusive_s"], f"{name}: inclusive thread-time adds up to busy")
        self.equal(share(inclusive), entry["wall_share_inclusive_s"], f"{name}: inclusive wall share")
        elapsed_at = entry["elapsed_at_k_s"]
        region = entry["kind"] in ("program", "parallel", "teams") and entry["visits"] > 0  # 0: only the begin of a path
        region = region and entry["elapsed_s"] is not None  # else the runtime's own
        if (elapsed_at is not None) != region:
            self.failures.append(f"{name}: {entry['kind']} with elapsed at k {elapsed_at}")
        if elapsed_at is not None:
            self.equal(sum(elapsed_at), entry["elapsed_s"] or 0, f"{name}: elapsed at k adds up to elapsed")
            self.at_most(0, min(elapsed_at, default=0), f"{name}: no negative time")
        if entry.get("history"):
            self.check_history(entry["history"], elapsed_at, f"{name}: history")

    def check_history(self, history, elapsed_at, name):
        """All that is known of it adds up to the region's time at each level; where something is not known, to no more."""
        compare = self.at_most if None in history["elapsed_s"] else self.equal
        compare(sum(seconds or 0 for seconds in history["elapsed_s"]), sum(elapsed_at), f"{name}, elapsed")
        compare(sum(seconds or 0 for seconds in history["busy_s"]), sum(k * seconds for k, seconds in enumerate(elapsed_at)),
                f"{name}, busy")
        self.at_most(0, min((seconds or 0 for seconds in history["elapsed_s"]), default=0), f"{name}, no negative time")

    def check_own(self, entry, name):
        own = entry["thread_time_at_k_s"]
        self.equal(sum(own), entry["busy_s"], f"{name}: thread-time at k adds up to busy")
        self.equal(at(own, 0), 0, f"{name}: thread-time at 0")
        self.equal(share(own), entry["wall_share_s"], f"{name}: wall share")
        self.at_most(0, min(own, default=0), f"{name}: no negative time")
        self.at_most(entry["wall_share_s"], entry["active_s"], f"{name}: wall share, active")
        self.at_most(entry["active_s"], entry["busy_s"], f"{name}: active, busy")

    def check_tree(self):
        """Inclusive is exclusive and what is inclusive in the children, level by level."""
        for entry in self.profiles:
            for k in range(len(self.time_at)):
                below = sum(at(child["thread_time_at_k_inclusive_s"], k) for child in self.children.get(entry["id"], []))
                self.equal(at(entry["thread_time_at_k_s"], k) + below, at(entry["thread_time_at_k_inclusive_s"], k),
                           f"profile {entry['id']}: inclusive thread-time at {k}")

    def check_overlaps(self):
        by_id = {entry["id"]: entry for entry in self.profiles}
        paired = dict.fromkeys(by_id, 0.0)
        for overlap in self.loaded["overlaps"]:
            for one in (overlap["a"], overlap["b"]):
                self.at_most(overlap["elapsed_s"], by_id[one]["active_s"], f"overlap {overlap}, active of {one}")
                paired[one] += overlap["elapsed_s"]
        pairs = [(overlap["a"], overlap["b"]) for overlap in self.loaded["overlaps"]]
        if any(a >= b for a, b in pairs) or len(set(pairs)) < len(pairs):
            self.failures.append(f"pairs of overlaps: {pairs}")
        if len(self.time_at) <= 3:
            self.check_pairs_of_two(paired)

    def check_pairs_of_two(self, paired):
        """With two threads a profile's active time is that alone, that in which both are in it, and its overlaps."""
        for entry in self.profiles:
            if known_from_stack(entry):
                continue
            alone, at_two = at(entry["thread_time_at_k_s"], 1), at(entry["thread_time_at_k_s"], 2)
            together = 2 * (entry["active_s"] - alone) - at_two
            name = f"profile {entry['id']}: overlaps, active with others"
            self.at_most(paired[entry["id"]] + entry["unpaired_s"], together, name)
            if not any("overlap" in note for note in self.loaded["run"]["notes"]):  # none was given up
                self.at_most(together, paired[entry["id"]] + entry["unpaired_s"], name)

    def check_unresolved(self):
        """It adds up over profiles, their threads and the program's, and is part of busy time and of waits for regions' ends."""
        whole = self.program["unresolved_s"]
        self.equal(sum(entry["unresolved_s"] or 0 for entry in self.profiles), whole, "unresolved time of all profiles")
        self.equal(sum(entry["unresolved_s"] for entry in self.loaded["threads"]), whole, "unresolved time of all threads")
        self.equal(self.profiles[0]["unresolved_inclusive_s"], whole, "unresolved time of the program and below")
        for entry in self.profiles:
            if known_from_stack(entry):
                continue
            name = f"profile {entry['id']}: unresolved"
            self.equal(sum(row["unresolved_s"] for row in entry["threads"]), entry["unresolved_s"], name)
            self.at_most(0, entry["unresolved_s"], name)
            self.at_most(entry["unresolved_s"], entry["busy_s"] + entry["wait_s"].get("barrier_implicit", 0), name)

    def check_timeline(self):
        """It begins when the tool was loaded; before that one thread was busy."""
        timeline = self.loaded["timeline"]
        if timeline is None and self.loaded["run"]["notes"][:1] and "sum of " in self.loaded["run"]["notes"][0]:
            return  # several runs have no course in common
        before = timeline["begin_s"]
        self.equal(sum(timeline["none_s"]), at(self.time_at, 0), "timeline: none")
        self.equal(sum(timeline["sequential_s"]) + before, at(self.time_at, 1), "timeline: sequential")
        self.equal(sum(timeline["busy_s"]) + before, self.program["busy_s"], "timeline: busy")

    # ---- counters ----

    def check_counters(self):
        """What is known adds up over threads and the tree; what is known in part only is never given as the whole."""
        counters = self.loaded["run"].get("counters")
        if counters is None:
            if any(entry["counters"] is not None for entry in self.profiles + [self.program] + self.loaded["threads"]):
                self.failures.append("counts, though nothing was counted")
            return
        events = [event["name"] for event in counters["events"]]
        for entry in self.profiles + [self.program] + self.loaded["threads"]:
            self.check_shape(entry, events)
        for event in events:
            for key in CLASSES:
                for entry in self.profiles:
                    self.check_sum(entry, entry["threads"], key, event)
                self.check_sum(self.program, self.loaded["threads"], key, event)
                self.check_sum(self.program, self.profiles, key, event)
            self.check_inclusive(event)

    def check_shape(self, entry, events):
        for key in CLASSES + (("counters_inclusive",) if "counters_inclusive" in entry else ()):
            values, parts, fractions = entry[key], entry.get(key + "_partial", {}), entry.get(key + "_fraction", {})
            if list(values) != events or any(value is not None and value < 0 for value in values.values()):
                self.failures.append(f"{key} of {entry.get('id')}: {values}")
            if any(values[event] is not None or part["counted"] < 0 for event, part in parts.items()):
                self.failures.append(f"{key} of {entry.get('id')}: the whole of {parts}")
            if any(not 0 < fraction < 1 for fraction in fractions.values()):
                self.failures.append(f"{key} of {entry.get('id')}: fractions {fractions}")

    def check_sum(self, whole, parts, key, event):
        """Nothing is known of profiles that are not told apart: they have no part in the sum."""
        known = [part[key][event] for part in parts if part[key][event] is not None]
        total = whole[key][event]
        if total is None or any(event in part.get(key + "_partial", {}) for part in parts):
            return
        estimated = any(event in entry.get(key + "_fraction", {}) for entry in [whole, *parts])
        if not estimated and sum(known) != total:
            self.failures.append(f"{event}, {key} of {whole.get('id', 'the program')}: {total}, parts {known}")
        if estimated and len(known) == len(parts) and abs(sum(known) - total) > len(parts) + EXACT * total:
            self.failures.append(f"{event}, {key} of {whole.get('id', 'the program')}: about {total}, parts {known}")

    def check_inclusive(self, event):
        counted, doubted = {}, set()
        for entry in reversed(self.profiles):  # children have larger ids
            below = [child["id"] for child in self.children.get(entry["id"], [])]
            counted[entry["id"]] = (entry["counters"][event] or 0) + sum(counted[child] for child in below)
            if any(event in entry.get("counters" + suffix, {}) for suffix in ("_partial", "_fraction")):
                doubted.add(entry["id"])
            if any(child in doubted for child in below):
                doubted.add(entry["id"])
            inclusive = entry["counters_inclusive"][event]
            if inclusive is not None and entry["id"] not in doubted and inclusive != counted[entry["id"]]:
                self.failures.append(f"{event} of {entry['id']} and below: {inclusive}, {counted[entry['id']]}")
        if self.program["counters_inclusive"][event] != self.program["counters"][event]:
            self.failures.append(f"{event} of the program: with all below it is another number")


CLASSES = ("counters", "counters_waiting", "counters_runtime")


def known_from_stack(entry):
    """A routine that called what is below it, as the stack told: nothing is its own."""
    return entry["kind"] == "routine" and not entry["measured"]


def at(levels, k):
    return levels[k] if levels is not None and k < len(levels) else 0.0


def share(levels):
    return sum(time / k for k, time in enumerate(levels) if k)


def broken_identities(loaded):
    """What does not hold in a profile's JSON; empty: all is well."""
    return Checker(loaded).check()


def main():
    failed = 0
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            failures = broken_identities(json.load(file))
        for failure in failures:
            print(f"{path}: {failure}")
        failed += bool(failures)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
