#!/usr/bin/env python3
"""Puts the figures of `wavelane-bench kernels --json FILE` and of `cub`, or of `wgpu_sort`, side by side, as a Markdown table.

    compare.py wavelane.json cub.json    # both; the last column is how many times as fast Wavelane is
    compare.py wavelane.json             # Wavelane's alone
"""

import argparse
import json
import sys


def load(path):
    """What is told of the run, and the figures by case and size."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        about = json.loads(text)
        rows = about.pop("rows", [])
    except json.JSONDecodeError:
        # A line for the device, and one for each figure.
        about, *rows = [json.loads(line) for line in text.splitlines() if line.strip()]
    return about, {(row["case"], row["log2"]): row for row in rows if "ns" in row}


def microseconds(row):
    ns = row["ns"]
    digits = 1 if ns["median"] < 1e6 else 0
    low, median, high = (f"{ns[name] / 1e3:.{digits}f}" for name in ("low", "median", "high"))
    return f"{median} ({low} to {high})"


def empty(about):
    return f"{about['empty_ns']['median'] / 1e3:.1f} µs"


def alone(about, rows):
    print(f"{about['device']}; the clock reads {empty(about)} for nothing.\n")
    print("| Case | Elements | µs | ns an element | GB/s | Path, strategy |\n|---|---|---|---|---|---|")
    for (case, log2), row in rows.items():
        how = ", ".join(row[name] for name in ("path", "strategy") if name in row)
        print(f"| {case} | 2^{log2} | {microseconds(row)} | {row['ns_per_element']:.3g} | {row['gb_per_s']:.3g} | {how} |")


def together(about, rows, cub_about, cub_rows):
    if about["device"] != cub_about["device"]:
        print(f"warning: {about['device']} and {cub_about['device']} are two devices", file=sys.stderr)
    for name in ("samples", "sets"):
        if about[name] != cub_about[name]:
            print(f"warning: {name} differ: {about[name]} and {cub_about[name]}", file=sys.stderr)
    peer, clock = ("CUB", "one of CUDA events") if "of" not in cub_about else (cub_about["of"], f"{cub_about['of']}'s clock")
    print(f"{about['device']}; an empty pair of timestamps reads {empty(about)}, {clock} {empty(cub_about)}.\n")
    print(f"| Case | Elements | Wavelane, µs | {peer}, µs | Wavelane, GB/s | {peer}, GB/s | {peer}'s time : Wavelane's |\n|---|---|---|---|---|---|---|")
    for key in list(cub_rows) + [key for key in rows if key not in cub_rows]:
        ours, theirs = rows.get(key), cub_rows.get(key)
        cells = [microseconds(row) if row else "" for row in (ours, theirs)]
        cells += [f"{row['gb_per_s']:.0f}" if row else "" for row in (ours, theirs)]
        cells.append(f"{theirs['ns']['median'] / ours['ns']['median']:.2f}" if ours and theirs else "")
        print(f"| {key[0]} | 2^{key[1]} | {' | '.join(cells)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wavelane", help="what `wavelane-bench kernels --json` wrote")
    parser.add_argument("cub", nargs="?", help="what `cub` printed")
    arguments = parser.parse_args()
    ours = load(arguments.wavelane)
    if arguments.cub:
        together(*ours, *load(arguments.cub))
    else:
        alone(*ours)


if __name__ == "__main__":
    main()
