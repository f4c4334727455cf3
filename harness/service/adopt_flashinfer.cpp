#include "harness/service/adopt_flashinfer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/core/suggest.h"
#include "harness/flashinfer/dataset.h"
#include "harness/flashinfer/reference_program.h"
#include "harness/system/files.h"
#include "harness/system/run_program.h"

namespace fs = std::filesystem;

namespace harness {
namespace {

using flashinfer::Dataset;
using flashinfer::Definition;
using flashinfer::ProblemSize;
using flashinfer::Solution;

template <typename List>
std::vector<std::string> names_of(const List& list) {
  std::vector<std::string> names;
  for (const auto& each : list) names.push_back(each.name);
  return names;
}

/// The one of this name, or the only one.
template <typename Item>
const Item& chosen(const std::vector<Item>& all, const std::string& name, const std::string& what,
                   const std::string& option) {
  if (name.empty() && all.size() == 1) return all.front();
  const auto found = std::ranges::find(all, name, &Item::name);
  if (found != all.end()) return *found;
  const std::vector<std::string> names = names_of(all);
  if (name.empty())
    throw bad_input(
        fmt::format("there are {} {}s; name one with {}: {}", all.size(), what, option, fmt::join(names, ", ")));
  throw bad_input(fmt::format("there is no {} '{}'{}; there is: {}", what, name, did_you_mean(name, names),
                              fmt::join(names, ", ")));
}

bool is_cuda(const Solution& solution) {
  std::string language = solution.language;
  std::ranges::transform(language, language.begin(), [](unsigned char c) { return std::tolower(c); });
  return language == "cuda" || language == "cuda_cpp" || language == "cpp";
}

const Solution& cuda_solution(const Dataset& dataset, const Definition& definition, const std::string& name,
                              std::vector<Solution>& of_definition) {
  for (const Solution& each : dataset.solutions)
    if (each.definition == definition.name) of_definition.push_back(each);
  std::vector<std::string> others;
  if (name.empty())
    std::erase_if(of_definition, [&](const Solution& each) {
      if (!is_cuda(each)) others.push_back(fmt::format("{} ({})", each.name, each.language));
      return !is_cuda(each);
    });
  if (of_definition.empty())
    throw bad_input(fmt::format("the definition '{}' has no solution in CUDA{}", definition.name,
                                others.empty() ? "" : fmt::format("; it has {}", fmt::join(others, ", "))));
  const Solution& solution = chosen(of_definition, name, "solution", "--solution NAME");
  if (!is_cuda(solution))
    throw bad_input(
        fmt::format("the solution '{}' is written in {}, and adopt reads CUDA", solution.name, solution.language));
  return solution;
}

/// The source that launches a kernel, else the one that holds it.
std::string main_source(const Solution& solution) {
  for (const char* word : {"<<<", "__global__"}) {
    std::vector<std::string> found;
    for (const auto& [path, text] : solution.sources)
      if (fs::path(path).extension() == ".cu" && text.find(word) != std::string::npos) found.push_back(path);
    if (found.size() == 1) return found.front();
    if (found.size() > 1)
      throw bad_input(
          fmt::format("the solution '{}' has kernels in several files ({}), and a plugin has one contract; "
                      "adopt one of them by itself",
                      solution.name, fmt::join(found, ", ")));
  }
  throw bad_input(fmt::format("the solution '{}' has no .cu source with a kernel", solution.name));
}

adopt::Problem problem_of(const Definition& definition, std::vector<std::string>& notes) {
  adopt::Problem problem{definition.name, definition.axes, {}, {}, {}};
  for (const bool output : {false, true})
    for (const flashinfer::Tensor& each : output ? definition.outputs : definition.inputs) {
      if (!each.axes) continue;
      const auto dtype = flashinfer::dtype_of(each.dtype);
      if (!dtype)
        throw bad_input(fmt::format("definition '{}': '{}' has the type '{}', which harness does not have",
                                    definition.name, each.name, each.dtype));
      problem.tensors.push_back({each.name, *dtype, *each.axes, output});
    }
  if (definition.text.contains("constraints") && !definition.text.at("constraints").empty())
    notes.push_back(
        fmt::format("the definition's constraints are not taken over: {}", definition.text.at("constraints").dump()));
  return problem;
}

/// Each set of sizes once, and no more than a campaign can time.
void take_workloads(const std::vector<ProblemSize>& all, adopt::Problem& problem, std::vector<std::string>& notes) {
  constexpr std::size_t kMost = 12;
  std::vector<std::map<std::string, std::int64_t>> distinct;
  std::size_t recorded = 0;
  for (const ProblemSize& each : all) {
    if (std::ranges::find(distinct, each.axes) == distinct.end()) distinct.push_back(each.axes);
    if (each.recorded) ++recorded;
    for (const auto& [name, value] : each.scalars) problem.scalars.emplace(name, value);
  }
  if (recorded > 0)
    notes.push_back(fmt::format("{} workloads have recorded inputs; they are drawn like the others", recorded));
  if (distinct.size() > kMost) {
    const auto elements = [](const std::map<std::string, std::int64_t>& axes) {
      double product = 1;
      for (const auto& [name, value] : axes) product *= static_cast<double>(value);
      return product;
    };
    std::ranges::sort(distinct, {}, elements);
    notes.push_back(fmt::format("of {} different workloads {} are timed, evenly from the smallest to the largest",
                                distinct.size(), kMost));
    for (std::size_t i = 0; i < kMost; ++i)
      problem.workloads.push_back(distinct[i * (distinct.size() - 1) / (kMost - 1)]);
  } else {
    problem.workloads = std::move(distinct);
  }
}

bool has_pytorch(const std::string& python, const std::string& scratch) {
  CompileLimits limits;
  limits.deadline_s = 20;
  return !python.empty() && run_process({python, "-c", "import numpy, torch"}, scratch, limits).exit_status == 0;
}

}  // namespace

FlashinferSource::FlashinferSource(const std::string& dataset_folder, const std::string& definition_name,
                                   const std::string& solution_name) {
  const Dataset dataset = flashinfer::read_dataset(dataset_folder);
  const Definition& definition =
      chosen(dataset.definitions, definition_name, "definition", "harness adopt --from-flashinfer DIR DEFINITION");
  std::vector<Solution> solutions;
  const Solution& solution = cuda_solution(dataset, definition, solution_name, solutions);
  problem = problem_of(definition, notes);
  const auto workloads = dataset.workloads.find(definition.name);
  if (workloads != dataset.workloads.end()) take_workloads(workloads->second, problem, notes);
  else notes.emplace_back("the data set has no workloads of this definition; sizes were chosen");
  const std::string main = main_source(solution);
  for (const auto& [path, text] : solution.sources) {
    fs::create_directories((folder_.path() / "sources" / path).parent_path());
    write_file(folder_.path("sources/" + path), text);
    besides.emplace_back("flashinfer/sources/" + path, text);
  }
  file = folder_.path("sources/" + main);
  noted = "flashinfer/sources/" + main;
  besides.emplace_back("flashinfer/definition.json", definition.text.dump(2) + "\n");
  besides.emplace_back("flashinfer/solution.json", solution.text.dump(2) + "\n");
  std::string lines;
  if (workloads != dataset.workloads.end())
    for (const ProblemSize& each : workloads->second) lines += each.text.dump() + "\n";
  if (!lines.empty()) besides.emplace_back("flashinfer/workload.jsonl", lines);
  write_file(folder_.path("definition.json"), definition.text.dump());
  write_file(folder_.path("reference.py"), flashinfer::reference_program());
}

std::string FlashinferSource::reference(const adopt::Matched& matched) const {
  if (!has_pytorch(find_program("python3"), folder_.path())) return "";
  write_file(folder_.path("names.json"), json(matched).dump());
  write_file(folder_.path("scalars.json"), json(problem.scalars).dump());
  return "command:python3 " + folder_.path("reference.py");
}

}  // namespace harness
