#!/usr/bin/env python3
"""Runs `wavelane run histogram` and `bincount` on NumPy files and compares each result with numpy's, on every Vulkan driver of this machine: counts and sums of
integers exactly, sums of floats within a rounding. `--driver NAME` takes one, `--every N` one case in N."""

import itertools
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import drivers

TYPES = [np.uint8, np.uint16, np.int8, np.int16, np.uint32, np.int32, np.float32, np.float16, np.uint64, np.int64, np.float64]
WEIGHTS = [None, np.uint32, np.int32, np.float32]
PATTERNS = ["random", "equal", "sorted", "edges"]
LENGTHS = [0, 1, 1000, 70_001]


def data(dtype, pattern, count):
    """Numbers around 0 to 100, some of them outside."""
    rng = np.random.default_rng(count)
    numbers = {
        "random": lambda: rng.uniform(-10, 110, count),
        "equal": lambda: np.full(count, 30.0),
        "sorted": lambda: np.linspace(0, 100, count),
        "edges": lambda: rng.integers(-1, 12, count) * 10.0,
    }[pattern]()
    if np.dtype(dtype).kind != "f":
        return np.clip(numbers, -100 if np.dtype(dtype).kind == "i" else 0, min(200, np.iinfo(dtype).max)).astype(dtype)
    numbers = numbers.astype(dtype)
    if pattern == "edges" and count > 5:
        numbers[:5] = [np.nan, np.inf, -np.inf, -0.0, np.nextafter(dtype(10), dtype(0))]
    return numbers


def weights_of(dtype, count):
    if dtype is None:
        return None
    rng = np.random.default_rng(count + 1)
    # Sums of integers stay within their type, in which numpy has them.
    return rng.normal(0, 1, count).astype(dtype) if dtype == np.float32 else rng.integers(0, 9000, count).astype(dtype)


def exact(weights):
    """float32 in float64: numpy adds them in their own type, block by block, and rounds each time."""
    return weights.astype(np.float64) if weights is not None and weights.dtype == np.float32 else weights


class Runner:
    def __init__(self, binary, folder):
        self.binary, self.folder = binary, pathlib.Path(folder)

    def run(self, driver, kernel, *arguments):
        """Runs the command on arrays, which become files. Gives the result."""
        texts = []
        for number, argument in enumerate(arguments):
            if isinstance(argument, np.ndarray):
                np.save(self.folder / f"{number}.npy", argument)
                argument = self.folder / f"{number}.npy"
            texts.append(str(argument))
        out = self.folder / "out.npy"
        command = [self.binary, "run", kernel, *texts, "-o", str(out)]
        done = subprocess.run(command, env={**os.environ, **driver.environment}, capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            sys.exit(f"{driver.name} {' '.join(command)}: {done.stderr}")
        return np.load(out)


def equal(got, right, magnitude):
    """The same type and shape; floats within a rounding, and what float64 loses of what was added in all."""
    if got.dtype != right.dtype or got.shape != right.shape:
        return False
    if got.dtype.kind != "f":
        return np.array_equal(got, right)
    return bool(np.all(np.abs(got.astype(np.float64) - right) <= 2.0**-23 * np.abs(right) + 2.0**-48 * magnitude))


def check(runner, driver, dtype, pattern, count, weight):
    a, w = data(dtype, pattern, count), weights_of(weight, count)
    given = [] if w is None else ["--weights", w]
    magnitude = 0 if w is None else np.sum(np.abs(w.astype(np.float64)))
    # numpy's own halves are wrong by more than one bin where there are many.
    for bins in [1, 10] if dtype == np.float16 else [1, 10, 257, 5000]:
        got = runner.run(driver, "histogram", a, "--bins", bins, "--range", 0, 100, *given)
        right = np.histogram(a, bins=bins, range=(0.0, 100.0), weights=exact(w))[0].astype(got.dtype)
        if got.dtype != (np.int64 if w is None else w.dtype) or not equal(got, right, magnitude):
            return f"histogram {a.dtype} {pattern} {count} in {bins}, weights {weight}: {got[:10]} instead of {right[:10]}"
    # Where there are weights, numpy takes differences of running sums, which are not the same beside what is not finite.
    edges = np.array([-5.0, 0, 0.5, 10, 10, 30, 77.7, 110])
    keep = np.isfinite(a) if a.dtype.kind == "f" else np.ones(count, bool)
    b, v = a[keep], None if w is None else w[keep]
    got = runner.run(driver, "histogram", b, "--edges", edges, *([] if v is None else ["--weights", v]))
    right = np.histogram(b, bins=edges, weights=exact(v))[0].astype(got.dtype)
    if not equal(got, right, magnitude):
        return f"histogram {a.dtype} {pattern} {count} between edges, weights {weight}: {got} instead of {right}"
    if a.dtype.kind != "f":
        # Integers meet integers exactly, where float64 tells none of these apart; of uint64 and a signed type numpy makes float64.
        far = 2**60 if a.dtype.itemsize == 8 else 0
        b = a + a.dtype.type(far)
        for kind in [a.dtype, np.dtype(np.int64), np.dtype(np.uint64)]:
            edges = (np.array([0, 1, 9, 10, 11, 60, 61, 100]) + far).astype(kind)
            got = runner.run(driver, "histogram", b, "--edges", edges, *given)
            right = np.histogram(b, bins=edges, weights=exact(w))[0].astype(got.dtype)
            if not equal(got, right, magnitude):
                return f"histogram {a.dtype} {pattern} {count} between {kind} edges, weights {weight}: {got} instead of {right}"
    if a.dtype.kind != "f" and a.dtype != np.uint64:
        least = [] if count % 2 else ["--minlength", 150]
        a = np.abs(a)
        got = runner.run(driver, "bincount", a, *given, *least)
        right = np.bincount(a, weights=w, minlength=150 if least else 0)
        if not equal(got, right, magnitude):
            return f"bincount {a.dtype} {pattern} {count}, weights {weight}: {got[:10]} instead of {right[:10]}"
    if weight is None and count == 1000:
        image = a.reshape(10, 25, 4)
        got = runner.run(driver, "histogram", image, "--bins", 10, "--range", 0, 100, "--channels", 3, "--rows")
        count_of = lambda values: np.histogram(values, bins=10, range=(0.0, 100.0))[0]
        right = np.array([[count_of(image[row, :, channel]) for channel in range(3)] for row in range(10)])
        if not equal(got, right, 0):
            return f"histogram {a.dtype} {pattern} of rows and channels: {got[0]} instead of {right[0]}"
    return None


def main():
    options, chosen = drivers.from_command_line(__doc__)
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(options.binary, folder)
        cases = itertools.product(TYPES, PATTERNS, LENGTHS, WEIGHTS, chosen)
        for index, (dtype, pattern, count, weight, driver) in enumerate(cases):
            if index % options.every:
                continue
            reason = check(runner, driver, dtype, pattern, count, weight)
            passed, failed = passed + (reason is None), failed + (reason is not None)
            if reason:
                print(f"FAILED {driver.name} {reason}", flush=True)
    print(f"histograms against numpy: {passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
