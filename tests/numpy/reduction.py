"""What numpy says of a reduction, and how far a device's float may lie from it."""

import warnings

import numpy as np

OPERATIONS = ["sum", "prod", "min", "max", "and", "or", "xor", "any", "all", "mean", "var", "norm1", "norm2", "argmin", "argmax"]
DTYPES = ["u8", "u16", "i8", "i16", "u32", "i32", "f32", "u64", "i64", "f64", "f16"]
NUMPY_DTYPE = {"u8": np.uint8, "u16": np.uint16, "i8": np.int8, "i16": np.int16, "u32": np.uint32, "i32": np.int32, "f32": np.float32,
               "u64": np.uint64, "i64": np.int64, "f64": np.float64, "f16": np.float16}
BITWISE = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}

# Roundings that a sum may show, however long it is: it is added in a tree, whose depth grows with the logarithm of the count, or carries what it loses.
ROUNDINGS = 16
UNIT = {np.dtype(np.float16): 2.0**-11, np.dtype(np.float32): 2.0**-24, np.dtype(np.float64): 2.0**-53}
# Wider than f64 where the platform has it, so that numpy's own rounding does not count as the device's.
WIDEST = np.longdouble


def is_float(dtype):
    return dtype in ("f16", "f32", "f64")


def meaningful(op, dtype):
    return not (op in BITWISE and is_float(dtype))


def data(rng, dtype, op, shape, pattern):
    """An input array. `plain`: spread over the type, `few`: many equal values and zeros, `special`: NaN, infinities and signed zeros among others."""
    kind = NUMPY_DTYPE[dtype]
    count = int(np.prod(shape))
    if pattern == "few":
        # One value of 0 or one of not 0 decides any and all.
        few = np.full(count, int(rng.integers(0, 2)))
        places = rng.integers(0, count, size=min(count, 3)) if count else []
        few[places] = 1 - few[places]
        return few.astype(kind).reshape(shape)
    if not is_float(dtype):
        limits = np.iinfo(kind)
        return rng.integers(limits.min, limits.max, size=shape, dtype=kind, endpoint=True)
    if op == "prod":
        # Near 1: a product of many stays in the type's range, whatever the order.
        values = np.exp(rng.normal(0, 0.003, size=count)) * rng.choice([-1.0, 1.0], size=count)
    else:
        values = rng.normal(0.25, 1, size=count)
    values = values.astype(kind)
    if pattern == "special" and count:
        for special in (np.nan, 0.0, -0.0, np.nan):
            values[rng.integers(0, count, size=max(1, count // 50))] = special
        # An infinity of each sign in a sum would make the result depend on nothing but them.
        if rng.integers(0, 2):
            values[rng.integers(0, count)] = np.inf
    return values.reshape(shape)


def expected(op, a, axis, nan, wide):
    """The result as numpy gives it, its dtype included; floats are given in WIDEST. Raises ValueError where numpy does."""
    ignore = nan == "ignore" and a.dtype.kind == "f"
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if op in ("sum", "prod"):
            if a.dtype.kind == "f":
                function = {"sum": np.nansum if ignore else np.sum, "prod": np.nanprod if ignore else np.prod}[op]
                return function(a.astype(WIDEST), axis=axis), a.dtype
            # Sums and products of small integers come in 32 bits.
            narrow = a.dtype if a.dtype.itemsize >= 4 else np.dtype(f"{a.dtype.kind}4")
            accumulator = {"u": np.dtype(np.uint64), "i": np.dtype(np.int64)}[a.dtype.kind] if wide else narrow
            return getattr(np, op)(a, axis=axis, dtype=accumulator), accumulator
        if op in ("min", "max"):
            return getattr(np, ("nan" if ignore else "") + op)(a, axis=axis), a.dtype
        if op in BITWISE:
            return BITWISE[op].reduce(a.reshape(-1) if axis is None else a, axis=axis or 0), a.dtype
        if op in ("any", "all"):
            if ignore:
                a = np.where(np.isnan(a), a.dtype.type(op == "all"), a)
            return getattr(np, op)(a, axis=axis), np.dtype(bool)
        if op in ("argmin", "argmax"):
            return getattr(np, ("nan" if ignore else "") + op)(a, axis=axis), np.dtype(np.int64)
        dtype = a.dtype if a.dtype.kind == "f" else np.dtype(np.float64)
        wide_values = a.astype(WIDEST)
        if op in ("mean", "var"):
            return getattr(np, ("nan" if ignore else "") + op)(wide_values, axis=axis), dtype
        if ignore:
            wide_values = np.where(np.isnan(wide_values), 0, wide_values)
        if op == "norm1":
            return np.sum(np.abs(wide_values), axis=axis), dtype
        return np.sqrt(np.sum(wide_values * wide_values, axis=axis)), dtype


def bound(op, a, axis, result, computed_in):
    """The greatest difference allowed, an array like the result. `computed_in` is the float type in which the device computes.

    With u = 2^-24 (f32) or 2^-53 (f64):
    sum, norm1: 16 u Σ|x|, a mean has a count-th of that;   prod: (n + 1) u |Πx|, as every multiplication rounds;   norm2: 16 u times itself;
    var: 16 u (v + 2 s m) + (u m)², with the variance v, its root s and the largest |x| m: an integer is rounded to the type first.
    A result stored in f16 is rounded once more. Where a device flushes subnormal numbers to zero, it is off by the type's smallest normal number.
    """
    unit = UNIT[np.dtype(computed_in)]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = np.abs(np.nan_to_num(a.astype(WIDEST), nan=0.0, posinf=0.0, neginf=0.0))
        count = max(1, a.size if axis is None else a.shape[axis])
        exact = np.abs(np.nan_to_num(np.asarray(result[0], WIDEST), nan=0.0, posinf=0.0, neginf=0.0))
        if op in ("sum", "norm1"):
            allowed = ROUNDINGS * unit * np.sum(x, axis=axis)
        elif op == "mean":
            # With NaN ignored the count is of what is left: at least the result's own share.
            allowed = np.maximum(ROUNDINGS * unit * np.sum(x, axis=axis) / count, ROUNDINGS * unit * exact)
            if a.dtype.kind == "f":
                kept = np.maximum(1, np.sum(~np.isnan(a), axis=axis))
                allowed = ROUNDINGS * unit * np.sum(x, axis=axis) / kept
        elif op == "prod":
            allowed = (count + 1) * unit * exact
        elif op == "norm2":
            allowed = ROUNDINGS * unit * exact
        else:
            largest = np.max(x, axis=axis, initial=0)
            allowed = ROUNDINGS * unit * (exact + 2 * np.sqrt(exact) * largest) + (unit * largest) ** 2
        allowed = allowed + float(np.finfo(computed_in).tiny)
        if result[1] == np.float16:
            allowed = allowed + UNIT[result[1]] * exact + 2.0**-25
    return allowed


def difference(op, a, axis, result, got, computed_in):
    """None if `got` is what was expected, else what is wrong with it."""
    value, dtype = result
    value = np.asarray(value)
    if got.dtype != dtype:
        return f"dtype {got.dtype} instead of {dtype}"
    if got.shape != value.shape:
        return f"shape {got.shape} instead of {value.shape}"
    exact = dtype.kind != "f" or op in ("min", "max")
    with np.errstate(all="ignore"):
        # What is beyond the type's largest number is an infinity there.
        rounded = value.astype(dtype)
        same = (got == rounded) | (np.isnan(got) & np.isnan(rounded)) if dtype.kind == "f" else got == rounded
        if not exact:
            close = np.abs(got.astype(WIDEST) - value) <= bound(op, a, axis, result, computed_in)
            same = same | (close & np.isfinite(rounded))
    if np.all(same):
        return None
    where = tuple(int(i) for i in np.argwhere(~np.atleast_1d(same))[0])
    wrong = int(np.sum(~same))
    return f"{wrong} of {same.size} differ; first at {where}: {np.atleast_1d(got)[where]!r} instead of {np.atleast_1d(rounded)[where]!r}"
