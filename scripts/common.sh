# Sourced by the scripts beside it: where the project is, how to speak, how to become root.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# SwiftShader and the recent validation layer are unpacked here; the tests look here too.
# shellcheck disable=SC2034
vulkan_dir=$root/target/vulkan

say() { printf '%s\n' "$*" >&2; }
fail() {
  printf 'error: %s\n' "$1" >&2
  printf 'help: %s\n' "$2" >&2
  exit 1
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "installing packages needs root, and there is no sudo" "run scripts/setup as root once (with --tests for the tests); nothing else needs it"
  fi
}

# A GPU that a driver could open: a DRM render node, an NVIDIA device, or WSL's.
has_gpu() { compgen -G '/dev/dri/renderD*' >/dev/null || [ -e /dev/nvidia0 ] || [ -e /dev/dxg ]; }

# The driver manifest of lavapipe, Mesa's software Vulkan; its name differs between releases.
lavapipe_manifest() {
  local file
  for file in /usr/local/share/vulkan/icd.d/lvp_icd*.json /usr/share/vulkan/icd.d/lvp_icd*.json; do
    [ -e "$file" ] && printf '%s\n' "$file" && return
  done
  return 1
}

# Without a GPU the other installed drivers can only fail, and some do so by crashing.
choose_drivers() {
  local file
  if [ -z "${VK_DRIVER_FILES:-}${VK_ICD_FILENAMES:-}" ] && ! has_gpu && file=$(lavapipe_manifest); then
    # Loaders before 1.3.207 know only the second name.
    export VK_DRIVER_FILES=$file VK_ICD_FILENAMES=$file
  fi
}

require_cargo() {
  local home=${CARGO_HOME:-${HOME:-}/.cargo}
  command -v cargo >/dev/null || PATH=$home/bin:$PATH
  command -v cargo >/dev/null || fail "there is no cargo" "install Rust from https://rustup.rs"
}

# A Python that has numpy: the one on PATH may be the user's own, without it.
numpy_python() {
  local python
  for python in python3 /usr/bin/python3; do
    "$python" -c 'import numpy' >/dev/null 2>&1 && printf '%s\n' "$python" && return
  done
  return 1
}
