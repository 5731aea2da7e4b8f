#!/usr/bin/env python3
"""Runs `wavelane run` fill, iota, convert, take, put and transform on NumPy files and compares each result with numpy's, type and bits, on every Vulkan
driver of this machine. `--driver NAME` takes one."""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

import numpy as np

import drivers

TYPES = {"u8": np.uint8, "u16": np.uint16, "i8": np.int8, "i16": np.int16, "u32": np.uint32, "i32": np.int32, "f32": np.float32, "f16": np.float16, "u64": np.uint64,
         "i64": np.int64, "f64": np.float64}
UNARY = {"neg": np.negative, "abs": np.abs, "sqrt": np.sqrt, "exp": np.exp, "log": np.log, "floor": np.floor, "ceil": np.ceil, "not": np.invert}
BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": None, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and,
          "or": np.bitwise_or, "xor": np.bitwise_xor, "shl": np.left_shift, "shr": np.right_shift, "eq": np.equal, "ne": np.not_equal, "lt": np.less,
          "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}
# Units in the last place by which results of floats may differ: Vulkan promises no more.
INEXACT = {"sqrt": 4, "exp": 32, "log": 16, "div": 3}


def data(dtype, shape, seed):
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind == "f":
        array = (rng.standard_normal(shape) * 4).astype(dtype)
        if array.size > 8:
            array.flat[:8] = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.5, 2.5]
        return array
    return rng.integers(0, 70, shape).astype(dtype) - np.array(35 if np.dtype(dtype).kind == "i" else 0, dtype)


def floor_of(numpy):
    """numpy gave integers back from floor and ceil only from 2.1 on."""
    return numpy if tuple(map(int, np.__version__.split(".")[:2])) >= (2, 1) else lambda array: array if array.dtype.kind in "iu" else numpy(array)


def cases():
    """The command's arguments, with arrays in place of files; numpy's result; units in the last place."""
    for index, (name, dtype) in enumerate(TYPES.items()):
        yield ["fill", "--dtype", name, "--shape", "3,5", "--value", "7"], np.full((3, 5), 7, dtype), 0
        yield ["iota", "--dtype", name, "--n", "257", "--start", "3", "--step", "2"], (3 + 2 * np.arange(257)).astype(dtype), 0
        yield ["take", data(dtype, (5, 7, 3), 1), "--axis", "-2", "--indices", np.array([[6, -1], [0, -7]])], None, 0
        yield ["take", data(dtype, (11, 3), 2), "--indices", np.array([32, -33, 5], np.int32)], None, 0
        put = data(dtype, (9, 11), 3)
        yield ["put", put, "--indices", np.array([3, -1, 3, 50]), "--values", data(dtype, (3,), 4)], None, 0
        # Where numpy's own conversion is defined: it is not beyond the type.
        for other in list(TYPES)[index % 3 :: 3]:
            yield ["convert", np.abs(np.nan_to_num(data(dtype, (4, 50), 5), posinf=9, neginf=9)), "--dtype", other], None, 0
        for op in list(UNARY) + list(BINARY):
            floats = np.dtype(dtype).kind == "f"
            if floats and op in ("not", "and", "or", "xor", "shl", "shr"):
                continue
            operands = [data(dtype, (9, 13), 6)] if op in UNARY else [data(dtype, (9, 13), 6), data(dtype, (13,) if index % 2 else (9, 1), 7)]
            yield ["transform", op, *operands], None, INEXACT.get(op, 0) if floats or op in INEXACT and op != "div" else 0
    truth = np.array([[True, False, True, True]])
    yield ["take", truth, "--indices", np.array([-1, 1])], None, 0
    yield ["convert", truth, "--dtype", "f32"], None, 0
    yield ["transform", "not", truth], None, 0
    yield ["transform", "xor", truth, ~truth], None, 0


def expected(arguments):
    kernel, arrays = arguments[0], [argument for argument in arguments if isinstance(argument, np.ndarray)]
    option = {arguments[i]: arguments[i + 1] for i in range(len(arguments)) if isinstance(arguments[i], str) and arguments[i].startswith("--")}
    if kernel == "take":
        return np.take(arrays[0], arrays[1], axis=int(option["--axis"]) if "--axis" in option else None)
    if kernel == "put":
        result = arrays[0].copy()
        np.put(result, arrays[1], arrays[2])
        return result
    if kernel == "convert":
        return arrays[0].astype(TYPES[option["--dtype"]])
    op = arguments[1]
    if op == "div":
        return (np.floor_divide if arrays[0].dtype.kind in "iu" else np.divide)(*arrays)
    numpy = floor_of(UNARY[op]) if op in ("floor", "ceil") else UNARY.get(op) or BINARY[op]
    return numpy(*arrays)


def difference(got, want, units):
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"{got.dtype} {got.shape} instead of {want.dtype} {want.shape}"
    if units:
        wrong = ~np.isclose(got, want, rtol=units * np.finfo(want.dtype).eps, atol=2e-6 if want.dtype != np.float64 else 1e-15, equal_nan=True)
    else:
        wrong = (got != want) & ~((got != got) & (want != want))
    return f"{np.count_nonzero(wrong)} of {want.size} differ, such as {got[wrong][0]} instead of {want[wrong][0]}" if wrong.any() else None


def lacks(capabilities, arguments):
    """Whether the device may refuse: 64-bit types are computed with where it has them."""
    text = " ".join(argument if isinstance(argument, str) else argument.dtype.name for argument in arguments)
    features = capabilities["features"]
    wide = arguments[0] == "transform" and "int64" in text and not features["shader_int64"]
    double = arguments[0] in ("transform", "iota") and not features["shader_float64"] and ("float64" in text or "f64" in text)
    # Roots of integers of 32 and 64 bits come in f64.
    return wide or double or (not features["shader_float64"] and arguments[0] == "transform" and arguments[1] in ("sqrt", "exp", "log") and "int" in text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=str(drivers.PROJECT / "target/debug/wavelane"), help="the wavelane command")
    parser.add_argument("--driver", help="only this driver")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only one case in N")
    options = parser.parse_args()
    chosen = [driver for driver in drivers.candidates() if options.driver in (None, driver.name) and driver.probe(options.binary, [])]
    if not chosen:
        sys.exit("error: no device\nhelp: run scripts/setup --tests")
    warnings.simplefilter("ignore")
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder, "out.npy")
        for number, driver in enumerate(chosen):
            for at, (arguments, want, units) in enumerate(cases()):
                if (at + number) % options.every:
                    continue
                command = [options.binary, "run"]
                for index, argument in enumerate(arguments):
                    if isinstance(argument, np.ndarray):
                        np.save(pathlib.Path(folder, f"{index}.npy"), argument)
                        argument = str(pathlib.Path(folder, f"{index}.npy"))
                    command.append(argument)
                done = subprocess.run([*command, "-o", str(output)], env={**os.environ, **driver.environment}, capture_output=True, text=True)
                want = expected(arguments) if want is None else want
                if done.returncode:
                    reason = None if lacks(driver.capabilities, arguments) else f"exit {done.returncode}: {done.stderr.strip()}"
                else:
                    reason = difference(np.load(output), want, units)
                passed, failed = passed + (reason is None), failed + (reason is not None)
                if reason:
                    shown = " ".join(a if isinstance(a, str) else f"<{a.dtype} {a.shape}>" for a in arguments)
                    print(f"FAILED {driver.name}: {shown}\n  {reason}", flush=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
