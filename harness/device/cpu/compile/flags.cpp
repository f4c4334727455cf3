#include "harness/device/cpu/compile/flags.h"

#include <algorithm>
#include <array>

#include "harness/device/cpu/compile/imports.h"
#include "harness/device/cpu/compile/machine.h"

namespace harness::cpu {
namespace {

constexpr std::array kFixed = {
    "-march=native", "-fPIC", "-fvisibility=hidden", "-fno-gnu-unique", "-fno-plt", "-fno-strict-aliasing",
    "-fno-semantic-interposition",      // a __forceinline__ specialization of a template may be written out in place
    "-fno-delete-null-pointer-checks",  // a store through null traps, as on a GPU
    "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast", "-fno-exceptions", "-fno-rtti",
    "-fno-asynchronous-unwind-tables", "-fno-threadsafe-statics", "-fno-extern-tls-init",
    // What some systems' compilers add unasked: calls that device code has no business with.
    "-fno-stack-protector", "-fno-stack-clash-protection", "-U_FORTIFY_SOURCE", "-Wreturn-type", "-Wuninitialized",
    "-Wno-attributes", "-Wno-unknown-pragmas", "-Wno-psabi", "-fmax-errors=20", "-fdiagnostics-color=never"};
constexpr std::array kStandards = {"c++14", "c++17", "c++20", "c++2a", "gnu++17", "gnu++20"};
constexpr std::array kLevels = {"-O0", "-O1", "-O2", "-O3"};

// The compiler's sanitizers call functions that checked.h defines; none of their libraries is linked. -O1 without what
// moves a load to where the source has none: it would be checked there. A float4 that is loaded stays one access: it is
// no four, and is counted as one.
constexpr std::array kChecked = {"-O1",
                                 "-g1",
                                 "-gdwarf-4",  // of a table as of 5 addr2line takes one file for another
                                 "-fsanitize=thread,alignment,bounds",
                                 "--param=tsan-distinguish-volatile=1",
                                 "--param=tsan-instrument-func-entry-exit=0",
                                 "-fno-tree-loop-im",
                                 "-fno-tree-sra",
                                 "-Wno-tsan",  // fences are understood by ours
                                 "-DHARNESS_CPU_CHECKED=1"};
// Preprocessed by itself: what a macro compares then has columns of its own in the line table. And what stands behind
// && is compared where what stands before it holds. A function that selects is written out where it is called: each
// call is a comparison of its own.
constexpr std::array kCompares = {
    "-fsanitize-coverage=trace-cmp",          "-DHARNESS_CPU_COMPARES=1", "-no-integrated-cpp",
    "--param=logical-op-non-short-circuit=0", "-finline-functions",       "-finline-small-functions"};
constexpr std::array kWrapped = {"memcpy", "memmove", "memset", "malloc", "free"};
constexpr std::array kChoices = {"fminf", "fmaxf", "fmin", "fmax"};

template <typename List>
bool contains(const List& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

}  // namespace

Flags compile_flags(const BuildSpec& spec, const std::string& include_folder) {
  Flags flags;
  std::string standard = "c++17", level = "-O2";
  for (const std::string& option : spec.options) {
    const std::string bare = option.starts_with("--std=")  ? option.substr(6)
                             : option.starts_with("-std=") ? option.substr(5)
                                                           : "";
    if (contains(kStandards, bare)) standard = bare == "c++14" ? "c++17" : bare;
    else if (contains(kLevels, option)) level = option;
    else flags.ignored.push_back(option);
  }
  flags.arguments = {"-std=" + standard, level};
  flags.arguments.insert(flags.arguments.end(), kFixed.begin(), kFixed.end());
  flags.arguments.insert(flags.arguments.end(), std::begin(kFlagsHere), std::end(kFlagsHere));
  if (spec.checked) flags.arguments.insert(flags.arguments.end(), kChecked.begin(), kChecked.end());
  if (spec.checked && spec.compares) flags.arguments.insert(flags.arguments.end(), kCompares.begin(), kCompares.end());
  flags.own = flags.arguments;
  for (const auto& [name, value] : spec.defines) flags.arguments.push_back("-D" + name + "=" + value);
  flags.arguments.push_back("-I" + include_folder);
  for (const std::string& folder : spec.include_dirs) flags.arguments.push_back("-I" + folder);
  return flags;
}

std::vector<std::string> link_flags(const BuildSpec& spec) {
  std::vector<std::string> flags = {
      "-shared",     "-nostartfiles",      "-Wl,-Bsymbolic",       "-Wl,-z,now",           "-Wl,-z,relro",
      "-Wl,-z,defs", "-Wl,-z,noexecstack", "-Wl,-z,separate-code", "-Wl,--hash-style=sysv"};
  for (const char* name : kExports) flags.push_back(std::string("-Wl,--ignore-unresolved-symbol=") + name);
  if (spec.checked)
    for (const char* name : kWrapped) flags.push_back(std::string("-Wl,--wrap=") + name);
  if (spec.checked && spec.compares)
    for (const char* name : kChoices) flags.push_back(std::string("-Wl,--wrap=") + name);
  return flags;
}

}  // namespace harness::cpu
