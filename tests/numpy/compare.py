#!/usr/bin/env python3
"""Runs `wavelane run reduce` on NumPy files and compares each result with numpy's, on every Vulkan driver of this machine and every path.

Everything: each operation x type x layout (whole, or along each axis of a 3-D array, the axis long or short) x size x path x driver.
`--sample N/M` takes the N-th of M parts of it; each part has every operation, type, path and driver.
"""

import argparse
import collections
import concurrent.futures
import itertools
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import zlib

import numpy as np

import drivers
import reduction

SIZES = [0, 1, 255, 256, 257, 1000003]
PATHS = ["lsm", "subgroup", "shuffle"]
# How the elements lie: the shape for a size n, and the axis.
LAYOUTS = {
    "whole": lambda n: ((n,), None),
    "axis 0 of n,3,2": lambda n: ((n, 3, 2) if n < 1000 else (n, 2, 1), 0),
    "axis 1 of 3,n,2": lambda n: ((3, n, 2) if n < 1000 else (1, n, 2), 1),
    "axis 2 of 2,3,n": lambda n: ((2, 3, n) if n < 1000 else (2, 1, n), 2),
    "axis 0 of 3,n,2": lambda n: ((3, n, 2), 0),
    "axis 1 of 2,3,n": lambda n: ((2, 3, n), 1),
    "axis 2 of n,2,3": lambda n: ((n, 2, 3), -1),
}
# Data and what NaN does.
VARIANTS = [("plain", "propagate"), ("few", "propagate"), ("special", "propagate"), ("special", "ignore")]

Case = collections.namedtuple("Case", "driver path op dtype layout size pattern nan wide keepdims")


def stratum_cases(driver, path, op, dtype):
    """All cases of one operation, type, path and driver."""
    variants = VARIANTS if reduction.is_float(dtype) else VARIANTS[:2]
    for index, (layout, size) in enumerate(itertools.product(LAYOUTS, SIZES)):
        # Of the variants one falls to each layout and size, another for the next operation or type.
        pattern, nan = variants[(index + zlib.crc32(f"{op} {dtype}".encode())) % len(variants)]
        yield Case(driver.name, path, op, dtype, layout, size, pattern, nan, wide=False, keepdims=index % 5 == 0)
        if op == "sum" and dtype in ("u8", "u16", "i8", "i16", "u32", "i32"):
            yield Case(driver.name, path, op, dtype, layout, size, "plain", "propagate", wide=True, keepdims=False)


def all_cases(chosen, options, part, parts):
    for driver, path, op, dtype in itertools.product(chosen, PATHS, options.op or reduction.OPERATIONS, options.dtype or reduction.DTYPES):
        if reduction.meaningful(op, dtype):
            # Each stratum begins at another place, so that a part has all layouts and sizes, too.
            offset = zlib.crc32(f"{driver.name} {path} {op} {dtype}".encode())
            for index, case in enumerate(stratum_cases(driver, path, op, dtype)):
                if (index + offset) % parts == part:
                    yield case


def lacks(capabilities, path, dtype):
    """Optional features that the device does not have, without which it may refuse this path and type."""
    missing = []
    features, subgroup = capabilities["features"], capabilities["subgroup"]
    if dtype in ("u64", "i64") and not features["shader_int64"]:
        missing.append("shader_int64")
    if dtype == "f64" and not features["shader_float64"]:
        missing.append("shader_float64")
    needed = {"lsm": None, "subgroup": "ARITHMETIC", "shuffle": "SHUFFLE"}[path]
    if needed:
        if needed not in subgroup["operations"].split(" | ") or not subgroup["compute_stage"]:
            missing.append(needed)
        elif dtype in ("u64", "i64") and not subgroup["extended_types"]:
            missing.append("extended_types")
    return missing


class Inputs:
    """Input files, written once each; many cases share one."""

    def __init__(self, folder, jobs):
        self.folder = pathlib.Path(folder)
        # Cases come sorted by input, so that the oldest of so many is no longer in use.
        self.kept = 2 * jobs + 4
        self.lock = threading.Lock()
        self.last = {}

    def get(self, case):
        shape, axis = LAYOUTS[case.layout](case.size)
        # Products need data of their own.
        key = (case.dtype, shape, case.pattern, case.op == "prod" and reduction.is_float(case.dtype))
        with self.lock:
            if key not in self.last:
                if len(self.last) >= self.kept:
                    self.last.pop(next(iter(self.last)))[1].unlink()
                array = reduction.data(np.random.default_rng(zlib.crc32(repr(key).encode())), case.dtype, case.op, shape, case.pattern)
                file = self.folder / f"in-{zlib.crc32(repr(key).encode()):08x}.npy"
                np.save(file, array)
                self.last[key] = (array, file)
            return (*self.last[key], axis)


class Runner:
    def __init__(self, options, chosen, folder):
        self.options = options
        self.drivers = {driver.name: driver for driver in chosen}
        self.inputs = Inputs(folder, options.jobs)
        self.folder = pathlib.Path(folder)

    def run(self, number, case):
        """None if the case is good, else the reason; and the command."""
        array, file, axis = self.inputs.get(case)
        output = self.folder / f"out-{number}.npy"
        command = [self.options.binary, "run", "reduce", "--op", case.op, "--path", case.path, "-o", str(output), str(file)]
        command += [] if axis is None else ["--axis", str(axis)]
        command += ["--nan", "ignore"] if case.nan == "ignore" else []
        command += ["--wide"] if case.wide else []
        command += ["--keepdims"] if case.keepdims else []
        command += common_arguments(self.options)
        driver = self.drivers[case.driver]
        try:
            done = subprocess.run(command, env={**os.environ, **driver.environment}, capture_output=True, text=True, timeout=300)
        except subprocess.TimeoutExpired:
            return "no end after 300 s", command
        try:
            return self.judge(case, driver.capabilities, array, axis, done, output), command
        finally:
            output.unlink(missing_ok=True)

    def judge(self, case, capabilities, array, axis, done, output):
        missing = lacks(capabilities, case.path, case.dtype)
        two_lines = [line.split(":")[0] for line in done.stderr.splitlines()[-2:]] == ["error", "help"]
        try:
            result = reduction.expected(case.op, array, axis, case.nan, case.wide)
        except ValueError as reason:
            if done.returncode == 1 and two_lines:
                return None
            return f"numpy raises '{reason}', this exits {done.returncode}: {done.stderr.strip()}"
        if missing and done.returncode == 1 and two_lines:
            return None
        if done.returncode != 0:
            return f"exit {done.returncode}: {done.stderr.strip()}"
        value, dtype = np.asarray(result[0]), result[1]
        try:
            got = np.load(output)
        except (OSError, ValueError) as reason:
            return f"no result that numpy reads: {reason}"
        if case.keepdims:
            kept = (1,) * array.ndim if axis is None else tuple(1 if i == axis % array.ndim else n for i, n in enumerate(array.shape))
            if got.shape != kept:
                return f"shape {got.shape} instead of {kept}"
            got = got.reshape(value.shape)
        # A device without float64 computes means, variances and norms of integers in f32, and f16 is always widened to f32.
        single = case.dtype in ("f16", "f32") or (case.dtype != "f64" and not capabilities["features"]["shader_float64"])
        return reduction.difference(case.op, array, axis, (value, dtype), got, np.float32 if single else np.float64)


def common_arguments(options):
    arguments = ["--validate"] if options.validate else []
    return arguments + (["--profile", options.profile] if options.profile else [])


def part_of(text):
    part, parts = (int(number) for number in text.split("/"))
    if not 1 <= part <= parts:
        raise ValueError
    return part - 1, parts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=str(drivers.PROJECT / "target/debug/wavelane"), help="the wavelane command")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--sample", type=part_of, default=(0, 14), metavar="N/M", help="the N-th of M parts (default 1/14)")
    which.add_argument("--all", dest="sample", action="store_const", const=(0, 1), help="everything: about an hour on two cores")
    parser.add_argument("--driver", action="append", help="only this driver; may be given again")
    parser.add_argument("--op", action="append", choices=reduction.OPERATIONS, help="only this operation; may be given again")
    parser.add_argument("--dtype", action="append", choices=reduction.DTYPES, help="only this type; may be given again")
    parser.add_argument("--profile", help="simulate a device")
    parser.add_argument("--validate", action="store_true", help="with the validation layer: slower, any message fails")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2, help="processes at a time")
    options = parser.parse_args()
    options.binary = str(pathlib.Path(options.binary).resolve())

    chosen = [driver for driver in drivers.candidates() if not options.driver or driver.name in options.driver]
    chosen = [driver for driver in chosen if driver.probe(options.binary, common_arguments(options))]
    required = set(filter(None, os.environ.get("WAVELANE_TEST_REQUIRE", "").split(","))) if not options.driver else set(options.driver)
    absent = required - {driver.name for driver in chosen}
    if absent or not chosen:
        sys.exit(f"error: no device of {', '.join(sorted(absent)) or 'any driver'}\nhelp: run scripts/setup --tests")

    cases = list(all_cases(chosen, options, *options.sample))
    # Cases on the same input follow one another.
    cases.sort(key=lambda case: (case.dtype, case.size, case.layout, case.pattern, case.op))
    print(f"comparing {len(cases)} reductions with numpy {np.__version__} on {', '.join(driver.name for driver in chosen)}", flush=True)
    failed = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runner = Runner(options, chosen, folder)
        for case, (reason, command) in zip(cases, pool.map(runner.run, range(len(cases)), cases)):
            if reason:
                failed += 1
                print(f"FAILED {' | '.join(str(field) for field in case)}\n  {reason}\n  {' '.join(command)}", flush=True)
    print(f"{len(cases) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
