#include "harness/device/cuda/compile/compiler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "harness/core/bounded_log.h"
#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/device/cuda/compile/build_options.h"
#include "harness/device/cuda/compile/builtin_headers.h"
#include "harness/device/cuda/compile/compile_log.h"
#include "harness/device/cuda/compile/cubin.h"
#include "harness/device/cuda/compile/entry_facts.h"
#include "harness/device/cuda/compile/included.h"
#include "harness/device/cuda/compile/module_state.h"
#include "harness/device/cuda/compile/nvrtc_program.h"
#include "harness/device/cuda/compile/parameter_kinds.h"
#include "harness/device/port/included.h"
#include "harness/system/run_in_child.h"

namespace harness::cuda {
namespace {

const NvrtcApi& require_nvrtc() {
  const NvrtcLibrary& library = nvrtc_library();
  if (!library.api) throw environment_error(library.missing);
  return *library.api;
}

/// Hash of everything that decides the cubin. The toolkit's own headers stand for themselves by folder and version, and
/// for nothing where nothing is included.
std::string build_key(const NvrtcApi& api, const BuildSpec& spec, const std::vector<std::string>& options,
                      const std::string& toolkit_include, const cpp_text::IncludeClosure& included) {
  Sha256 hash;
  const bool includes = !included.files.empty() || !included.absent.empty();
  hash.field("nvrtc cubin 6").field(api.version()).field(includes ? toolkit_include : "");
  for (const BuiltinHeader& header : builtin_headers()) hash.field(header.name).field(header.text);
  hash.field(spec.source_name).field(spec.source);
  for (const std::string& option : options) {
    if (!option.starts_with("--include-path=")) hash.field(option);
  }
  hash.field("entries");
  for (const std::string& entry : spec.entries) hash.field(entry);
  if (!spec.constants.empty()) hash.field("constants");
  for (const std::string& symbol : spec.constants) hash.field(symbol);
  hash.field("headers");
  for (const cpp_text::IncludedFile& file : included.files) hash.field(file.name).field(file.text);
  hash.field("of the toolkit");
  for (const cpp_text::IncludedFile& file : included.absent) hash.field(file.name);
  return hash.hex();
}

std::vector<EntryResources> entry_resources(const BuildSpec& spec, const NvrtcOutput& output, const Cubin& cubin) {
  const auto logged = parse_ptxas_log(output.log);
  const auto kinds = parameter_kinds(output.ptx);
  std::vector<EntryResources> entries;
  for (const std::string& entry : spec.entries) {
    const std::string& mangled = output.lowered_names.at(entry);
    const auto kernel = cubin.kernels.find(mangled);
    if (kernel == cubin.kernels.end()) throw environment_error(fmt::format("the cubin has no kernel {}.", mangled));
    const auto line = logged.find(mangled);
    const LoggedResources said = line == logged.end() ? LoggedResources{} : line->second;
    entries.push_back(
        entry_facts(entry, kernel->second, said, known_kinds(kinds, mangled, kernel->second.parameter_bytes.size())));
  }
  return entries;
}

std::map<std::string, std::string> entries_by_mangled_name(const NvrtcOutput& output) {
  std::map<std::string, std::string> names;
  for (const auto& [entry, mangled] : output.lowered_names) names[mangled] = entry;
  return names;
}

std::string without_spaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

/// NVRTC reports an entry it cannot find on a line of its own making; a plain sentence in front says what it means.
std::string explain(const BuildSpec& spec, const std::string& log) {
  constexpr std::string_view kMark = "Input name expression was: \"";
  std::string sentences;
  for (std::size_t at = log.find(kMark); at != std::string::npos; at = log.find(kMark, at + 1)) {
    const std::size_t begin = at + kMark.size();
    const std::string named = without_spaces(log.substr(begin, log.find('"', begin) - begin));
    for (const std::string& entry : spec.entries) {
      if (without_spaces(entry) == named) {
        sentences += fmt::format("{}: the entry '{}' of the plan names no __global__ function of this source.\n",
                                 spec.source_name, entry);
      }
    }
    for (const std::string& symbol : spec.constants)
      if (without_spaces(constant_key(symbol)) == named)
        sentences += fmt::format("{}: '{}', which the plan fills, names no __constant__ variable of this source.\n",
                                 spec.source_name, symbol);
  }
  return sentences + log;
}

std::string no_answer(const BuildSpec& spec, const ChildAnswer& answer, const CompileLimits& limits) {
  const std::string what = answer.timed_out ? fmt::format("gave up after {} s", limits.deadline_s)
                           : answer.signal
                               ? fmt::format("ended with signal {} ({})", answer.signal, strsignal(answer.signal))
                               : "ended without an answer";
  return fmt::format("{}: error: the compiler {}\n{}", spec.source_name, what, answer.text);
}

double compile_seconds(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

NvrtcCompiler::NvrtcCompiler(const std::string& cache_folder, std::string architecture, std::string toolkit_include,
                             const Walls& walls, CompileLimits limits)
    : cache_(cache_folder),
      architecture_(std::move(architecture)),
      toolkit_include_(std::move(toolkit_include)),
      walls_(walls),
      limits_(limits),
      others_(cache_folder, architecture_, toolkit_include_, walls, limits) {
  const NvrtcApi& api = require_nvrtc();
  const auto& supported = api.architectures;
  if (std::find(supported.begin(), supported.end(), compute_capability(architecture_)) == supported.end()) {
    throw environment_error(
        fmt::format("NVRTC {} does not compile for {}; it knows sm_{}. Name one of these, or install "
                    "another toolkit.",
                    api.version(), architecture_, fmt::join(supported, ", sm_")));
  }
}

Confinement NvrtcCompiler::confinement(const BuildSpec& spec) const {
  Reach reach{spec.include_dirs, {"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"}, ""};
  if (!toolkit_include_.empty()) reach.readable.push_back(toolkit_include_);
  reach.programs.push_back(library_folder(require_nvrtc()));
  return {walls_, reach};
}

BuildResult NvrtcCompiler::build(const BuildSpec& given) {
  if (!given.builder.empty()) return others_.build(given);
  BuildSpec spec = given;
  for (std::string& folder : spec.include_dirs) folder = std::filesystem::absolute(folder).string();
  const auto start = std::chrono::steady_clock::now();
  const NvrtcApi& api = require_nvrtc();
  const NvrtcOptions options = nvrtc_options(spec, architecture_, toolkit_include_);
  if (!options.refused.empty()) {
    return CompileFailure{fmt::format("{}: the compile option '{}' is not allowed; allowed are {}.", spec.source_name,
                                      options.refused.front(), allowed_options())};
  }
  const cpp_text::IncludeClosure included = included_by(spec, toolkit_include_);
  if (!included.refused.empty()) return CompileFailure{included.refused.front()};
  refuse_changed(spec, included);
  Artifact artifact;
  artifact.key = build_key(api, spec, options.options, toolkit_include_, included);
  if (auto cached = cache_.find(artifact.key)) return std::move(*cached);

  const auto compile = [&] {
    return to_bytes(
        compile_with_nvrtc(api, spec.source_name, spec.source, spec.entries, options.options, spec.constants));
  };
  ChildAnswer answer = run_in_child(compile, limits_, confinement(spec));
  // Nothing in a source kills with SIGKILL: the machine's memory ran out, or somebody did. Not blamed at once.
  for (int attempt = 1; attempt < kTriesOfKilled && answer.signal == SIGKILL && !answer.timed_out; ++attempt)
    answer = run_in_child(compile, limits_, confinement(spec));
  if (!answer.answered) return CompileFailure{no_answer(spec, answer, limits_), compile_seconds(start)};
  refuse_changed(spec, included_by(spec, toolkit_include_));  // meanwhile
  const NvrtcOutput output = from_bytes(answer.text);
  if (!output.compiled) return CompileFailure{bounded(explain(spec, output.log)), compile_seconds(start)};
  const Cubin cubin = parse_cubin(output.cubin);
  artifact.code_hash = cubin.code_hash;
  artifact.architecture = architecture_;
  artifact.compiler = "NVRTC " + api.version();
  artifact.log = bounded(output.log);
  artifact.notes = performance_notes(output.log, entries_by_mangled_name(output));
  artifact.entries = entry_resources(spec, output, cubin);
  artifact.globals = kept_state(cubin.variables, output.ptx);
  artifact.compile_s = compile_seconds(start);
  cache_.store(artifact, output.lowered_names, output.cubin, output.ptx);
  return artifact;
}

}  // namespace harness::cuda
