"""The Vulkan drivers of this machine, as tests/harness/drivers.rs finds them: lavapipe at several subgroup sizes, SwiftShader, and what else has a device."""

import argparse
import json
import os
import pathlib
import platform
import subprocess
import sys

PROJECT = pathlib.Path(__file__).resolve().parents[2]
PATHS = ["lsm", "subgroup", "shuffle"]
FETCHED = PROJECT / "target" / "vulkan"


class Driver:
    """A driver in one of its settings: its name, and the environment of a process that is to use it."""

    def __init__(self, name, manifest, **variables):
        self.name = name
        # Loaders before 1.3.207 know only the second name.
        self.environment = {"NODEVICE_SELECT": "1", "VK_DRIVER_FILES": str(manifest), "VK_ICD_FILENAMES": str(manifest), **variables}
        layers = FETCHED / "explicit_layer.d"
        if layers.is_dir() and "VK_LAYER_PATH" not in os.environ:
            self.environment["VK_LAYER_PATH"] = str(layers)
        self.capabilities = None

    def probe(self, binary, arguments):
        """Asks the command for the device's capabilities. False if there is no device."""
        command = [binary, "info", "--json", *arguments]
        try:
            done = subprocess.run(command, env={**os.environ, **self.environment}, capture_output=True, text=True, timeout=60)
        except subprocess.TimeoutExpired:
            return False
        if done.returncode == 0:
            self.capabilities = find_capabilities(json.loads(done.stdout))
        return self.capabilities is not None

    def has_path(self, path):
        """Whether the device has the subgroup operation that a path takes. Asked after the probe."""
        needs = {"lsm": None, "subgroup": "ARITHMETIC", "shuffle": "SHUFFLE"}[path]
        return needs is None or needs in self.capabilities["subgroup"]["operations"].split(" | ")


def find_capabilities(value):
    """The first device's capabilities in what `wavelane info --json` prints."""
    if isinstance(value, dict):
        if "subgroup" in value and "features" in value:
            return value
        value = list(value.values())
    if isinstance(value, list):
        return next((found for found in map(find_capabilities, value) if found), None)
    return None


def stem(manifest):
    return manifest.name.split(".")[0].removesuffix("_icd")


def manifests():
    chosen = os.environ.get("VK_DRIVER_FILES") or os.environ.get("VK_ICD_FILENAMES")
    if chosen:
        files = [pathlib.Path(part) for part in chosen.split(os.pathsep)]
    else:
        data = os.environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
        roots = ["/etc/xdg", "/usr/local/etc", "/etc", pathlib.Path.home() / ".local/share", *data.split(os.pathsep)]
        folders = [pathlib.Path(root) / "vulkan" / "icd.d" for root in roots] + [FETCHED / "icd.d"]
        files = [file for folder in folders for file in sorted(folder.glob("*.json"))]
    found = {}
    for file in files:
        parts = file.name.split(".")
        if file.is_file() and (len(parts) != 3 or parts[1] == platform.machine()):
            found.setdefault(stem(file), file)
    return found


def candidates():
    """Every driver there may be; those that are not software may turn out to have no device."""
    found = manifests()
    lavapipe = next((file for name, file in found.items() if "lvp" in name), None)
    swiftshader = next((file for name, file in found.items() if "swiftshader" in name), None)
    drivers = []
    if lavapipe:
        sizes = [8, 16] if swiftshader else [4, 8, 16]
        drivers += [Driver(f"lavapipe-{size}", lavapipe, LP_NATIVE_VECTOR_WIDTH=str(32 * size)) for size in sizes]
    if swiftshader:
        drivers.append(Driver("swiftshader-4", swiftshader))
    drivers += [Driver(name, file) for name, file in found.items() if "lvp" not in name and "swiftshader" not in name]
    return drivers


def from_command_line(description):
    """The options that the comparisons share, and the drivers that they choose. Ends the process if there is none."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--binary", default=str(PROJECT / "target/debug/wavelane"))
    parser.add_argument("--driver", action="append")
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    chosen = [driver for driver in candidates() if not options.driver or driver.name in options.driver]
    chosen = [driver for driver in chosen if driver.probe(options.binary, [])]
    if not chosen:
        sys.exit("error: no device of any driver\nhelp: run scripts/setup --tests")
    return options, chosen
