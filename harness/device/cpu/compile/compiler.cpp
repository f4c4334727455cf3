#include "harness/device/cpu/compile/compiler.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/device/cpu/check/source_lines.h"
#include "harness/device/cpu/compile/dependencies.h"
#include "harness/device/cpu/compile/diagnostics.h"
#include "harness/device/cpu/compile/flags.h"
#include "harness/device/cpu/compile/imports.h"
#include "harness/device/cpu/compile/launch_bounds.h"
#include "harness/device/cpu/compile/leading_headers.h"
#include "harness/device/cpu/compile/loading.h"
#include "harness/device/cpu/compile/machine.h"
#include "harness/device/cpu/compile/source.h"
#include "harness/device/cpu/compile/toolchain.h"
#include "harness/device/cpu/guest/harness_cpu/abi.h"
#include "harness/device/port/included.h"
#include "harness/system/run_program.h"

namespace harness {
namespace {

constexpr std::int64_t kMaxStaticShared = 48 * 1024;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

BuildSpec with_absolute_folders(BuildSpec spec) {
  for (std::string& folder : spec.include_dirs) folder = std::filesystem::absolute(folder).string();
  return spec;
}

// What a source prints may look the same: it only costs further tries.
bool was_killed(const ProcessResult& result) {
  if (result.timed_out) return false;
  for (const int signal : {SIGKILL, SIGTERM, SIGHUP, SIGINT, SIGQUIT})
    if (result.exit_status == 128 + signal ||
        result.output.find(fmt::format("{} signal terminated program", strsignal(signal))) != std::string::npos ||
        result.output.find(fmt::format("terminated with signal {} [", signal)) != std::string::npos)  // of the linker
      return true;
  return false;
}

/// A link that g++ was made to leave behind would be followed by what reads and moves its files.
void keep_plain_files(const std::string& scratch) {
  std::error_code error;
  std::vector<std::filesystem::path> others;
  for (const auto& entry : std::filesystem::directory_iterator(scratch, error))
    if (entry.symlink_status(error).type() != std::filesystem::file_type::regular) others.push_back(entry.path());
  for (const auto& path : others) std::filesystem::remove_all(path, error);
}

void add(std::vector<std::string>& command, const std::vector<std::string>& more) {
  command.insert(command.end(), more.begin(), more.end());
}

/// What a GPU's linker refuses.
std::string oversized(const std::vector<EntryResources>& entries) {
  for (const EntryResources& entry : entries)
    if (entry.static_shared_bytes > kMaxStaticShared)
      return fmt::format("entry {} uses {} bytes of static shared memory; at most {} are possible (dynamic: {})\n",
                         entry.entry, entry.static_shared_bytes, kMaxStaticShared, HARNESS_CPU_MAX_SHARED);
  return "";
}

}  // namespace

CpuCompiler::CpuCompiler(const std::string& cache_folder, std::string include_folder, const std::string& compiler,
                         const Walls& walls, CompileLimits limits)
    : include_folder_(std::filesystem::absolute(include_folder).string()),
      cache_folder_(std::filesystem::absolute(cache_folder).string()),
      compiler_(compiler.empty() ? cpu::find_compiler() : compiler),
      walls_(walls),
      limits_(limits),
      cache_(cache_folder) {
  if (access(compiler_.c_str(), X_OK) != 0) throw environment_error(compiler_ + " is not a program; it should be g++");
  version_ = cpu::compiler_version(compiler_);
  if (walls_.around_files()) toolchain_ = cpu::toolchain_folders(compiler_);
  identity_ = version_ + "\n" + cpu::processor_features() +
              "\nwritable, kinds of parameters, launch bounds, no counters, hooks that jump";  // what artifacts tell of
                                                                                               // and hold
  prelude_.emplace(cache_folder, include_folder_, identity_);
  linking_.emplace(compiler_);
}

std::string CpuCompiler::request(const BuildSpec& spec, const std::string& source,
                                 const std::vector<std::string>& flags,
                                 const cpp_text::IncludeClosure& included) const {
  Sha256 hash;
  hash.field(identity_).field(source).field(std::to_string(HARNESS_CPU_ABI));
  // A file that comes to stand before another of its name is in no list of what g++ read before.
  for (const cpp_text::IncludedFile& file : included.files) hash.field(file.path.string()).field(file.text);
  for (const std::string& flag : flags) hash.field(flag);
  for (const std::string& entry : spec.entries) hash.field(entry);
  return hash.hex();
}

BuildResult CpuCompiler::build(const BuildSpec& given) {
  const BuildSpec spec = with_absolute_folders(given);  // g++ runs elsewhere
  const cpu::Flags flags = cpu::compile_flags(spec, include_folder_);
  const std::string source = cpu::candidate_source(spec);
  const cpp_text::IncludeClosure included = included_by(spec);
  if (!included.refused.empty()) return CompileFailure{included.refused.front() + "\n"};
  refuse_changed(spec, included);
  const std::string request = this->request(spec, source, flags.arguments, included);
  if (std::optional<Artifact> cached = cache_.find(request)) return *cached;
  const std::string scratch = cache_.scratch();
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::string> headers;
  BuildResult result = compile_safely(spec, source, flags, scratch, headers);
  try {
    refuse_changed(spec, included_by(spec));  // meanwhile
  } catch (const Error&) {
    cache_.discard(scratch);
    throw;
  }
  if (std::holds_alternative<Artifact>(result))
    if (std::string uncovered = this->uncovered(spec, included, headers); !uncovered.empty())
      result = CompileFailure{std::move(uncovered)};
  const std::string notes = cpu::describe_ignored(flags.ignored);
  if (auto* failure = std::get_if<CompileFailure>(&result)) {
    failure->compile_s = seconds_since(start);
    failure->log = notes + cpu::explain(failure->log, spec, scratch);
    cache_.discard(scratch);
    return result;
  }
  auto& artifact = std::get<Artifact>(result);
  artifact.compile_s = seconds_since(start);
  artifact.log = notes + cpu::explain(artifact.log, spec, scratch);
  cache_.store(request, headers, scratch, artifact);
  return result;
}

/// Why the candidate's hash would not cover what g++ read; "" if it does. `headers` keeps those whose change asks for
/// another build.
std::string CpuCompiler::uncovered(const BuildSpec& spec, const cpp_text::IncludeClosure& included,
                                   std::vector<std::string>& headers) {
  if (toolchain_.empty()) toolchain_ = cpu::toolchain_folders(compiler_);
  cpu::take_out_system_headers(headers, spec.include_dirs, toolchain_);
  return cpu::uncovered_dependency(headers, included, include_folder_, spec.source_name);
}

Confinement CpuCompiler::confinement(const BuildSpec& spec, const std::string& scratch) const {
  Reach reach{spec.include_dirs, toolchain_, scratch};
  reach.readable.push_back(include_folder_);
  return {walls_, reach};
}

std::string CpuCompiler::run(const std::vector<std::string>& command, const BuildSpec& spec, const std::string& scratch,
                             bool& failed) const {
  const Confinement confinement = this->confinement(spec, scratch);
  ProcessResult result = run_process(command, scratch, limits_, confinement);
  // Nothing in a source kills its compiler: the machine's memory ran out, or somebody did. Not blamed at once.
  for (int attempt = 1; attempt < kTriesOfKilled && was_killed(result); ++attempt)
    result = run_process(command, scratch, limits_, confinement);
  keep_plain_files(scratch);
  failed = result.timed_out || result.exit_status != 0;
  if (result.timed_out)
    return fmt::format("{}: error: the compiler gave up after {} s\n{}", spec.source_name, limits_.deadline_s,
                       result.output);
  if (failed && result.output.empty()) return fmt::format("the compiler ended with status {}\n", result.exit_status);
  return result.output;
}

BuildResult CpuCompiler::compile_safely(const BuildSpec& spec, const std::string& source, const cpu::Flags& flags,
                                        const std::string& scratch, std::vector<std::string>& headers) {
  try {
    return compile(spec, source, flags, scratch, headers);
  } catch (const Error&) {
    cache_.discard(scratch);
    throw;
  } catch (const std::runtime_error& malformed) {  // an object file that inline assembly has spoilt
    return CompileFailure{fmt::format("{}: error: {}\n", spec.source_name, malformed.what())};
  }
}

std::string CpuCompiler::prelude(const BuildSpec& spec, const cpu::Flags& flags) {
  std::vector<std::string> folders{include_folder_};
  add(folders, spec.include_dirs);
  // Checked are a campaign's winner and what has failed.
  cpu::Prelude::Request request{flags.own, cpu::leading_small_floats(spec.source, folders), spec.checked};
  request.flags.push_back("-I" + include_folder_);
  return prelude_->header(request, [&](std::vector<std::string> command, const std::string& scratch) {
    bool failed = false;
    command.insert(command.begin(), compiler_);
    run(command, {}, scratch, failed);
    return !failed;
  });
}

// False: whatever was in its way, g++ is asked instead, and tells.
bool CpuCompiler::link_directly(const BuildSpec& spec, const std::string& candidate, const cpu::ElfFacts& object,
                                const std::string& shared_memory, const std::string& scratch) {
  const std::string assembled = candidate + ".shared.o";
  const bool needs_libc = !std::ranges::all_of(object.imports, cpu::is_import_without_libc);
  const auto command =
      linking_->command({cpu::link_flags(spec), {candidate + ".o", assembled}, candidate + ".so", needs_libc});
  if (!command) return false;
  bool failed = false;
  if (const std::string* assembly = linking_->assembled(shared_memory)) {
    write_file(assembled, *assembly);
  } else {
    run({compiler_, "-c", candidate + ".s", "-o", assembled}, spec, scratch, failed);
    if (failed) return false;
    linking_->keep_assembled(shared_memory, read_file(assembled));
  }
  return run(*command, spec, scratch, failed).empty() && !failed;
}

std::string CpuCompiler::link(const BuildSpec& spec, const std::string& candidate, const cpu::ElfFacts& object,
                              const std::string& scratch, bool& failed) {
  const std::string shared_memory = cpu::dynamic_shared_source(object.tls);
  write_file(candidate + ".s", shared_memory);
  if (link_directly(spec, candidate, object, shared_memory, scratch)) return "";
  std::vector<std::string> command{compiler_};
  add(command, cpu::link_flags(spec));
  add(command, {candidate + ".o", candidate + ".s", "-o", candidate + ".so"});
  return run(command, spec, scratch, failed);
}

BuildResult CpuCompiler::compile(const BuildSpec& spec, const std::string& source, const cpu::Flags& flags,
                                 const std::string& scratch, std::vector<std::string>& headers) {
  const std::string prelude = this->prelude(spec, flags);
  BuildSpec seen = spec;  // what g++ may read
  if (prelude.starts_with(cache_folder_ + "/"))
    seen.include_dirs.push_back(std::filesystem::path(prelude).parent_path().string());
  const std::string candidate = scratch + "/candidate";
  write_file(candidate + ".cpp", source);
  bool failed = false;
  std::vector<std::string> command{compiler_};
  add(command, flags.arguments);
  if (spec.checked) add(command, cpu::line_table_options(include_folder_, spec.include_dirs));
  add(command, {"-x", "c++", "-pipe", "-include", prelude, "-fpch-deps", "-MD", "-MF", candidate + ".d",
                "-fmacro-prefix-map=" + scratch + "/=", "-c", candidate + ".cpp", "-o", candidate + ".o"});
  std::string log = run(command, seen, scratch, failed);
  if (failed && log.find("inlining failed in call to") != std::string::npos) {
    // To NVCC __forceinline__ is a wish: a function that calls itself, or is called by a pointer, stays one.
    write_file(candidate + ".cpp", "#undef __forceinline__\n#define __forceinline__ inline\n" + source);
    const std::string again = run(command, seen, scratch, failed);
    if (!failed) log = again;
  }
  if (failed) return CompileFailure{log};
  const std::string object_file = read_file(candidate + ".o");
  const cpu::ElfFacts object = cpu::read_elf(object_file);
  log += link(spec, candidate, object, scratch, failed);
  if (failed) return CompileFailure{log};

  std::string shared_object = read_file(candidate + ".so");
  if (spec.checked) {
    cpu::strike_instrumentation(shared_object);
    write_file(candidate + ".so", shared_object);
  }
  if (const std::string problem = cpu::loading_problem(shared_object); !problem.empty())
    return CompileFailure{
        fmt::format("{}{}: error: the built object is refused: {}\n", log, spec.source_name, problem)};
  const cpu::ElfFacts facts = cpu::read_elf(shared_object, spec.constants);
  Artifact artifact;
  artifact.entries = cpu::entry_resources(spec.entries, facts.entry_facts, object.tls);
  if (const std::string refusal = oversized(artifact.entries); !refusal.empty()) return CompileFailure{log + refusal};
  for (EntryResources& entry : artifact.entries)
    if (const auto bound = cpu::launch_bound(spec.source, entry.entry, spec.defines)) entry.max_threads = *bound;
  artifact.code_hash = facts.code_hash;
  artifact.globals = facts.variables;
  artifact.architecture = cpu::kArchitecture;
  artifact.compiler = version_;
  artifact.log = log;
  headers = cpu::read_dependencies(candidate + ".d", candidate + ".cpp");
  std::erase_if(headers,
                [&](const std::string& file) { return file.starts_with(cache_folder_ + "/"); });  // made of others
  for (const char* suffix : {".o", ".s", ".d", ".shared.o"}) std::filesystem::remove(candidate + suffix);
  return artifact;
}

}  // namespace harness
