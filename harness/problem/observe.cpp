#include "harness/problem/observe.h"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>
#include <vector>

#include "harness/core/error.h"
#include "harness/device/port/python_programs.h"
#include "harness/system/files.h"
#include "harness/system/python.h"
#include "harness/system/run_program.h"
#include "harness/system/temporary_folder.h"
#include "harness/system/walls.h"
#include "harness/worker/reference/python_reference.h"

namespace fs = std::filesystem;

namespace harness::problem {
namespace {

constexpr double kDeadlineS = 300;  // of core time: dozens of runs of the problem's own program
constexpr std::uintmax_t kLargestFile = 8 << 20;

const char* observer() {
  static constexpr const char* kText =
#include "embedded/harness/problem/observe.in"
      ;
  return kText;
}

const char* recorded_reader() {
  static constexpr const char* kText =
#include "embedded/harness/problem/recorded.in"
      ;
  return kText;
}

using Object = nlohmann::ordered_json;  // the order of inputs is that of the reference's arguments

Object parsed(const std::string& text, const std::string& where) {
  try {
    return Object::parse(text);
  } catch (const Object::exception& error) {
    throw bad_input(fmt::format("{}: it is no JSON: {}", where, error.what()));
  }
}

/// Of a data set definitions/TYPE/NAME.json has workloads/TYPE/NAME.jsonl; one problem's folder has workload.jsonl.
std::vector<fs::path> workload_files(const fs::path& definition) {
  const fs::path folder = fs::absolute(definition).parent_path();
  std::vector<fs::path> files;
  if (const fs::path type = folder.filename(), root = folder.parent_path().parent_path();
      folder.parent_path().filename() == "definitions")
    files.push_back(root / "workloads" / type / fs::path(definition).stem().concat(".jsonl"));
  if (folder.filename() == "definitions")
    files.push_back(folder.parent_path() / "workloads" / fs::path(definition).stem().concat(".jsonl"));
  if (definition.filename() == "definition.json")
    for (const char* name : {"workload.jsonl", "workloads.jsonl"}) files.push_back(folder / name);
  return files;
}

Object workloads_of(const fs::path& definition, const std::string& name) {
  Object all = Object::array();
  for (const fs::path& file : workload_files(definition)) {
    std::istringstream lines(read_file_if_any(file.string()).value_or(""));
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
      Object object = parsed(line, fmt::format("{}:{}", file.string(), number));
      if (object.contains("definition") && object.at("definition") != name) continue;
      Object workload = object.contains("workload") ? object.at("workload") : object;
      if (!workload.is_object() || !workload.contains("axes") || !workload.at("axes").is_object())
        throw bad_input(fmt::format("{}:{}: this workload has no axes", file.string(), number));
      all.push_back(std::move(workload));
    }
  }
  return all;
}

/// Of a data set the folder that its paths begin in; of a problem that stands alone its own.
fs::path root_of(const fs::path& definition) {
  const fs::path folder = fs::absolute(definition).parent_path();
  if (folder.parent_path().filename() == "definitions") return folder.parent_path().parent_path();
  return folder.filename() == "definitions" ? folder.parent_path() : folder;
}

/// A plain file of the data set; "" where it is not there, or leads outside.
std::string recorded_file(const fs::path& definition, const std::string& path) {
  for (const fs::path& from : {root_of(definition), fs::absolute(definition).parent_path()}) {
    std::error_code failed;
    const fs::path root = fs::canonical(from, failed), file = fs::canonical(from / path, failed);
    const fs::path inside = file.lexically_relative(root);
    if (failed || inside.empty() || *inside.begin() == ".." || !fs::is_regular_file(file, failed)) continue;
    return file.string();
  }
  return "";
}

/// By input: where the first workload that has it recorded keeps it, as far as the file is there.
Object recorded_inputs(const fs::path& definition, const Object& workloads) {
  Object all = Object::object();
  for (const Object& workload : workloads) {
    const Object inputs = workload.value("inputs", Object::object());
    if (!inputs.is_object()) continue;
    for (const auto& [name, given] : inputs.items()) {
      if (all.contains(name) || !given.is_object() || given.value("type", Object()) != "safetensors") continue;
      const Object path = given.value("path", Object()), key = given.value("tensor_key", Object(name));
      const std::string file = path.is_string() ? recorded_file(definition, path.get<std::string>()) : "";
      if (!file.empty() && key.is_string()) all[name] = {{"path", file}, {"key", key}, {"axes", workload.at("axes")}};
    }
  }
  return all;
}

Object request_for(const std::string& file, const Answers& answers) {
  std::error_code failed;
  if (!fs::is_regular_file(file, failed)) throw bad_input(fmt::format("--from: there is no file '{}'", file));
  if (fs::file_size(file, failed) > kLargestFile)
    throw bad_input(fmt::format("--from: '{}' is larger than 8 MiB, which no definition is", file));
  const std::string text = read_file(file, Error::Kind::bad_input);
  Object request{{"shown", fs::path(file).filename().string()}, {"sizes", answers.sizes}, {"set", answers.settings}};
  const std::string kind = fs::path(file).extension();
  if (kind == ".py") {
    request["text"] = text;
    return request;
  }
  if (kind != ".json")
    throw bad_input(fmt::format("--from: '{}' is neither a definition (.json) nor a Python file (.py)", file));
  request["definition"] = parsed(text, file);
  const Object& definition = request["definition"];
  const bool named = definition.is_object() && definition.contains("name") && definition.at("name").is_string();
  if (!named) throw bad_input(fmt::format("{}: it has no 'name', which each definition has", file));
  request["workloads"] = workloads_of(file, definition.at("name"));
  request["recorded"] = recorded_inputs(file, request["workloads"]);
  return request;
}

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of('\n');
  if (end == std::string::npos) return "it wrote nothing";
  const std::size_t begin = text.rfind('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1, std::min<std::size_t>(300, end - begin));
}

}  // namespace

json observe(const std::string& file, const Answers& answers) {
  const TemporaryFolder folder("problem");
  const Object request = request_for(file, answers);
  std::vector<std::string> readable;
  const Object recorded = request.value("recorded", Object::object());
  for (const auto& [name, file_of] : recorded.items()) readable.push_back(file_of.at("path").get<std::string>());
  write_file(folder.path("request.json"), request.dump());
  write_file(folder.path("recorded.py"), recorded_reader());
  write_file(folder.path("observe.py"), observer());
  write_file(folder.path("python_reference.py"), python_reference_text());
  CompileLimits limits;
  limits.deadline_s = kDeadlineS;
  limits.memory_bytes = static_cast<std::int64_t>(python_limits().memory_bytes);
  for (const std::string& python : python_interpreters()) {
    const Confinement walls(walls_here(), python_reach(python, readable, folder.path()));
    const ProcessResult result =
        run_process({python, folder.path("observe.py"), folder.path()}, folder.path(), limits, walls);
    if (const auto answer = read_file_if_any(folder.path("answer.json"))) {
      json observed = json::parse(*answer);
      if (observed.contains("error")) throw bad_input(observed.at("error").get<std::string>());
      return observed;
    }
    if (result.output.find("No module named") != std::string::npos) continue;
    if (result.timed_out)
      throw bad_input(fmt::format("{} did not end within {:.0f} s at small sizes", file, kDeadlineS));
    throw bad_input(
        fmt::format("{} ended its process (status {}): {}", file, result.exit_status, last_line(result.output)));
  }
  throw environment_error(no_pytorch());
}

}  // namespace harness::problem
