# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Medians with bootstrap intervals (95 %)."""
import random
import statistics

RESAMPLES = 400


def resamples(groups):
    """Lists of indices (group, number), drawn with replacement: first groups (processes have a luck of their own: where
    their memory lies), then what was measured in them. With one group, only the latter."""
    draw = random.Random(1).choices
    for _ in range(RESAMPLES):
        yield [(group, number) for group in draw(range(len(groups)), k=len(groups))
               for number in draw(range(groups[group]), k=groups[group])]


def interval(values):
    """Ends of the middle 95 %."""
    ordered = sorted(values)
    skip = len(ordered) // 40
    return ordered[skip], ordered[-1 - skip]


def estimate(samples, statistic):
    """samples: {name: [[value, ...] for each group]}, all of the same shape; statistic: {name: [values]} -> number.
    -> (its value, low, high)."""
    shape = [len(group) for group in next(iter(samples.values()))]
    flat = {name: [value for group in groups for value in group] for name, groups in samples.items()}
    drawn = [statistic({name: [groups[g][n] for g, n in indices] for name, groups in samples.items()})
             for indices in resamples(shape)]
    return (statistic(flat), *interval(drawn))


def added(samples, name, base):
    """Median of paired differences."""
    return statistics.median(a - b for a, b in zip(samples[name], samples[base]))
