#!/usr/bin/env python3
"""Runs `wavelane run searchsorted`, `merge`, `union1d`, `intersect1d`, `setdiff1d` and `setxor1d` on NumPy files and compares each result with numpy's, bit for bit, on every Vulkan driver of this machine.
`--driver NAME` takes one, `--every N` one pair of arrays in N."""

import itertools
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import drivers

TYPES = ["bool", "uint8", "uint16", "int8", "int16", "uint32", "int32", "float32", "float16", "uint64", "int64", "float64"]
PATTERNS = ["random", "few"]
VALUES = ["uint8", "uint16", "uint32", "float32", "int64"]
SIZES = [(0, 0), (0, 5), (7, 0), (1, 1), (3, 2), (255, 257), (2049, 100), (5, 3001), (10_007, 9001)]


def elements(random, dtype, pattern, size):
    """Bits of every kind; or few values, among floats NaN of both signs, infinities and zeros of both signs."""
    if dtype == "bool":
        return random.integers(0, 2, size).astype(bool)
    if pattern == "random":
        return np.frombuffer(random.bytes(size * np.dtype(dtype).itemsize), dtype).copy()
    values = np.array([0, 1, 2, 3, 7, 100, 13, 19], dtype) if dtype.startswith("u") else np.array([0, 1, -1, -7, 3, 100, 13, -19], dtype)
    if dtype.startswith("f"):
        values = np.array([0.0, -0.0, 1.5, -2.25, np.inf, -np.inf, np.nan, -np.nan, 0.1, 7], dtype)
    # Not all of them, so that arrays have some in common and some alone.
    values = random.permutation(values)[: len(values) * 2 // 3]
    return values[random.integers(0, len(values), size)]


class Command:
    def __init__(self, binary, driver, folder):
        self.binary, self.driver, self.folder, self.checks = binary, driver, folder, 0

    def save(self, name, array):
        np.save(self.folder / name, array)
        return self.folder / name

    def run(self, *arguments):
        command = [self.binary, "run", *map(str, arguments)]
        done = subprocess.run(command, env={**os.environ, **self.driver.environment}, capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            sys.exit(f"{self.driver.name} {arguments}: {done.stderr}")

    def same(self, what, name, want):
        """The bits of numpy's result, but for what is equal and numpy does not say which of: zeros of either sign and NaN."""
        got = np.load(self.folder / name)
        if got.dtype != want.dtype or got.shape != want.shape or not np.array_equal(got, want, equal_nan=want.dtype.kind == "f"):
            sys.exit(f"{self.driver.name} {what}: {got.dtype} {got.shape} {got}, and numpy has {want.dtype} {want.shape} {want}")
        self.checks += 1


def searches(command, label, a, b):
    array, values = command.save("a.npy", np.sort(a, kind="stable")), command.save("v.npy", b.reshape(1, -1))
    for side in ["left", "right"]:
        command.run("searchsorted", array, values, "--side", side, "-o", command.folder / "out.npy")
        command.same(f"searchsorted {side} {label}", "out.npy", np.sort(a, kind="stable").searchsorted(b.reshape(1, -1), side))


def merges(command, label, random, a, b):
    """Values show which of equal elements they belong to."""
    for descending in [False, True]:
        a, b = (np.sort(x, kind="stable")[:: -1 if descending else 1] for x in (a, b))
        both = np.concatenate([a, b])
        # Bits whose order is that of the elements, turned around for the largest first.
        ranks = np.unique(both, return_inverse=True)[1].reshape(-1)
        order = np.argsort(-ranks if descending else ranks, kind="stable")
        values = np.arange(len(both)).astype(VALUES[random.integers(len(VALUES))])
        files = [command.save("a.npy", a), command.save("b.npy", b)]
        moved = ["--values", command.save("va.npy", values[: len(a)]), "--second-values", command.save("vb.npy", values[len(a) :])]
        options = ["--descending"] if descending else []
        command.run("merge", *files, *options, *moved, "--out-values", command.folder / "w.npy", "-o", command.folder / "out.npy")
        command.same(f"merge {options} {label}", "out.npy", both[order])
        command.same(f"values of merge {options} {label}", "w.npy", values[order])


def sets(command, label, random, a, b):
    """Of elements in any order and shape; and sorted ones, taken as such."""
    shape = (-1, 1) if random.integers(2) else -1
    files = [command.save("a.npy", a.reshape(shape)), command.save("b.npy", b)]
    ordered = [command.save("sorted-a.npy", np.sort(a)), command.save("sorted-b.npy", np.sort(b))]
    for name in ["union1d", "intersect1d", "setdiff1d", "setxor1d"]:
        for given, options in [(files, []), (ordered, ["--assume-sorted"])]:
            command.run(name, *given, *options, "-o", command.folder / "out.npy")
            command.same(f"{name} {options} {label}", "out.npy", getattr(np, name)(a, b))


def main():
    options, chosen = drivers.from_command_line(__doc__)
    random = np.random.default_rng(12)
    checks = 0
    with tempfile.TemporaryDirectory() as folder:
        for index, (dtype, pattern, (m, n), driver) in enumerate(itertools.product(TYPES, PATTERNS, SIZES, chosen)):
            if index % options.every:
                continue
            command = Command(options.binary, driver, pathlib.Path(folder))
            label = f"{pattern} {m} and {n} {dtype}"
            a, b = elements(random, dtype, pattern, m), elements(random, dtype, pattern, n)
            searches(command, label, a, b)
            merges(command, label, random, a, b)
            sets(command, label, random, a, b)
            checks += command.checks
    print(f"kernels on sorted arrays against numpy: {checks} results equal")


if __name__ == "__main__":
    main()
