#!/usr/bin/env python3
"""Runs `wavelane run select`, `nonzero`, `partition`, `unique` and `rle` on NumPy files and compares each result with numpy's, on every Vulkan driver of
this machine and every path. `--driver NAME` takes one, `--every N` one array in N."""

import itertools
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import drivers

TYPES = ["bool", "uint8", "uint16", "int8", "int16", "uint32", "int32", "float32", "float16", "uint64", "int64", "float64"]
SIZES = [0, 1, 255, 257, 10007]
SHAPES = [(3, 0), (0, 3), (1, 1), (700, 3), (5, 2049), (2, 3, 257), (4000, 1)]
COMPARISONS = {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "eq": np.equal, "ne": np.not_equal}


def elements(random, dtype, size):
    """Few values, so that there are equal ones, in runs; among floats NaN, infinities and zeros of both signs."""
    if dtype == "bool":
        return random.integers(0, 2, size).astype(bool)
    values = np.array([0, 1, 2, 3, 7, 100], dtype) if dtype.startswith("u") else np.array([0, 1, -1, -7, 3, 100], dtype)
    if dtype.startswith("f"):
        values = np.array([0.0, -0.0, 1.5, -2.25, np.inf, -np.inf, np.nan, 0.1], dtype)
    return np.repeat(values[random.integers(0, len(values), size)], random.integers(1, 4, size))[:size]


class Command:
    def __init__(self, binary, path, driver, folder):
        self.binary, self.path, self.driver, self.folder, self.checks = binary, path, driver, folder, 0

    def file(self, name):
        return str(self.folder / name)

    def save(self, name, array):
        np.save(self.file(name), array)
        return self.file(name)

    def run(self, *arguments):
        command = [self.binary, "--path", self.path, "run", *map(str, arguments)]
        done = subprocess.run(command, env={**os.environ, **self.driver.environment}, capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            sys.exit(f"{self.driver.name} {self.path} {arguments}: {done.stderr}")
        return done.stdout

    def same(self, what, name, want):
        got = np.load(self.file(name))
        bits = f"V{want.dtype.itemsize}"
        if got.dtype != want.dtype or got.shape != want.shape or not (np.ascontiguousarray(got).view(bits) == np.ascontiguousarray(want).view(bits)).all():
            sys.exit(f"{self.driver.name} {self.path} {what}: {got.dtype} {got.shape} {got}, and numpy has {want.dtype} {want.shape} {want}")
        self.checks += 1


def compare(command, dtype, size, random):
    a = elements(random, dtype, size)
    label = f"{size} {dtype}"
    path = command.save("a.npy", a)
    value = "1" if dtype.startswith(("b", "u", "i")) else "1.5"
    for name, function in COMPARISONS.items():
        mask = function(a, np.array(value).astype(dtype) if dtype != "bool" else True)
        command.run("select", path, "--where", name, value, "-o", command.file("out.npy"))
        command.same(f"select {name} {label}", "out.npy", np.compress(mask, a))
    mask = random.integers(0, 2, size).astype(bool)
    masks = command.save("m.npy", mask)
    command.run("select", path, "--mask", masks, "-o", command.file("out.npy"))
    command.same(f"select by mask {label}", "out.npy", a[mask])
    said = command.run("partition", path, "--mask", masks, "-o", command.file("out.npy"))
    command.same(f"partition {label}", "out.npy", np.concatenate([a[mask], a[~mask]]))
    if said != f"{mask.sum()}\n":
        sys.exit(f"partition {label}: said {said}")
    command.run("nonzero", path, "-o", command.file("out.npy"))
    command.same(f"nonzero {label}", "out.npy", np.flatnonzero(a))
    # numpy's own choice among zeros of both signs depends on its sort; the first position is what it documents.
    values, index, inverse, counts = np.unique(a, return_index=True, return_inverse=True, return_counts=True)
    files = [command.file(name) for name in ("out.npy", "f.npy", "i.npy", "c.npy")]
    command.run("unique", path, "-o", files[0], "--index", files[1], "--inverse", files[2], "--counts", files[3])
    found = zip(("values", "index", "inverse", "counts"), ("out.npy", "f.npy", "i.npy", "c.npy"), (a[index], index, inverse.reshape(a.shape), counts))
    for what, name, want in found:
        command.same(f"{what} of unique {label}", name, want)
    heads = np.ones(size, bool)
    bits = a.view(f"V{a.dtype.itemsize}")
    heads[1:] = bits[1:] != bits[:-1]
    begins = np.flatnonzero(heads)
    lengths = np.diff(np.append(begins, size)).astype(np.int64)
    command.run("rle", path, "-o", files[0], "--out-lengths", command.file("l.npy"))
    command.same(f"rle {label}", "out.npy", a[heads])
    command.same(f"rle lengths {label}", "l.npy", lengths)
    command.run("rle", "--decode", files[0], "--lengths", command.file("l.npy"), "-o", command.file("back.npy"))
    command.same(f"rle back {label}", "back.npy", a)
    command.run("unique", path, "--runs", "-o", files[0], "--index", files[1])
    command.same(f"runs {label}", "out.npy", a[heads])
    command.same(f"index of runs {label}", "f.npy", begins)


def batch(shape, results):
    """Results of each row, back to back, and where those of each begin."""
    offsets = np.append(0, np.cumsum([len(row) for row in results])).astype(np.int64)
    return np.concatenate([shape.ravel()[:0], *results]), offsets


def heads(row):
    bits = row.view(f"V{row.dtype.itemsize}")
    begins = np.ones(row.size, bool)
    begins[1:] = bits[1:] != bits[:-1]
    return begins


def compare_rows(command, dtype, shape, random):
    a = elements(random, dtype, int(np.prod(shape))).reshape(shape)
    label = f"{shape} {dtype}"
    mask = random.integers(0, 2, shape).astype(bool)
    path, masks = command.save("a.npy", a), command.save("m.npy", mask)
    rows = list(zip(a.reshape(-1, shape[-1]), mask.reshape(-1, shape[-1]))) if a.size else [(a.ravel(), mask.ravel())] * int(np.prod(shape[:-1]))
    in_rows = ["--rows", "--out-offsets", command.file("o.npy"), "-o", command.file("out.npy")]
    selected, offsets = batch(a, [row[chosen] for row, chosen in rows])
    command.run("select", path, "--mask", masks, *in_rows)
    command.same(f"select in rows of {label}", "out.npy", selected)
    command.same(f"offsets of select in rows of {label}", "o.npy", offsets)
    command.run("partition", path, "--mask", masks, *in_rows)
    parted = np.concatenate([a.ravel()[:0], *(part for row, chosen in rows for part in (row[chosen], row[~chosen]))]).reshape(shape)
    command.same(f"partition in rows of {label}", "out.npy", parted)
    command.same(f"offsets of partition in rows of {label}", "o.npy", offsets)
    values, offsets = batch(a, [row[heads(row)] for row, _ in rows])
    lengths = [np.diff(np.append(np.flatnonzero(heads(row)), row.size)) for row, _ in rows]
    command.run("rle", path, *in_rows, "--out-lengths", command.file("l.npy"))
    command.same(f"rle in rows of {label}", "out.npy", values)
    command.same(f"offsets of rle in rows of {label}", "o.npy", offsets)
    command.same(f"lengths of rle in rows of {label}", "l.npy", np.concatenate([np.zeros(0, np.int64), *lengths]).astype(np.int64))


def main():
    options, chosen = drivers.from_command_line(__doc__)
    random = np.random.default_rng(7)
    checks = 0
    with tempfile.TemporaryDirectory() as folder:
        for index, (dtype, size, path, driver) in enumerate(itertools.product(TYPES, SIZES, drivers.PATHS, chosen)):
            if index % options.every == 0 and driver.has_path(path):
                command = Command(options.binary, path, driver, pathlib.Path(folder))
                compare(command, dtype, size, random)
                compare_rows(command, dtype, SHAPES[index % len(SHAPES)], random)
                checks += command.checks
    print(f"selections against numpy: {checks} results equal")


if __name__ == "__main__":
    main()
