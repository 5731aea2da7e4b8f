#!/usr/bin/env python3
"""Runs `wavelane run topk` on NumPy files and compares each result with the beginning of numpy's stable sort, bit for bit, on every Vulkan driver of this machine
and every path. `--driver NAME` takes one, `--every N` one array in N."""

import itertools
import pathlib
import tempfile

import numpy as np

import drivers
from sort import PATTERNS, TYPES, Command, elements, ordered, take

SHAPES = [((0,), [0]), ((1,), [1]), ((255,), [1, 254]), ((10_007,), [1, 100]), ((150_001,), [3]), ((3, 0), [0]), ((700, 3), [2, 3]), ((5, 2049), [7]), ((3, 7, 257), [20]), ((300, 77), [1, 5])]


def compare(command, dtype, pattern, shape, counts, random):
    a = elements(random, dtype, pattern, shape)
    path = command.save("a.npy", a)
    keys, out, indices = ordered(a), command.folder / "out.npy", command.folder / "i.npy"
    for axis, k in itertools.product([-1, None], counts):
        # numpy says where NaN and zeros come; the keys are only for what it has no word for.
        rising = np.argsort(a, axis=axis, kind="stable")
        assert (rising == np.argsort(keys, axis=axis, kind="stable")).all()
        falling = np.argsort(~keys, axis=axis, kind="stable")
        along = ["--axis", "none"] if axis is None else []
        for order, options in [(rising, ["--smallest"]), (falling, [])]:
            label = f"{k} {options} {pattern} {shape} {dtype} along {axis}"
            first = order[..., :k]
            command.run("topk", path, "--k", k, *along, *options, "-o", out, "--out-indices", indices)
            command.same(f"topk {label}", "out.npy", take(a, first, axis))
            command.same(f"indices of topk {label}", "i.npy", first)
            command.run("topk", path, "--k", k, *along, *options, "-o", out)
            command.same(f"topk without indices {label}", "out.npy", take(a, first, axis))


def main():
    options, chosen = drivers.from_command_line(__doc__)
    random = np.random.default_rng(12)
    checks = 0
    with tempfile.TemporaryDirectory() as folder:
        cases = itertools.product(TYPES, PATTERNS, SHAPES, drivers.PATHS, chosen)
        for index, (dtype, pattern, (shape, counts), path, driver) in enumerate(cases):
            if index % options.every == 0 and driver.has_path(path):
                command = Command(options.binary, path, driver, pathlib.Path(folder))
                compare(command, dtype, pattern, shape, counts, random)
                checks += command.checks
    print(f"topk against numpy: {checks} results equal")


if __name__ == "__main__":
    main()
