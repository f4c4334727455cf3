#include "harness/flashinfer/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <sstream>

#include "harness/core/error.h"
#include "harness/system/files.h"

namespace harness::flashinfer {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostBytes = 64 << 20;  // of a file

constexpr std::array<std::pair<const char*, Dtype>, 13> kTypes = {{{"float64", Dtype::f64},
                                                                   {"float32", Dtype::f32},
                                                                   {"float16", Dtype::f16},
                                                                   {"bfloat16", Dtype::bf16},
                                                                   {"float8_e4m3fn", Dtype::e4m3},
                                                                   {"float8_e4m3", Dtype::e4m3},
                                                                   {"float8_e5m2", Dtype::e5m2},
                                                                   {"int64", Dtype::s64},
                                                                   {"int32", Dtype::s32},
                                                                   {"int16", Dtype::s16},
                                                                   {"int8", Dtype::s8},
                                                                   {"uint8", Dtype::u8},
                                                                   {"bool", Dtype::b8}}};

/// Runs `read`; whatever JSON says of a missing key or a wrong type becomes a sentence about `where`.
template <typename Read>
auto told(const std::string& where, Read read) {
  try {
    return read();
  } catch (const Object::exception& failure) {
    throw bad_input(fmt::format("{}: it is no FlashInfer-Bench file: {}", where, failure.what()));
  }
}

std::string text_of(const fs::path& file) {
  std::error_code failed;
  if (fs::file_size(file, failed) > kMostBytes)
    throw bad_input(fmt::format("{}: it has more than {} bytes", file.string(), kMostBytes));
  return read_file(file.string(), Error::Kind::bad_input);
}

/// One object of a .json, an object a line of a .jsonl.
std::vector<Object> objects_of(const fs::path& file) {
  std::vector<Object> all;
  const std::string text = text_of(file);
  if (file.extension() == ".json") return {told(file.string(), [&] { return Object::parse(text); })};
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    all.push_back(told(fmt::format("{}:{}", file.string(), number), [&] { return Object::parse(line); }));
  }
  return all;
}

std::vector<Tensor> tensors_of(const Object& list, const Definition& definition) {
  std::vector<Tensor> all;
  for (const auto& [name, spec] : list.items()) {
    Tensor tensor{name, std::nullopt, spec.at("dtype").get<std::string>()};
    if (spec.contains("shape") && !spec.at("shape").is_null())
      tensor.axes = spec.at("shape").get<std::vector<std::string>>();
    if (tensor.axes && tensor.axes->empty()) tensor.axes.reset();  // a scalar in older data sets
    for (const std::string& axis : tensor.axes.value_or(std::vector<std::string>{}))
      if (std::ranges::find(definition.axes, axis, &std::pair<std::string, std::optional<std::int64_t>>::first) ==
          definition.axes.end())
        throw bad_input(
            fmt::format("definition '{}': '{}' has the axis '{}', which is not defined", definition.name, name, axis));
    all.push_back(std::move(tensor));
  }
  return all;
}

Definition definition_of(const Object& object) {
  Definition definition;
  definition.name = object.at("name").get<std::string>();
  for (const auto& [name, axis] : object.at("axes").items()) {
    std::optional<std::int64_t> value;
    if (axis.at("type") == "const") value = axis.at("value").get<std::int64_t>();
    definition.axes.emplace_back(name, value);
  }
  definition.inputs = tensors_of(object.at("inputs"), definition);
  definition.outputs = tensors_of(object.at("outputs"), definition);
  definition.reference = object.at("reference").get<std::string>();
  definition.text = object;
  return definition;
}

ProblemSize size_of(const Object& object) {
  ProblemSize size;
  size.uuid = object.value("uuid", "");
  size.axes = object.at("axes").get<std::map<std::string, std::int64_t>>();
  if (object.contains("inputs"))
    for (const auto& [name, input] : object.at("inputs").items()) {
      const std::string type = input.value("type", "random");
      if (type == "safetensors") size.recorded = true;
      if (type == "scalar" && input.at("value").is_number()) size.scalars[name] = input.at("value").get<double>();
      if (type == "scalar" && input.at("value").is_boolean()) size.scalars[name] = input.at("value") == true ? 1 : 0;
    }
  size.text = object;
  return size;
}

Solution solution_of(const Object& object, const std::string& where) {
  Solution solution{object.at("name").get<std::string>(),
                    object.at("definition").get<std::string>(),
                    "",
                    object.at("spec").at("entry_point").get<std::string>(),
                    {},
                    object};
  const Object& spec = object.at("spec");
  const Object language = spec.contains("language") ? spec.at("language") : spec.value("languages", Object("cuda"));
  solution.language = language.is_array() ? language.at(0).get<std::string>() : language.get<std::string>();
  for (const Object& source : object.at("sources")) {
    const fs::path path = fs::path(source.at("path").get<std::string>()).lexically_normal();
    if (path.empty() || path.is_absolute() || *path.begin() == "..")
      throw bad_input(fmt::format("{}: the source '{}' lies outside of its solution", where, path.string()));
    solution.sources.emplace_back(path.generic_string(), source.at("content").get<std::string>());
  }
  return solution;
}

void add_workload(Dataset& dataset, const Object& line, const std::string& only) {
  const bool trace = line.contains("workload");
  const std::string definition = trace ? line.at("definition").get<std::string>() : only;
  if (definition.empty()) throw bad_input("a workload names no definition");
  dataset.workloads[definition].push_back(size_of(trace ? line.at("workload") : line));
}

/// The files below a folder that end so, in order.
std::vector<fs::path> files_below(const fs::path& folder, const std::vector<std::string>& endings) {
  std::vector<fs::path> all;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
    if (at->is_regular_file() && std::ranges::find(endings, at->path().extension().string()) != endings.end())
      all.push_back(at->path());
  std::ranges::sort(all);
  return all;
}

void read_whole(const fs::path& root, Dataset& dataset) {
  for (const fs::path& file : files_below(root / "definitions", {".json"}))
    for (const Object& object : objects_of(file))
      dataset.definitions.push_back(told(file.string(), [&] { return definition_of(object); }));
  for (const fs::path& file : files_below(root / "workloads", {".jsonl"}))
    for (const Object& line : objects_of(file)) told(file.string(), [&] { add_workload(dataset, line, ""); });
  for (const fs::path& file : files_below(root / "solutions", {".json"}))
    for (const Object& object : objects_of(file))
      dataset.solutions.push_back(told(file.string(), [&] { return solution_of(object, file.string()); }));
  for (const fs::path& file : files_below(root / "traces", {".jsonl"}))
    for (const Object& line : objects_of(file)) dataset.traces.push_back(line);
}

void read_single(const fs::path& root, Dataset& dataset) {
  const std::string file = (root / "definition.json").string();
  dataset.definitions.push_back(told(file, [&] { return definition_of(objects_of(file).front()); }));
  for (const char* name : {"workload.jsonl", "workloads.jsonl"})
    if (fs::is_regular_file(root / name))
      for (const Object& line : objects_of(root / name))
        told((root / name).string(), [&] { add_workload(dataset, line, dataset.definitions.front().name); });
  if (const fs::path solution = root / "solution.json"; fs::is_regular_file(solution))
    dataset.solutions.push_back(
        told(solution.string(), [&] { return solution_of(objects_of(solution).front(), solution.string()); }));
}

}  // namespace

Dataset read_dataset(const std::string& folder) {
  Dataset dataset;
  std::error_code failed;
  const fs::path root = folder;
  if (fs::is_regular_file(root / "definition.json", failed)) read_single(root, dataset);
  else if (fs::is_directory(root / "definitions", failed)) read_whole(root, dataset);
  else
    throw bad_input(
        fmt::format("{}: there is neither a folder definitions/ nor a definition.json; name the top folder of a "
                    "FlashInfer-Bench data set",
                    folder));
  if (dataset.definitions.empty()) throw bad_input(fmt::format("{}: its definitions/ holds no .json file", folder));
  return dataset;
}

std::optional<Dtype> dtype_of(const std::string& name) {
  const auto type = std::ranges::find_if(kTypes, [&](const auto& entry) { return name == entry.first; });
  return type == kTypes.end() ? std::nullopt : std::optional(type->second);
}

std::string dtype_name(Dtype dtype) {
  const auto type = std::ranges::find_if(kTypes, [&](const auto& entry) { return dtype == entry.second; });
  return type == kTypes.end() ? "" : type->first;
}

}  // namespace harness::flashinfer
