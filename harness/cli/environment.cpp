#include "harness/cli/environment.h"

#include <fmt/format.h>

namespace harness {
namespace {

struct Variable {
  const char* name;
  const char* meaning;
};

constexpr Variable kVariables[] = {
    {"HARNESS_HOME", "The folder with kernels/ and strategies/ (default: found from here, then from the program)"},
    {"HARNESS_DB", "The store, where --db names none (default: experiments.db in the project's top folder)"},
    {"HARNESS_CACHE", "The folder of compiled candidates (default: $XDG_CACHE_HOME/harness, else ~/.cache/harness)"},
    {"HARNESS_CACHE_SIZE", "How large that may become, 500M or 5G (default: 5G): the least recently used builds go"},
    {"HARNESS_LIBCLANG", "The library that harness adopt reads CUDA with (default: the newest that is installed)"},
    {"HARNESS_PYTHON", "The python3 with PyTorch that computes references, and with Triton (default: those in PATH)"},
    {"HARNESS_BUILDER_FOLDERS",
     "Further folders that builders may read, such as CUTLASS's include, separated by colons"},
    {"HARNESS_USD_PER_HOUR", "The price of the device, where --usd-per-hour gives none"},
    {"HARNESS_SIGNING_KEY", "The private key's file that harness package signs with, where --sign names none"},
    {"COLUMNS", "How wide tables and live lines may be (default: the terminal)"},
    {"NO_COLOR", "If it is set, nothing is printed in color"},
    {"PATH", "Where g++, addr2line and compute-sanitizer are found"},
    {"CUDA_HOME, CUDA_PATH", "The CUDA toolkit, looked at before /usr/local/cuda"},
    {"VIRTUAL_ENV, CONDA_PREFIX", "Python environments whose packages may hold the CUDA libraries"},
    {"CUDA_VISIBLE_DEVICES", "Which GPUs are seen, and as which numbers"},
    {"LD_LIBRARY_PATH", "Where the driver, NVRTC and the CUDA libraries are looked for first"},
    {"TMPDIR", "Where compute-sanitizer's files are written (default: /tmp)"},
};

}  // namespace

std::string environment_help() {
  std::string text = "Environment:";
  for (const Variable& variable : kVariables) text += fmt::format("\n  {:<27} {}", variable.name, variable.meaning);
  return text;
}

}  // namespace harness
