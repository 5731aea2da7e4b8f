#!/usr/bin/env python3
"""Runs `wavelane run scan` on NumPy files and compares each result with numpy's cumsum, cumprod and accumulate, on every Vulkan driver of this machine and
every path. `--driver NAME` takes one, `--every N` one case in N."""

import itertools
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import drivers

TYPES = {"u8": np.uint8, "u16": np.uint16, "i8": np.int8, "i16": np.int16, "u32": np.uint32, "i32": np.int32, "f32": np.float32, "f16": np.float16,
         "u64": np.uint64, "i64": np.int64, "f64": np.float64}
OPERATORS = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
LAYOUTS = [((0,), None), ((1,), None), ((257,), None), ((70_001,), None), ((5, 7, 11), None), ((5, 301, 3), 0), ((5, 301, 3), 1), ((5, 301, 3), -1), ((3, 0, 2), 1)]
UNIT = {np.dtype(np.float16): 2.0**-11, np.dtype(np.float32): 2.0**-24, np.dtype(np.float64): 2.0**-53}


def data(op, dtype, shape, special):
    rng = np.random.default_rng(len(shape) + int(np.prod(shape)))
    if np.dtype(dtype).kind != "f":
        limits = np.iinfo(dtype)
        return rng.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)
    array = (1 + rng.normal(0, 0.001, shape) if op == "prod" else rng.normal(0.1, 1, shape)).astype(dtype)
    if special and array.size > 100:
        array.flat[array.size // 2 :: 97] = np.nan
    return array


def cases():
    for index, ((op, (name, dtype)), (shape, axis)) in enumerate(itertools.product(itertools.product(OPERATORS, TYPES.items()), LAYOUTS)):
        if np.dtype(dtype).kind == "f" and op in ("and", "or", "xor"):
            continue
        if op == "prod" and name == "f16" and int(np.prod(shape)) > 2000:
            continue
        yield op, data(op, dtype, shape, index % 4 == 0), axis, index % 3 == 0


def result_type(op, dtype):
    return np.dtype(f"{dtype.kind}4") if dtype.kind in "ui" and dtype.itemsize < 4 and op in ("sum", "prod") else dtype


def expected(op, array, axis, reverse):
    """numpy's result, floats in the widest type."""
    # Sums and products of small integers come in 32 bits, of which they have room.
    wide = array.astype(np.longdouble) if array.dtype.kind == "f" else array.astype(result_type(op, array.dtype))
    wide, axis = (wide.reshape(-1), 0) if axis is None else (wide, axis)
    turned = np.flip(wide, axis) if reverse else wide
    with np.errstate(all="ignore"):
        result = OPERATORS[op].accumulate(turned, axis=axis, dtype=wide.dtype)
        bound = 0
        if op in ("sum", "prod") and array.dtype.kind == "f":
            computed = max(UNIT[array.dtype] if array.dtype != np.float16 else 2.0**-24, 0)
            magnitude = np.abs(np.nan_to_num(turned))
            if op == "sum":
                bound = 64 * computed * np.add.accumulate(magnitude, axis=axis)
            else:
                bound = (turned.shape[axis] + 1) * computed * np.abs(np.nan_to_num(result))
            bound = bound + float(np.finfo(np.float32 if array.dtype == np.float16 else array.dtype).tiny)
        if array.dtype == np.float16:
            bound = bound + UNIT[array.dtype] * np.abs(np.nan_to_num(result)) + 2.0**-25
    return (np.flip(result, axis), np.flip(np.broadcast_to(bound, result.shape), axis)) if reverse else (result, np.broadcast_to(bound, result.shape))


def lacks(driver, path, op, dtype):
    features, subgroup = driver.capabilities["features"], driver.capabilities["subgroup"]
    wide = dtype.kind in "ui" and dtype.itemsize == 8 or dtype == np.float64 and op in ("min", "max")
    return (
        wide and not features["shader_int64"]
        or dtype == np.float64 and not features["shader_float64"]
        or not driver.has_path(path)
        or path == "subgroup" and wide and not subgroup["extended_types"]
    )


def judge(driver, binary, folder, path, case):
    op, array, axis, reverse = case
    source, output = pathlib.Path(folder) / "in.npy", pathlib.Path(folder) / "out.npy"
    np.save(source, array)
    output.unlink(missing_ok=True)
    command = [binary, "run", "scan", str(source), "--op", op, "--path", path, "-o", str(output)]
    command += (["--axis", str(axis)] if axis is not None else []) + (["--reverse"] if reverse else [])
    done = subprocess.run(command, env={**os.environ, **driver.environment}, capture_output=True, text=True, timeout=300)
    if done.returncode == 1 and lacks(driver, path, op, array.dtype):
        return None
    if done.returncode != 0:
        return f"exit {done.returncode}: {done.stderr.strip()}\n  {' '.join(command)}"
    got = np.load(output)
    right, bound = expected(op, array, axis, reverse)
    if got.dtype != result_type(op, array.dtype) or got.shape != right.shape:
        return f"{got.dtype} {got.shape} instead of {result_type(op, array.dtype)} {right.shape}"
    with np.errstate(all="ignore"):
        rounded = right.astype(got.dtype)
        same = got == rounded
        if array.dtype.kind == "f":
            same |= np.isnan(got) & np.isnan(rounded)
            same |= np.abs(got.astype(np.longdouble) - right) <= bound
    return None if np.all(same) else f"{int(np.sum(~same))} of {same.size} differ, first at {np.argwhere(~same)[0]}\n  {' '.join(command)}"


def main():
    options, chosen = drivers.from_command_line(__doc__)
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for index, (case, path, driver) in enumerate(itertools.product(cases(), drivers.PATHS, chosen)):
            if index % options.every:
                continue
            reason = judge(driver, options.binary, folder, path, case)
            passed, failed = passed + (reason is None), failed + (reason is not None)
            if reason:
                print(f"FAILED {driver.name} {path} {case[0]} {case[1].dtype} {case[1].shape} axis {case[2]} reverse {case[3]}: {reason}", flush=True)
    print(f"scans against numpy: {passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
