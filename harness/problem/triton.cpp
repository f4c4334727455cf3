#include "harness/problem/triton.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/core/error.h"
#include "harness/problem/plugin.h"
#include "harness/system/files.h"
#include "harness/system/python.h"
#include "harness/system/run_program.h"
#include "harness/system/temporary_folder.h"
#include "harness/system/walls.h"

namespace harness::problem {
namespace {

constexpr double kReadingS = 30;
constexpr std::uintmax_t kLargestTriton = 2 << 20;

const char* triton_reader() {
  static constexpr const char* kText =
#include "embedded/harness/problem/triton.in"
      ;
  return kText;
}

json read_by_python(const json& request, const std::string& shown) {
  const TemporaryFolder folder("triton");
  write_file(folder.path("request.json"), json_text(request));
  write_file(folder.path("triton_file.py"), triton_reader());
  CompileLimits limits;
  limits.deadline_s = kReadingS;
  std::string said = "no python3 was found";
  for (const std::string& python : python_interpreters()) {
    const Confinement walls(walls_here(), python_reach(python, {}, folder.path()));
    const ProcessResult result =
        run_process({python, folder.path("triton_file.py"), folder.path()}, folder.path(), limits, walls);
    if (const auto answer = read_file_if_any(folder.path("answer.json"))) {
      json read = json::parse(*answer);
      if (read.contains("error")) throw bad_input(read.at("error").get<std::string>());
      return read;
    }
    if (result.timed_out) throw bad_input(fmt::format("{} was not read within {:.0f} s", shown, kReadingS));
    said = fmt::format("{} ended with status {}", python, result.exit_status);
  }
  throw environment_error(fmt::format("{} cannot be read: {}", shown, said));
}

std::string text_of_file(const std::string& file) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(file, failed)) throw bad_input(fmt::format("there is no file '{}'", file));
  if (std::filesystem::file_size(file, failed) > kLargestTriton)
    throw bad_input(fmt::format("'{}' is larger than 2 MiB, which no source is", file));
  return read_file(file, Error::Kind::bad_input);
}

std::string name_of_file(const std::string& file) {
  return std::filesystem::path(file).filename().string();
}

/// The Python file that the problem is observed of: --reference, or the source without its kernels.
std::string problem_text(const std::string& file, const json& split, const TritonAnswers& answers) {
  if (!answers.reference.empty()) return text_of_file(answers.reference);
  if (split.at("rest").is_null())
    throw bad_input(fmt::format(
        "{} does not say what is right: it needs reference(...) and inputs(M = 1024, ...) in PyTorch that do "
        "without Triton, or --reference FILE.py with both",
        name_of_file(file)));
  return split.at("rest").get<std::string>();
}

}  // namespace

TritonProblem observe_triton(const std::string& file, const TritonAnswers& answers) {
  TritonProblem problem;
  problem.source = text_of_file(file);
  const std::string shown = name_of_file(file);
  json request{{"text", problem.source}, {"shown", shown}, {"kernel", answers.kernel}};
  const std::string reference = problem_text(file, read_by_python(request, shown), answers);
  const TemporaryFolder folder("reference");
  const std::string place = folder.path(answers.reference.empty() ? shown : name_of_file(answers.reference));
  write_file(place, reference);
  problem.observed = observe(place, answers.problem);
  request["contract"] = problem.observed;
  request["reference"] = reference;
  request["host"] = answers.host;
  request["grid"] = answers.grid;
  request["settings"] = answers.settings;
  request["tune"] = answers.tune;
  const json read = read_by_python(request, shown);
  problem.manifest = read.at("manifest").get<std::string>();
  problem.host = read.at("host").get<std::string>();
  problem.launches = read.at("launches").get<std::vector<std::string>>();
  problem.notes = read.at("notes").get<std::vector<std::string>>();
  for (const json& role : read.at("roles")) problem.notes.push_back(role.get<std::string>());
  return problem;
}

std::map<std::string, std::string> triton_files(const std::string& name, const std::string& file,
                                                const TritonProblem& problem) {
  std::map<std::string, std::string> files = plugin_files(name, file, problem.observed);
  files.erase("variants/00_naive.lua");  // nobody has to write a first kernel
  files.erase("variants/00_naive.cu");
  files["variants/10_triton.lua"] =
      fmt::format("-- The launches of {}(...) in {}.\n", problem.host, name_of_file(file)) + problem.manifest;
  files["variants/10_triton.py"] = problem.source;
  return files;
}

}  // namespace harness::problem
