#!/usr/bin/env python3
"""Runs `wavelane run segreduce`, `segscan` and `reducebykey` on NumPy files and compares each result with numpy's reduceat and accumulate, segment by
segment, on every Vulkan driver of this machine and every path. `--driver NAME` takes one, `--every N` one case in N."""

import itertools
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import drivers

TYPES = {"u8": np.uint8, "i16": np.int16, "u32": np.uint32, "i32": np.int32, "f32": np.float32, "f16": np.float16}
REDUCTIONS = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum, "xor": np.bitwise_xor}
# Lengths of segments: empty ones among them, one long, many short.
LENGTHS = {
    "mixed": [0, 1, 3, 0, 0, 257, 5000, 2, 0, 64],
    "short": [length % 5 for length in range(3000)],
    "long": [20_000, 1, 1, 1],
    "none": [],
}
# Roundings that a float result may show, and the unit of f32, in which f16 is computed, too.
ROUNDINGS, UNIT = 64, 2.0**-24


def data(dtype, op, count):
    rng = np.random.default_rng(count)
    if np.dtype(dtype).kind != "f":
        return rng.integers(0, 50, count).astype(dtype)
    return (1 + rng.normal(0, 0.0001, count) if op == "prod" else rng.normal(0, 1, count)).astype(dtype)


def identity(op, dtype):
    if np.dtype(dtype).kind == "f" and op in ("min", "max"):
        return np.nan
    limits = np.iinfo(dtype) if np.dtype(dtype).kind != "f" else None
    return {"sum": 0, "xor": 0, "prod": 1, "min": limits and limits.max, "max": limits and limits.min}[op]


def close(got, right, magnitude):
    """Equal; floats within a bound of what was added in all."""
    if got.shape != right.shape:
        return False
    with np.errstate(all="ignore"):
        same = got == right.astype(got.dtype)
        if got.dtype.kind == "f":
            bound = ROUNDINGS * UNIT * magnitude + (2.0**-11 * np.abs(right) + 2.0**-25 if got.dtype == np.float16 else 1e-37)
            same |= (np.isnan(got) & np.isnan(right)) | (np.abs(got.astype(np.float64) - right) <= bound)
    return bool(np.all(same))


class Runner:
    def __init__(self, binary, folder):
        self.binary, self.folder = binary, pathlib.Path(folder)

    def run(self, driver, path, kernel, *arguments):
        """Runs the command on arrays, which become files; `OUT` stands for the file of a result. Gives the results."""
        texts, results = [], []
        for number, argument in enumerate(arguments):
            file = self.folder / f"{number}.npy"
            if isinstance(argument, np.ndarray):
                np.save(file, argument)
            if argument == "OUT" if isinstance(argument, str) else False:
                results.append(file)
            texts.append(str(file) if isinstance(argument, np.ndarray) or file in results else argument)
        command = [self.binary, "run", kernel, *texts, "--path", path]
        done = subprocess.run(command, env={**os.environ, **driver.environment}, capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            sys.exit(f"{driver.name} {' '.join(command)}: {done.stderr}")
        return [np.load(file) for file in results]


def result_type(op, dtype):
    """Sums and products of small integers come in 32 bits."""
    return np.dtype(f"{dtype.kind}4") if dtype.kind in "ui" and dtype.itemsize < 4 and op in ("sum", "prod") else dtype


def check(runner, driver, path, op, dtype, lengths):
    lengths = np.array(lengths, np.int64)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint32)
    a = data(dtype, op, int(offsets[-1]))
    kind = result_type(op, a.dtype)
    wide = a.astype(np.float64) if a.dtype.kind == "f" else a.astype(kind)
    ufunc = REDUCTIONS[op]
    segments = [wide[begin:end] for begin, end in zip(offsets, offsets[1:])]
    magnitude = np.array([np.sum(np.abs(segment), dtype=np.float64) if op == "sum" else len(segment) for segment in segments])
    right = np.array([ufunc.reduce(s, dtype=wide.dtype) if len(s) else identity(op, kind) for s in segments], wide.dtype)
    (got,) = runner.run(driver, path, "segreduce", a, "--op", op, "--offsets", offsets, "-o", "OUT")
    if got.dtype != kind or not close(got, right, magnitude):
        return f"segreduce {op} {a.dtype} of {lengths[:10]}: {got[:10]} instead of {right[:10]}"
    if not len(a):
        return None
    (got,) = runner.run(driver, path, "segscan", a, "--op", op, "--offsets", offsets, "-o", "OUT")
    right = np.concatenate([ufunc.accumulate(s, dtype=wide.dtype) for s in segments if len(s)])
    total = np.repeat(magnitude, lengths)
    if got.dtype != kind or not close(got, right, total):
        return f"segscan {op} {a.dtype} of {lengths[:10]}: {got[:10]} instead of {right[:10]}"
    # Told by flags: empty segments are none then. And of one length.
    flags = np.zeros(len(a), np.uint8)
    flags[offsets[:-1][lengths > 0]] = 1
    for told, heads in (["--flags", flags], np.flatnonzero(flags)), (["--length", "17"], np.arange(0, len(a), 17)):
        (got,) = runner.run(driver, path, "segreduce", a, "--op", op, *told, "-o", "OUT")
        right = ufunc.reduceat(wide, heads, dtype=wide.dtype)
        total = np.add.reduceat(np.abs(wide.astype(np.float64)), heads) if op == "sum" else np.diff(np.append(heads, len(a)))
        if got.dtype != kind or not close(got, right, total):
            return f"segreduce {op} {a.dtype} {told[0]}: {got[:10]} instead of {right[:10]}"
    (got,) = runner.run(driver, path, "segscan", a, "--op", op, "--length", "17", "-o", "OUT")
    right = np.concatenate([ufunc.accumulate(wide[begin : begin + 17], dtype=wide.dtype) for begin in range(0, len(a), 17)])
    if not close(got, right, np.repeat(total, np.diff(np.append(heads, len(a))))):
        return f"segscan {op} {a.dtype} --length: {got[:10]} instead of {right[:10]}"
    keys = np.repeat(np.arange(len(lengths)) % 7, lengths).astype(np.int32)
    heads = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    got_keys, got = runner.run(driver, path, "reducebykey", keys, a, "--op", op, "--out-keys", "OUT", "--out-values", "OUT")
    right = ufunc.reduceat(wide, heads, dtype=wide.dtype)
    total = np.add.reduceat(np.abs(wide.astype(np.float64)), heads) if op == "sum" else np.diff(np.append(heads, len(a)))
    if not np.array_equal(got_keys, keys[heads]) or got.dtype != kind or not close(got, right, total):
        return f"reducebykey {op} {a.dtype}: {got_keys[:10]} {got[:10]} instead of {keys[heads][:10]} {right[:10]}"
    return None


def main():
    options, chosen = drivers.from_command_line(__doc__)
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(options.binary, folder)
        cases = itertools.product(REDUCTIONS, TYPES.values(), LENGTHS.values(), drivers.PATHS, chosen)
        for index, (op, dtype, lengths, path, driver) in enumerate(cases):
            if index % options.every or not driver.has_path(path) or (op == "xor" and np.dtype(dtype).kind == "f"):
                continue
            reason = check(runner, driver, path, op, dtype, lengths)
            passed, failed = passed + (reason is None), failed + (reason is not None)
            if reason:
                print(f"FAILED {driver.name} {path} {reason}", flush=True)
    print(f"segments against numpy: {passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
