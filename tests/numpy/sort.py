#!/usr/bin/env python3
"""Runs `wavelane run sort` and `argsort` on NumPy files and compares each result with numpy's stable sort, bit for bit, on every Vulkan driver of this machine
and every path. `--driver NAME` takes one, `--every N` one array in N."""

import itertools
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import drivers

TYPES = ["bool", "uint8", "uint16", "int8", "int16", "uint32", "int32", "float32", "float16", "uint64", "int64", "float64"]
PATTERNS = ["random", "few", "sorted", "falling"]
SHAPES = [(0,), (1,), (255,), (257,), (10_007,), (3, 0), (700, 3), (5, 2049), (3, 7, 257), (40_003, 2)]
VALUES = ["uint8", "float16", "uint32", "float32", "int64"]


def elements(random, dtype, pattern, shape):
    """Bits of every kind; or few values, among floats NaN of both signs, infinities and zeros of both signs."""
    size = int(np.prod(shape))
    if dtype == "bool":
        return random.integers(0, 2, shape).astype(bool)
    bits = np.frombuffer(random.bytes(size * np.dtype(dtype).itemsize), dtype).copy()
    if pattern == "few":
        values = np.array([0, 1, 2, 3, 7, 100], dtype) if dtype.startswith("u") else np.array([0, 1, -1, -7, 3, 100], dtype)
        if dtype.startswith("f"):
            values = np.array([0.0, -0.0, 1.5, -2.25, np.inf, -np.inf, np.nan, -np.nan, 0.1], dtype)
        bits = values[random.integers(0, len(values), size)]
    elif pattern != "random":
        bits = np.sort(bits)[:: 1 if pattern == "sorted" else -1]
    return bits.reshape(shape)


def ordered(a):
    """The unsigned number that has an element's place in the order."""
    size = a.dtype.itemsize
    raw = a.view(f"u{size}")
    if a.dtype.kind in "ub":
        return raw
    sign = raw.dtype.type(1 << (8 * size - 1))
    if a.dtype.kind == "i":
        return raw ^ sign
    raw = np.where(a == 0, raw.dtype.type(0), raw)
    return np.where(np.isnan(a), ~raw.dtype.type(0), np.where(raw & sign, ~raw, raw | sign))


class Command:
    def __init__(self, binary, path, driver, folder):
        self.binary, self.path, self.driver, self.folder, self.checks = binary, path, driver, folder, 0

    def save(self, name, array):
        np.save(self.folder / name, array)
        return self.folder / name

    def run(self, *arguments):
        command = [self.binary, "--path", self.path, "run", *map(str, arguments)]
        done = subprocess.run(command, env={**os.environ, **self.driver.environment}, capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            sys.exit(f"{self.driver.name} {self.path} {arguments}: {done.stderr}")

    def same(self, what, name, want):
        got = np.load(self.folder / name)
        bits = f"V{want.dtype.itemsize}"
        if got.dtype != want.dtype or got.shape != want.shape or not (np.ascontiguousarray(got).view(bits) == np.ascontiguousarray(want).view(bits)).all():
            sys.exit(f"{self.driver.name} {self.path} {what}: {got.dtype} {got.shape} {got}, and numpy has {want.dtype} {want.shape} {want}")
        self.checks += 1


def take(a, positions, axis):
    return a.ravel()[positions] if axis is None else np.take_along_axis(a, positions, axis)


def compare(command, dtype, pattern, shape, random):
    a = elements(random, dtype, pattern, shape)
    path = command.save("a.npy", a)
    keys, out = ordered(a), command.folder / "out.npy"
    axes = [*range(-1, len(shape) - 1), None] if len(shape) > 1 else [None if random.integers(2) else 0]
    for axis in axes:
        label = f"{pattern} {shape} {dtype} along {axis}"
        # The last axis is the one that is sorted along if nothing else is said.
        along = [] if axis == -1 else ["--axis", "none" if axis is None else axis]
        # numpy says where NaN and zeros come; the keys are only for what it has no word for.
        rising = np.argsort(a, axis=axis, kind="stable")
        assert (rising == np.argsort(keys, axis=axis, kind="stable")).all()
        falling = np.argsort(~keys, axis=axis, kind="stable")
        for order, options in [(rising, []), (falling, ["--descending"])]:
            command.run("argsort", path, *along, *options, "-o", out)
            command.same(f"argsort {options} {label}", "out.npy", order)
            values = (np.arange(a.size) % 65_000).astype(VALUES[random.integers(len(VALUES))]).reshape(shape)
            moved = ["--values", command.save("v.npy", values), "--out-values", command.folder / "w.npy"]
            command.run("sort", path, *along, *options, *moved, "-o", out)
            command.same(f"sort {options} {label}", "out.npy", take(a, order, axis))
            command.same(f"{values.dtype} values {options} {label}", "w.npy", take(values, order, axis))
        command.run("sort", path, *along, "-o", out)
        command.same(f"keys alone {label}", "out.npy", take(a, rising, axis))
        begin, end = sorted(random.integers(0, 8 * a.dtype.itemsize + 1, 2))
        part = (keys.astype(np.uint64) >> np.uint64(begin)) & np.uint64((1 << int(end - begin)) - 1) if begin < 64 else np.zeros(shape, np.uint64)
        command.run("argsort", path, *along, "--bits", begin, end, "-o", out)
        command.same(f"argsort by bits {begin} to {end} {label}", "out.npy", np.argsort(part, axis=axis, kind="stable"))
    segments(command, a.ravel(), keys.ravel(), random, f"{pattern} {a.size} {dtype}")


def segments(command, a, keys, random, label):
    """Segments of any lengths, each by itself; what is outside of all of them stays."""
    bounds = np.sort(random.integers(0, a.size + 1, random.integers(1, 40)))
    order = np.arange(a.size)
    within = np.arange(a.size)
    within[bounds[-1] :] -= bounds[-1]
    for begin, end in zip(bounds, bounds[1:]):
        places = np.argsort(keys[begin:end], kind="stable")
        within[begin:end] = places
        order[begin:end] = begin + places
    path, offsets, out = command.save("a.npy", a), command.save("o.npy", bounds), command.folder / "out.npy"
    values = np.arange(a.size, dtype="u4")
    moved = ["--values", command.save("v.npy", values), "--out-values", command.folder / "w.npy"]
    command.run("sort", path, "--offsets", offsets, *moved, "-o", out)
    command.same(f"sort in {len(bounds) - 1} segments of {label}", "out.npy", a[order])
    command.same(f"values in segments of {label}", "w.npy", values[order])
    command.run("argsort", path, "--offsets", offsets, "-o", out)
    command.same(f"argsort in segments of {label}", "out.npy", within)


def main():
    options, chosen = drivers.from_command_line(__doc__)
    random = np.random.default_rng(11)
    checks = 0
    with tempfile.TemporaryDirectory() as folder:
        cases = itertools.product(TYPES, PATTERNS, SHAPES, drivers.PATHS, chosen)
        for index, (dtype, pattern, shape, path, driver) in enumerate(cases):
            if index % options.every == 0 and driver.has_path(path):
                command = Command(options.binary, path, driver, pathlib.Path(folder))
                compare(command, dtype, pattern, shape, random)
                checks += command.checks
    print(f"sorts against numpy: {checks} results equal")


if __name__ == "__main__":
    main()
