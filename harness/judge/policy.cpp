#include "harness/judge/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "harness/core/gates.h"
#include "harness/judge/policy_text.h"

namespace harness::judge {
namespace {

struct FlaggedWord {
  std::string_view category, word, what;
};

// Whole identifiers in CUDA C++.
constexpr FlaggedWord kIdentifiers[] = {
    {"timers", "clock", "reads a clock"},
    {"timers", "clock64", "reads a clock"},
    {"timers", "__clock", "reads a clock"},
    {"timers", "__clock64", "reads a clock"},
    {"timers", "__globaltimer", "reads the global timer"},
    {"timers", "clock_gettime", "reads the host's clock"},
    {"timers", "gettimeofday", "reads the host's clock"},
    {"timers", "chrono", "reads the host's clock"},
    {"timers", "__rdtsc", "reads the time stamp counter"},
    {"timers", "__rdtscp", "reads the time stamp counter"},
    {"timers", "__builtin_ia32_rdtsc", "reads the time stamp counter"},
    {"timers", "__builtin_ia32_rdtscp", "reads the time stamp counter"},
    {"launch_state", "__nv_static_counter", "counts launches"},
    {"host_calls", "syscall", "makes system calls"},
    {"host_calls", "dlsym", "looks for symbols of the program that loads it"},
    {"host_calls", "dlopen", "loads libraries"},
    {"host_calls", "fork", "starts processes"},
    {"host_calls", "vfork", "starts processes"},
    {"host_calls", "execve", "starts programs"},
    {"host_calls", "popen", "starts programs"},
    {"host_calls", "pthread_create", "starts threads"},
    {"host_calls", "ptrace", "looks into processes"},
    {"host_calls", "mmap", "maps memory"},
    {"host_calls", "mprotect", "changes the protection of memory"},
    {"host_calls", "sigaction", "catches signals"},
    {"host_calls", "setjmp", "jumps out of its launch"},
    {"host_calls", "longjmp", "jumps out of its launch"},
    {"host_calls", "_exit", "ends the process"},
    {"host_calls", "_Exit", "ends the process"},
    {"host_calls", "atexit", "runs code after its launch"},
    {"host_calls", "constructor", "runs code before its launch"},
    {"host_calls", "destructor", "runs code after its launch"},
    {"host_calls", "fesetround", "changes the rounding of the host"},
    {"host_calls", "fesetenv", "changes the arithmetic of the host"},
    {"host_calls", "_mm_setcsr", "changes the arithmetic of the host"},
    {"host_calls", "__builtin_ia32_ldmxcsr", "changes the arithmetic of the host"},
    {"host_calls", "fopen", "opens files"},
    {"host_calls", "openat", "opens files"},
    {"host_calls", "ifstream", "opens files"},
    {"host_calls", "ofstream", "opens files"},
    {"host_calls", "getenv", "reads the environment"},
    {"host_calls", "environ", "reads the environment"},
    {"eviction_hints", "__ldlu", "hints at the last use of a line"},
};

// Anywhere in assembly, PTX, or the text of an `asm`.
constexpr FlaggedWord kAssembly[] = {
    {"timers", "%clock", "reads a clock"},
    {"timers", "%globaltimer", "reads the global timer"},
    {"timers", "rdtsc", "reads the time stamp counter"},
    {"launch_state", "%gridid", "reads the number of its launch"},
    {"launch_state", "%envreg", "reads what the driver passes"},
    {"eviction_hints", "evict_last", "pins lines in the L2"},
    {"eviction_hints", "createpolicy", "makes an L2 eviction policy"},
    {"eviction_hints", "applypriority", "sets L2 priorities"},
    {"eviction_hints", "L2::cache_hint", "gives an L2 eviction policy"},
    {"eviction_hints", "discard.", "drops lines of the L2"},
    {"includes", "incbin", "includes a file"},
    {"includes", ".include", "includes a file"},
    {"host_calls", "syscall", "makes system calls"},
};

// First word of the PTX instructions that honest kernels write by hand.
const std::set<std::string, std::less<>>& known_instructions() {
  static const std::set<std::string, std::less<>> kKnown{
      "abs",       "activemask", "add",      "addc",      "and",        "atom",  "bar",        "barrier",
      "bfe",       "bfi",        "bfind",    "bmsk",      "bra",        "brev",  "call",       "clz",
      "cnot",      "copysign",   "cos",      "cp",        "cvt",        "cvta",  "div",        "dp2a",
      "dp4a",      "elect",      "ex2",      "fence",     "fma",        "fns",   "getctarank", "griddepcontrol",
      "isspacep",  "ld",         "ldmatrix", "ldu",       "lg2",        "lop3",  "mad",        "madc",
      "mapa",      "match",      "max",      "mbarrier",  "membar",     "min",   "mma",        "mov",
      "movmatrix", "mul",        "mul24",    "nanosleep", "neg",        "not",   "or",         "popc",
      "prefetch",  "prefetchu",  "prmt",     "rcp",       "red",        "redux", "rem",        "ret",
      "rsqrt",     "sad",        "selp",     "set",       "setmaxnreg", "setp",  "shf",        "shfl",
      "shl",       "shr",        "sin",      "slct",      "sqrt",       "st",    "stmatrix",   "sub",
      "subc",      "szext",      "tanh",     "tensormap", "testp",      "vote",  "wgmma",      "wmma",
      "xor"};
  return kKnown;
}

// Headers of the toolkit and the language that a kernel may include besides its own.
bool is_known_header(std::string_view name) {
  static const std::set<std::string, std::less<>> kKnown{"cuComplex.h",
                                                         "cuda_fp16.h",
                                                         "cuda_fp16.hpp",
                                                         "cuda_bf16.h",
                                                         "cuda_bf16.hpp",
                                                         "cuda_fp8.h",
                                                         "cuda_fp8.hpp",
                                                         "cuda_fp4.h",
                                                         "cuda_fp6.h",
                                                         "mma.h",
                                                         "cuda.h",
                                                         "cuda_pipeline.h",
                                                         "cuda_runtime.h",
                                                         "cuda_pipeline_primitives.h",
                                                         "cooperative_groups.h",
                                                         "math_constants.h",
                                                         "vector_types.h",
                                                         "cstdint",
                                                         "stdint.h",
                                                         "cstddef",
                                                         "stddef.h",
                                                         "cmath",
                                                         "math.h",
                                                         "climits",
                                                         "limits.h",
                                                         "limits",
                                                         "cfloat",
                                                         "float.h",
                                                         "type_traits",
                                                         "utility",
                                                         "initializer_list",
                                                         "cassert",
                                                         "assert.h"};
  return kKnown.contains(name) || name.starts_with("cooperative_groups/") || name.starts_with("cuda/") ||
         name.starts_with("cub/") || name.starts_with("harness/");
}

bool is_plain_relative(std::string_view name) {
  return !name.starts_with("/") && name.find("..") == std::string_view::npos && !name.starts_with("~");
}

void flag_assembly(const std::string& file, int line, std::string_view text, std::vector<PolicyFlag>& flags) {
  for (const FlaggedWord& pattern : kAssembly) {
    if (text.find(pattern.word) == std::string_view::npos) continue;
    flags.push_back({std::string(pattern.category), file, fmt::format("{} ({})", pattern.what, pattern.word), line});
  }
}

void flag_unknown_instructions(const std::string& file, const AsmText& assembly, std::vector<PolicyFlag>& flags) {
  for (const std::string& word : instructions_of(assembly.text)) {
    if (known_instructions().contains(word)) continue;
    flags.push_back({"inline_assembly", file, fmt::format("inline assembly uses '{}', which is not on the list", word),
                     assembly.line});
  }
}

/// Attributes that change nothing of what a build counts or checks.
bool is_known_attribute(std::string_view name) {
  static const std::set<std::string, std::less<>> kKnown{"aligned",       "align",
                                                         "packed",        "always_inline",
                                                         "noinline",      "forceinline",
                                                         "unused",        "maybe_unused",
                                                         "nodiscard",     "likely",
                                                         "unlikely",      "fallthrough",
                                                         "noreturn",      "may_alias",
                                                         "const",         "pure",
                                                         "vector_size",   "device",
                                                         "host",          "global",
                                                         "shared",        "constant",
                                                         "grid_constant", "launch_bounds",
                                                         "deprecated",    "no_unique_address",
                                                         "assume"};
  return kKnown.contains(name);
}

bool is_known_pragma(std::string_view name) {
  static const std::set<std::string, std::less<>> kKnown{"unroll",
                                                         "nounroll",
                                                         "once",
                                                         "region",
                                                         "endregion",
                                                         "message",
                                                         "warning",
                                                         "diag_suppress",
                                                         "diag_default",
                                                         "diag_warning",
                                                         "push",
                                                         "pop",
                                                         "pack",
                                                         "GCC unroll",
                                                         "GCC ivdep",
                                                         "GCC diagnostic",
                                                         "GCC system_header",
                                                         "clang loop",
                                                         "clang diagnostic",
                                                         ""};
  return kKnown.contains(name) || name.starts_with("nv_") || name.starts_with("hd_") || name.starts_with("STDC ");
}

// What differs between a candidate's builds, or from machine to machine.
struct ProbedWord {
  std::string_view category, word, what;
};
constexpr ProbedWord kProbedWords[] = {
    {"build_probes", "__TIME__", "is compiled in with the time"},
    {"build_probes", "__DATE__", "is compiled in with the date"},
    {"build_probes", "__TIMESTAMP__", "is compiled in with the time"},
    {"build_probes", "__COUNTER__", "counts the uses of a name in a build"},
    {"instrumentation", "__SANITIZE_THREAD__", "asks whether it is checked"},
    {"instrumentation", "__SANITIZE_ADDRESS__", "asks whether it is checked"},
    {"instrumentation", "__has_feature", "asks what its build is"},
    {"instrumentation", "__builtin_constant_p", "asks what the compiler knows, which may differ from build to build"},
    {"instrumentation", "__builtin_object_size", "asks what the compiler knows, which may differ from build to build"},
    {"instrumentation", "__builtin_dynamic_object_size",
     "asks what the compiler knows, which may differ from build to build"},
};

/// Names that the guest headers of the cpu device, or a sanitizer's runtime, keep for themselves.
bool is_of_the_instrumentation(std::string_view word) {
  return word.starts_with(
             "HARNESS_"
             "CPU") ||
         word.starts_with("harness_cpu") || word.starts_with("__tsan_") || word.starts_with("__asan_") ||
         word.starts_with("__sanitizer_") || word.starts_with("__builtin_ia32_") || word.starts_with("__SANITIZE");
}

/// Names that one of the two compilers defines and the other does not, or defines otherwise: what g++ compiles for the
/// cpu device, where comparisons, races and memory are looked at, would be another kernel than NVRTC's.
bool tells_compilers_apart(std::string_view word) {
  static constexpr std::string_view kBeginnings[] = {"__GNU",
                                                     "__GXX_",
                                                     "__GCC_",
                                                     "__gnu_linux",
                                                     "__x86_64",
                                                     "__amd64",
                                                     "__i386",
                                                     "__i686",
                                                     "__linux",
                                                     "__unix",
                                                     "__ELF__",
                                                     "__SSE",
                                                     "__AVX",
                                                     "__MMX",
                                                     "__FMA__",
                                                     "__BMI",
                                                     "__SIZEOF_",
                                                     "__NVRTC",
                                                     "__CUDACC_RTC",
                                                     "__NVCC__",
                                                     "__clang",
                                                     "__EDG",
                                                     "__OPTIMIZE",
                                                     "__VERSION__",
                                                     "__NO_INLINE",
                                                     "__FAST_MATH__",
                                                     "__PIC__",
                                                     "__pic__",
                                                     "__PIE__",
                                                     "__pie__",
                                                     "__GLIBC",
                                                     "__LP64__",
                                                     "_GNU_SOURCE",
                                                     "__STDC_HOSTED",
                                                     "__has_builtin",
                                                     "__has_attribute",
                                                     "__has_cpp_attribute",
                                                     "__has_extension"};
  return std::ranges::any_of(kBeginnings, [&](std::string_view beginning) { return word.starts_with(beginning); });
}

void flag_probes(const std::string& file, const SourceParts& parts, std::vector<PolicyFlag>& flags) {
  const bool own = file.find("harness/") == 0;  // its headers are the harness's
  for (const WordAt& word : parts.words) {
    const auto probe = std::ranges::find(kProbedWords, word.text, &ProbedWord::word);
    if (probe != std::end(kProbedWords))
      flags.push_back({std::string(probe->category), file, fmt::format("{} ({})", probe->what, word.text), word.line});
    else if (!own && is_of_the_instrumentation(word.text))
      flags.push_back({"instrumentation", file,
                       fmt::format("uses a name of the instrumentation or of the host ({})", word.text), word.line});
    else if (!own && tells_compilers_apart(word.text))
      flags.push_back(
          {"instrumentation", file,
           fmt::format("asks which compiler reads it ({}): what is checked would not be what runs", word.text),
           word.line});
  }
  for (const int line : parts.renumbered)
    flags.push_back(
        {"instrumentation", file, "#line gives its lines other names: what is found could not be told", line});
  for (const NameAt& attribute : parts.attributes)
    if (!is_known_attribute(attribute.text))
      flags.push_back({"instrumentation", file,
                       fmt::format("gives the attribute '{}', which is not on the list of those that change nothing of "
                                   "what is checked and counted",
                                   attribute.text),
                       attribute.line});
  for (const NameAt& pragma : parts.pragmas)
    if (!is_known_pragma(pragma.text))
      flags.push_back({"instrumentation", file,
                       fmt::format("has the pragma '{}', which is not on the list of those that change nothing of what "
                                   "is checked and counted",
                                   pragma.text),
                       pragma.line});
}

void flag_include(const std::string& file, const IncludeText& include, const std::set<std::string>& libraries,
                  std::vector<PolicyFlag>& flags) {
  if (include.directive == "include" && is_plain_relative(include.name) && is_of_library(include.name, libraries))
    return;
  const bool own = is_plain_relative(include.name) && (include.quoted || is_known_header(include.name));
  if (include.directive == "include" && (own || is_known_header(include.name))) return;
  if (include.directive.starts_with("__has_") && is_known_header(include.name)) return;
  flags.push_back({"includes", file,
                   fmt::format("#{} of '{}', which lies outside its folders", include.directive,
                               include.name.empty() ? "a computed name" : include.name),
                   include.line});
}

/// Whether `word` is two or more of the pieces in a row: then `##` can make it, and nobody sees it in the text.
bool can_be_pasted(std::string_view word, const std::set<std::string, std::less<>>& pieces) {
  std::vector<bool> reached(word.size() + 1);
  reached[0] = true;
  for (std::size_t from = 0; from < word.size(); ++from) {
    if (!reached[from]) continue;
    for (std::size_t length = 1; from + length <= word.size(); ++length)
      if (length < word.size() && pieces.contains(word.substr(from, length))) reached[from + length] = true;
  }
  return reached[word.size()];
}

void flag_pasted(const std::string& file, const SourceParts& parts, std::vector<PolicyFlag>& flags) {
  if (!parts.pastes) return;
  const std::set<std::string, std::less<>> pieces(parts.pieces.begin(), parts.pieces.end());
  const auto flag = [&](std::string_view category, std::string_view what, std::string_view word) {
    if (can_be_pasted(word, pieces))
      flags.push_back({std::string(category), file, fmt::format("{} ({}, which ## can join here)", what, word), 1});
  };
  for (const FlaggedWord& word : kIdentifiers) flag(word.category, word.what, word.word);
  for (const ProbedWord& probe : kProbedWords) flag(probe.category, probe.what, probe.word);
  for (const std::string_view name : {"HARNESS_"
                                      "CPU_CHECKED",
                                      "__attribute__", "__attribute", "__x86_64__", "__CUDACC_RTC__", "__GNUC__"})
    flag("instrumentation", "makes a name of the instrumentation", name);
}

std::vector<PolicyFlag> flags_of(const std::string& file, const SourceParts& parts,
                                 const std::set<std::string>& libraries) {
  std::vector<PolicyFlag> flags;
  for (const WordAt& word : parts.words) {
    const auto rule = std::find_if(std::begin(kIdentifiers), std::end(kIdentifiers),
                                   [&](const FlaggedWord& p) { return p.word == word.text; });
    if (rule == std::end(kIdentifiers)) continue;
    // A function is meant only where it is called; attributes and namespaces are meant anywhere.
    const bool anywhere = word.text == "chrono" || word.text == "constructor" || word.text == "destructor" ||
                          word.text == "environ" || word.text == "ifstream" || word.text == "ofstream";
    if (!anywhere && !word.called && !word.defined) continue;
    flags.push_back({std::string(rule->category), file, fmt::format("{} ({})", rule->what, word.text), word.line});
  }
  for (const AsmText& assembly : parts.assembly) {
    flag_assembly(file, assembly.line, assembly.text, flags);
    flag_assembly(file, assembly.line, assembly.words, flags);
    flag_unknown_instructions(file, assembly, flags);
  }
  for (const IncludeText& include : parts.includes) flag_include(file, include, libraries, flags);
  flag_probes(file, parts, flags);
  flag_pasted(file, parts, flags);
  return flags;
}

std::string list_of(const std::vector<PolicyFlag>& flags) {
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t i = 0; i < flags.size() && i < kShown; ++i)
    text += fmt::format("{}{}:{}: {} [{}]", i == 0 ? "" : "; ", flags[i].file, flags[i].line, flags[i].what,
                        flags[i].category);
  if (flags.size() > kShown) text += fmt::format("; and {} more", flags.size() - kShown);
  return text;
}

}  // namespace

std::set<std::string> granted_libraries(const std::map<std::string, std::string>& granted) {
  constexpr std::string_view kGrant = "library ";
  std::set<std::string> libraries;
  for (const auto& [name, reason] : granted)
    if (name.starts_with(kGrant)) libraries.insert(name.substr(kGrant.size()));
  return libraries;
}

bool is_of_library(std::string_view name, const std::set<std::string>& libraries) {
  const std::size_t slash = name.find('/');
  return slash != std::string_view::npos && libraries.contains(std::string(name.substr(0, slash)));
}

std::vector<PolicyFlag> scan_source(const std::string& file, std::string_view text,
                                    const std::set<std::string>& libraries) {
  std::vector<PolicyFlag> flags = flags_of(file, take_apart(text), libraries);
  if (text.find("??") == std::string_view::npos) return flags;
  // Whether a compiler knows trigraphs depends on its standard: the text is read both ways.
  for (PolicyFlag& flag : flags_of(file, take_apart(text, true), libraries)) {
    const bool flagged_before = std::ranges::any_of(
        flags, [&](const PolicyFlag& other) { return other.line == flag.line && other.what == flag.what; });
    if (!flagged_before) flags.push_back(std::move(flag));
  }
  return flags;
}

bool is_refused(const std::string& category) {
  return category != "inline_assembly";
}

GateResult policy_gate(const std::vector<PolicyFlag>& flags, const std::map<std::string, std::string>& granted,
                       bool refuse) {
  std::vector<PolicyFlag> refused, marked;
  std::set<std::string> reasons;
  for (const std::string& library : granted_libraries(granted))
    reasons.insert(fmt::format("library {} is not read: {}", library, granted.at("library " + library)));
  for (const PolicyFlag& flag : flags) {
    const auto grant = granted.find(flag.category);
    if (grant != granted.end()) reasons.insert(fmt::format("{} granted: {}", flag.category, grant->second));
    else if (refuse && is_refused(flag.category)) refused.push_back(flag);
    else marked.push_back(flag);
  }
  if (!refused.empty())
    return {name_of(gate::source_policy), false,
            list_of(refused) + "; remove it, or grant it in the contract's policy with a reason"};
  std::string detail = flags.empty() ? "nothing flagged" : "";
  for (const std::string& reason : reasons) detail += (detail.empty() ? "" : "; ") + reason;
  if (!marked.empty()) detail += (detail.empty() ? "" : "; ") + ("marked: " + list_of(marked));
  return {name_of(gate::source_policy), true, detail};
}

}  // namespace harness::judge
