#!/usr/bin/env python3
"""Runs `wavelane run nth`, `partition --k`, `median` and `quantile` on NumPy files and compares each result with numpy's, on every Vulkan driver of this machine and every path: equal, where NaN equals NaN
and zeros of either sign are equal. Of partitions the element at the place, what is before it and what is behind it are compared, each sorted, as numpy says no more of them, and the positions with where the
elements stood. `--driver NAME` takes one, `--every N` one array in N."""

import itertools
import pathlib
import sys
import tempfile
import warnings

import numpy as np

import drivers
from sort import PATTERNS, TYPES, Command, elements, take

SHAPES = [(1,), (2,), (255,), (10_007,), (150_001,), (700, 3), (5, 2049), (3, 7, 256), (300, 77)]
QUANTILES = [0.5, 0.0, 1.0, 0.3, 0.999, 0.25]


class Near(Command):
    def equal(self, what, want):
        got, want = np.load(self.folder / "out.npy"), np.asarray(want)
        if got.dtype != want.dtype or got.shape != want.shape or not np.array_equal(got, want, equal_nan=want.dtype.kind == "f"):
            sys.exit(f"{self.driver.name} {self.path} {what}: {got.dtype} {got.shape} {got}, and numpy has {want.dtype} {want.shape} {want}")
        self.checks += 1


def sides(a, k):
    """The parts of a partition around place k along the last axis, each in order."""
    k %= a.shape[-1]
    return np.concatenate([np.sort(a[..., :k]), a[..., k : k + 1], np.sort(a[..., k + 1 :])], axis=-1)


def partition(command, a, path, k, axis, label):
    """Any arrangement with the same parts is a partition, so the parts are compared, bit for bit but for which NaN and which zero stands first."""
    out, indices = command.folder / "out.npy", command.folder / "i.npy"
    command.run("partition", path, "--k", k, *(["--axis", "none"] if axis is None else []), "-o", out, "--out-indices", indices)
    got, at = np.load(out), np.load(indices)
    want = a.ravel() if axis is None else a
    if not np.array_equal(np.sort(at), np.broadcast_to(np.arange(want.shape[-1]), want.shape)):
        sys.exit(f"{command.driver.name} {command.path} positions of partition {k} {label}: {at}")
    command.same(f"elements of partition {k} {label}", "out.npy", take(a, at, axis))
    np.save(out, sides(got, k))
    command.equal(f"partition {k} {label}", sides(np.partition(a, k, axis=axis), k))


def quantile(a, q, axis):
    """numpy's, of a row in f64 even where a NaN makes it the elements' type; of signed integers whose difference has room, which numpy does not look for."""
    if a.dtype.kind == "i":
        a = a // 2
    return a, np.asarray(np.quantile(a, q, axis=axis), np.float64)


def compare(command, dtype, pattern, shape, random):
    a = elements(random, dtype, pattern, shape)
    path, out = command.save("a.npy", a), command.folder / "out.npy"
    for axis in [-1, None]:
        label = f"{pattern} {shape} {dtype} along {axis}"
        length = shape[-1] if axis == -1 else a.size
        for k in sorted({0, length // 2, int(random.integers(-length, length))}):
            command.run("nth", path, "--k", k, *(["--axis", "none"] if axis is None else []), "-o", out)
            command.equal(f"nth {k} {label}", np.take(np.partition(a, k, axis=axis), k, axis=axis))
            partition(command, a, path, k, axis, label)
        along = ["--axis", axis] if axis is not None else []
        command.run("median", path, *along, "-o", out)
        command.equal(f"median {label}", np.median(a, axis=axis))
        if dtype == "bool":
            continue
        for q in [QUANTILES, QUANTILES[3]]:
            b, want = quantile(a, q, axis)
            b = command.save("b.npy", b)
            command.run("quantile", b, "--q", ",".join(map(str, np.atleast_1d(q))), *along, "-o", out)
            command.equal(f"quantile {q} {label}", want)


def main():
    options, chosen = drivers.from_command_line(__doc__)
    warnings.simplefilter("ignore", RuntimeWarning)
    random = np.random.default_rng(13)
    checks = 0
    with tempfile.TemporaryDirectory() as folder:
        cases = itertools.product(TYPES, PATTERNS, SHAPES, drivers.PATHS, chosen)
        for index, (dtype, pattern, shape, path, driver) in enumerate(cases):
            if index % options.every == 0 and driver.has_path(path):
                command = Near(options.binary, path, driver, pathlib.Path(folder))
                compare(command, dtype, pattern, shape, random)
                checks += command.checks
    print(f"order statistics against numpy: {checks} results equal")


if __name__ == "__main__":
    main()
