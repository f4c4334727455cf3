#include "harness/device/cuda/compile/program_builder.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "harness/core/bounded_log.h"
#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/system/python.h"
#include "harness/system/run_program.h"
#include "harness/system/temporary_folder.h"

namespace harness::cuda {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCommand = "command:";
constexpr std::uintmax_t kLargestFile = 64 << 20, kLargestAnswer = 4 << 20;
constexpr double kPatience = 3;  // times a compiler's: an interpreter loads its modules first

const char* nvcc_builder_text() {
  static constexpr const char* kText =
#include "embedded/harness/device/cuda/compile/nvcc_builder.in"
      ;
  return kText;
}

const char* triton_builder_text() {
  static constexpr const char* kText =
#include "embedded/harness/device/cuda/compile/triton_builder.in"
      ;
  return kText;
}

const char* own_builder_text(const std::string& builder) {
  return builder == "nvcc" ? nvcc_builder_text() : triton_builder_text();
}

/// The bytes of a file that a builder names: a plain one in its scratch folder, no larger than `most`.
std::string file_of(const std::string& scratch, const std::string& path, std::uintmax_t most) {
  std::error_code failed;
  const fs::path folder = fs::canonical(scratch, failed);
  const fs::path real = fs::canonical(fs::path(scratch) / path, failed);
  const auto [end, nothing] = std::mismatch(folder.begin(), folder.end(), real.begin(), real.end());
  if (failed || end != folder.end() || !fs::is_regular_file(real, failed))
    throw bad_input(fmt::format("answered the path '{}', which is no file of its scratch folder", path));
  if (fs::file_size(real, failed) > most || failed)
    throw bad_input(fmt::format("answered '{}', which is larger than {} bytes", path, most));
  return read_file(real.string());
}

double build_seconds(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

ProgramBuilder::ProgramBuilder(const std::string& cache_folder, std::string architecture, std::string toolkit_include,
                               const Walls& walls, CompileLimits limits)
    : cache_(cache_folder),
      notes_(cache_folder),
      architecture_(std::move(architecture)),
      toolkit_include_(std::move(toolkit_include)),
      walls_(walls),
      limits_(limits) {}

std::string ProgramBuilder::toolkit() const {
  std::error_code failed;
  const fs::path include = fs::canonical(toolkit_include_, failed);
  // /usr/local/cuda/targets/x86_64-linux/include, or /usr/local/cuda/include
  for (fs::path folder = include; !failed && folder.has_relative_path(); folder = folder.parent_path())
    if (fs::exists(folder / "bin/nvcc", failed)) return folder.string();
  const std::string nvcc = find_program("nvcc", {"/usr/local/cuda/bin"});
  if (nvcc.empty()) return "";
  return fs::path(nvcc).parent_path().parent_path().string();
}

std::vector<std::string> ProgramBuilder::folders(const BuildSpec& spec) const {
  std::vector<std::string> folders;
  for (const std::string& folder : spec.include_dirs) folders.push_back(fs::absolute(folder).string());
  const char* const more = std::getenv("HARNESS_BUILDER_FOLDERS");
  std::istringstream list(more == nullptr ? "" : more);
  for (std::string folder; std::getline(list, folder, ':');)
    if (!folder.empty()) folders.push_back(fs::absolute(folder).string());
  return folders;
}

std::vector<ProgramBuilder::Program> ProgramBuilder::programs(const BuildSpec& spec, const std::string& scratch) const {
  if (spec.builder.starts_with(kCommand)) {
    const std::string path = spec.builder.substr(kCommand.size());
    return {{{path}, sha256_hex(read_file_if_any(path).value_or(""))}};
  }
  const std::string text = own_builder_text(spec.builder), script = scratch + "/builder.py";
  std::vector<Program> all;
  for (const std::string& python : python_interpreters()) all.push_back({{python, script}, sha256_hex(text)});
  return all;
}

std::string ProgramBuilder::key(const std::string& request, const std::vector<std::string>& read) {
  Sha256 hash;
  hash.field(request);
  for (const std::string& path : read) hash.field(path).field(hashes_.of(path));
  return hash.hex();
}

BuildResult ProgramBuilder::build(const BuildSpec& spec) {
  Sha256 hash;
  const json asked = builder_request(spec, architecture_, "", folders(spec), toolkit());
  hash.field("builder 1").field(spec.builder).field(json_text(asked));
  for (const Program& program : programs(spec, "")) hash.field(program.words[0]).field(program.identity);
  for (const auto& [path, text_hash] : spec.included) hash.field(path).field(text_hash);
  const std::string request = hash.hex();
  const json read = parse_json_if_valid(notes_.note(request).value_or(""));
  if (read.is_array())
    if (auto cached = cache_.find(key(request, read.get<std::vector<std::string>>()))) return std::move(*cached);
  const TemporaryFolder scratch("builder");
  return build_in(spec, request, scratch.path().string());
}

BuildResult ProgramBuilder::build_in(const BuildSpec& spec, const std::string& request, const std::string& scratch) {
  const auto start = std::chrono::steady_clock::now();
  if (!spec.builder.starts_with(kCommand)) write_file(scratch + "/builder.py", own_builder_text(spec.builder));
  write_file(scratch + "/request.json",
             json_text(builder_request(spec, architecture_, scratch, folders(spec), toolkit())));
  std::string missing = fmt::format("no python3 was found, which builder '{}' is run with", spec.builder);
  try {
    for (const Program& program : programs(spec, scratch)) {
      const BuilderAnswer answer = ask(spec, program, scratch);
      missing = answer.missing;
      if (!missing.empty()) continue;
      if (!answer.error.empty()) return CompileFailure{bounded(answer.error), build_seconds(start)};
      BuildResult result = finish(spec, request, scratch, answer);
      if (auto* artifact = std::get_if<Artifact>(&result)) artifact->compile_s = build_seconds(start);
      return result;
    }
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::bad_input) throw;
    return CompileFailure{fmt::format("{}: error: builder '{}' {}", spec.source_name, spec.builder, error.what()),
                          build_seconds(start)};
  }
  return CompileFailure{fmt::format("builder '{}' cannot work here: {}", spec.builder, missing), build_seconds(start),
                        true};
}

BuilderAnswer ProgramBuilder::ask(const BuildSpec& spec, const Program& program, const std::string& scratch) {
  const bool is_own = !spec.builder.starts_with(kCommand);
  Reach reach = is_own ? python_reach(program.words[0], folders(spec), scratch) : system_reach(folders(spec), scratch);
  if (!is_own) reach.programs.push_back(fs::path(program.words[0]).parent_path().string());  // and what lies beside it
  if (const std::string folder = toolkit(); !folder.empty()) reach.programs.push_back(folder);
  std::vector<std::string> environment = python_environment(scratch);
  environment.push_back("TRITON_CACHE_DIR=" + scratch + "/cache");
  const std::string answer_path = scratch + "/answer.json";
  const CompileLimits limits{.deadline_s = kPatience * limits_.deadline_s, .memory_bytes = limits_.memory_bytes};
  const ProcessResult result = run_process(ProgramCall{.arguments = program.words,
                                                       .environment = environment,
                                                       .input = scratch + "/request.json",
                                                       .answer = answer_path},
                                           scratch, python_limits(), limits, Confinement(walls_, reach));
  if (result.timed_out) throw bad_input(fmt::format("gave no answer within {:.0f} s", limits.deadline_s));
  const std::string text = file_of(scratch, "answer.json", kLargestAnswer);
  if (text.empty())
    throw bad_input(fmt::format("ended with status {} and no answer: {}", result.exit_status, bounded(result.output)));
  BuilderAnswer answer = read_builder_answer(text);
  if (answer.log.empty()) answer.log = result.output;
  return answer;
}

/// PTX to machine code, by the toolkit's assembler.
std::string ProgramBuilder::assembled(const std::string& ptx, const std::string& scratch, std::string& log) const {
  const std::string folder = toolkit(), program = folder.empty() ? find_program("ptxas") : folder + "/bin/ptxas";
  if (program.empty()) throw bad_input("answered PTX, and there is no ptxas here that assembles it");
  write_file(scratch + "/assembled.ptx", ptx);
  Reach reach{{}, {"/lib", "/lib64", "/usr", "/etc/ld.so.cache", fs::path(program).parent_path().string()}, scratch};
  const ProcessResult result = run_process(
      {program, "-v", "-arch=" + architecture_, scratch + "/assembled.ptx", "-o", scratch + "/assembled.cubin"},
      scratch, limits_, Confinement(walls_, reach));
  log += result.output;
  if (result.exit_status != 0) throw bad_input("answered PTX that ptxas refuses: " + bounded(result.output));
  return file_of(scratch, "assembled.cubin", kLargestFile);
}

BuildResult ProgramBuilder::finish(const BuildSpec& spec, const std::string& request, const std::string& scratch,
                                   const BuilderAnswer& answered) {
  BuilderAnswer answer = answered;
  const std::string code = file_of(scratch, answer.code, kLargestFile);
  std::string ptx = answer.is_ptx ? code : "";
  if (!answer.listing.empty()) ptx = file_of(scratch, answer.listing, kLargestFile);
  const std::string cubin = answer.is_ptx ? assembled(code, scratch, answer.log) : code;
  BuiltImage image = checked_image(spec, answer, cubin, ptx, architecture_);
  Artifact artifact;
  artifact.key = key(request, answer.read);
  artifact.code_hash = std::move(image.code_hash);
  artifact.architecture = architecture_;
  artifact.compiler = answer.compiler.empty() ? spec.builder : answer.compiler;
  artifact.log = bounded(answer.log);
  artifact.entries = std::move(image.entries);
  artifact.globals = std::move(image.globals);
  std::map<std::string, std::string> symbols;
  for (const BuiltEntry& entry : answer.entries) symbols[entry.entry] = entry.symbol;
  cache_.store(artifact, symbols, cubin, ptx);
  notes_.keep_note(request, json_text(answer.read));
  return artifact;
}

}  // namespace harness::cuda
