#include "harness/service/new_problem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/core/torch_call.h"
#include "harness/problem/observe.h"
#include "harness/problem/plugin.h"
#include "harness/system/files.h"

namespace fs = std::filesystem;

namespace harness {
namespace {

std::pair<std::string, std::string> halves(const std::string& text, const char* option) {
  const std::size_t at = text.find('=');
  if (at == std::string::npos || at == 0 || at + 1 == text.size())
    throw bad_input(fmt::format("{} '{}' is not of the form NAME=VALUE", option, text));
  return {text.substr(0, at), text.substr(at + 1)};
}

problem::Answers answers_of(const NewArguments& arguments) {
  problem::Answers answers;
  for (const std::string& text : arguments.sizes) {
    const auto [name, value] = halves(text, "--size");
    std::int64_t number = 0;
    const auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (failure != std::errc() || end != value.data() + value.size() || number < 1)
      throw bad_input(fmt::format("--size '{}' is no whole number, 1 or more", text));
    answers.sizes[name] = number;
  }
  for (const std::string& text : arguments.settings) answers.settings.insert(halves(text, "--set"));
  return answers;
}

std::vector<std::string> told(const json& observed) {
  std::vector<std::string> lines;
  for (const json& argument : observed.at("arguments")) {
    const std::string why = argument.at("why");
    lines.push_back(fmt::format("{:6} {} [{}] {}{}", argument.at("kind").get<std::string>(),
                                argument.at("name").get<std::string>(),
                                fmt::join(argument.at("shape").get<std::vector<std::string>>(), ", "),
                                argument.at("dtype").get<std::string>(), why.empty() ? "" : ": " + why));
  }
  for (const json& scalar : observed.at("scalars"))
    lines.push_back(fmt::format("number {} = {}: {}", scalar.at("name").get<std::string>(), scalar.at("value").dump(),
                                scalar.at("why").get<std::string>()));
  for (const json& size : observed.at("sizes"))
    lines.push_back(fmt::format("size   {} from {} to {}{}", size.at("name").get<std::string>(),
                                size.at("low").get<long long>(), size.at("high").get<long long>(),
                                size.at("step") == 1 ? "" : fmt::format(", multiples of {}", size.at("step").dump())));
  if (observed.at("sizes").empty()) lines.emplace_back("its domain is one point: nothing in it can change");
  for (const char* part : {"policy", "notes"})
    for (const json& line : observed.at(part)) lines.push_back(line.get<std::string>());
  return lines;
}

/// A folder that is gone again unless it is kept.
class Unfinished {
 public:
  explicit Unfinished(std::string folder) : folder_(std::move(folder)) {
    std::error_code failed;
    if (fs::exists(folder_, failed)) throw bad_input(fmt::format("{} exists already; nothing was written", folder_));
  }
  ~Unfinished() {
    std::error_code failed;
    if (!kept_) fs::remove_all(folder_, failed);
  }
  Unfinished(const Unfinished&) = delete;
  void keep() { kept_ = true; }

 private:
  std::string folder_;
  bool kept_ = false;
};

/// The manifest as everybody will read it, on every workload.
void read_again(const std::string& name, Shell& shell) {
  const auto catalog = shell.rooms.catalog(shell.places());
  for (const Workload& workload : catalog->kernel(name).workloads) catalog->plugin(name).problem(workload.name);
}

}  // namespace

namespace {

NewProblem written(const std::map<std::string, std::string>& files, const std::string& name, NewProblem made,
                   const std::string& folder, Shell& shell) {
  Unfinished unfinished(folder);
  for (const auto& [path, text] : files) {
    const std::string file = folder + "/" + path;
    fs::create_directories(fs::path(file).parent_path());
    write_file(file, text);
    made.files.push_back(file);
  }
  read_again(name, shell);
  unfinished.keep();
  return made;
}

void refuse_there(const std::string& folder) {
  if (fs::exists(folder)) throw bad_input(fmt::format("{} exists already; nothing was written", folder));
}

}  // namespace

NewProblem new_problem(const NewArguments& arguments, const std::string& folder, Shell& shell) {
  const problem::Answers answers = answers_of(arguments);
  refuse_there(folder);
  const json observed = problem::observe(arguments.from, answers);
  return written(problem::plugin_files(arguments.name, arguments.from, observed), arguments.name, {told(observed), {}},
                 folder, shell);
}

NewProblem adopted_triton(const TritonAsked& asked, const std::string& folder, Shell& shell) {
  problem::TritonAnswers answers = asked.answers;
  NewArguments sizes;
  sizes.sizes = asked.sizes;
  answers.problem = answers_of(sizes);
  refuse_there(folder);
  const problem::TritonProblem problem = problem::observe_triton(asked.file, answers);
  NewProblem made{told(problem.observed), {}};
  for (const std::string& entry : problem.launches)
    made.lines.push_back(fmt::format("launch {}, as in {}(...)", entry, problem.host));
  made.lines.insert(made.lines.end(), problem.notes.begin(), problem.notes.end());
  return written(problem::triton_files(asked.name, asked.file, problem), asked.name, std::move(made), folder, shell);
}

bool has_kernel(Catalog& catalog, const std::string& kernel) {
  return catalog.plugin(kernel).variant_texts(first_kernel_of(catalog.kernel(kernel)).name).source.find(kNoKernel) ==
         std::string::npos;
}

}  // namespace harness
