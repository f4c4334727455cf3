#include "harness/script/catalog/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "harness/core/error.h"
#include "harness/core/suggest.h"
#include "harness/core/torch_call.h"
#include "harness/cpp_text/text.h"
#include "harness/script/catalog/trace.h"
#include "harness/script/space/space.h"

namespace harness::script {
namespace {

namespace fs = std::filesystem;

/// Adds what goes wrong in `action` to `problems`, each sentence once.
template <typename Action>
void collect(std::vector<std::string>& problems, Action action) {
  try {
    action();
  } catch (const Error& failure) {
    if (std::ranges::find(problems, failure.what()) == problems.end()) problems.emplace_back(failure.what());
  }
}

/// What a header says of itself: the first comment that a whole line is of.
std::string first_comment(const std::string& text) {
  std::istringstream lines(text);
  std::string comment;
  for (std::string line; std::getline(lines, line);) {
    const bool is_comment = line.starts_with("// ");
    if (!is_comment && !comment.empty()) break;
    if (is_comment) comment += (comment.empty() ? "" : " ") + line.substr(3);
  }
  return comment;
}

/// What a header declares in its namespace, without bodies: "__device__ inline void f(int x);", a line each.
std::string declarations(const std::string& text) {
  const cpp_text::Tokens tokens = cpp_text::tokens_of(text);
  std::string all;
  int depth = 0;  // 1: in the namespace
  for (std::size_t i = 0, begin = 0; i < tokens.size(); ++i) {
    if (depth == 1 && (tokens[i].is("{") || tokens[i].is(";"))) {
      if (i > begin) all += cpp_text::spelled(tokens, begin, i) + ";\n";
      if (tokens[i].is("{")) i = cpp_text::closing(tokens, i);
      begin = i + 1;
    } else if (tokens[i].is("{") || tokens[i].is("}") || tokens[i].kind == cpp_text::Token::Kind::directive) {
      depth += tokens[i].is("{") ? 1 : tokens[i].is("}") ? -1 : 0;
      begin = i + 1;
    }
  }
  for (std::size_t at; (at = all.find(" HARNESS_SITE")) != std::string::npos;) all.erase(at, 13);
  return all;
}

/// A table of a manifest as it is written: from `name = {` to the brace that closes it; "" where there is none.
std::string table_text(const std::string& manifest, const std::string& name) {
  const std::size_t line = manifest.find("\n  " + name);
  const std::size_t open = line == std::string::npos ? line : manifest.find('{', line);
  int depth = 0;
  for (std::size_t at = open; at < manifest.size(); ++at) {
    depth += manifest[at] == '{' ? 1 : manifest[at] == '}' ? -1 : 0;
    if (depth == 0) return manifest.substr(line + 3, at - line - 2);
  }
  return "";
}

/// Of use to whoever writes a source: not what two halves of a header or the emulation are made of.
bool is_for_authors(const std::string& name) {
  return !name.ends_with("_begin.cuh") && !name.ends_with("_end.cuh") && !name.ends_with("/site.cuh");
}

/// The headers that every device source may include, by the name to include, in order.
std::vector<std::pair<std::string, std::string>> wrappers_in(const fs::path& folder) {
  std::vector<std::pair<std::string, std::string>> found;
  std::error_code failed;
  for (const auto& entry : fs::recursive_directory_iterator(folder, failed)) {
    if (entry.path().extension() != ".cuh") continue;
    const std::string name = relative_name(entry.path(), folder);
    if (!is_for_authors(name)) continue;
    constexpr std::size_t kShort = 1600;
    std::string text = read_text(entry.path(), name);
    found.emplace_back(name, text.size() <= kShort ? std::move(text) : first_comment(text) + "\n" + declarations(text));
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace

LuaCatalog::LuaCatalog(const std::vector<fs::path>& kernel_folders, std::vector<fs::path> include_dirs,
                       std::vector<std::string> device_kinds)
    : include_dirs_(std::move(include_dirs)), device_kinds_(std::move(device_kinds)) {
  for (const fs::path& folder : kernel_folders) {
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(folder, failed)) {
      if (!fs::exists(entry.path() / "kernel.lua")) continue;
      const std::string name = entry.path().filename().string();
      const auto [other, fresh] = folders_.emplace(name, entry.path());
      if (!fresh) {
        throw bad_input(fmt::format("kernel '{}' is in two places, {} and {}; rename one", name,
                                    shown_path(other->second), shown_path(entry.path())));
      }
    }
    if (failed)
      throw bad_input(
          fmt::format("{}: this folder of kernels cannot be read ({})", shown_path(folder), failed.message()));
  }
}

std::vector<std::string> LuaCatalog::kernel_names() {
  std::vector<std::string> names;
  for (const auto& [name, folder] : folders_) names.push_back(name);
  return names;
}

LoadedKernel& LuaCatalog::plugin(const std::string& name) {
  const auto folder = folders_.find(name);
  if (folder == folders_.end()) {
    std::string help = did_you_mean(name, kernel_names());
    if (help.empty()) help = fmt::format("; there are: {}", fmt::join(kernel_names(), ", "));
    throw bad_input(fmt::format("there is no kernel '{}'{}", name, help));
  }
  auto& kept = loaded_[name];
  if (!kept) kept = std::make_unique<LoadedKernel>(folder->second, include_dirs_, device_kinds_);
  return *kept;
}

KernelTexts LoadedKernel::texts() {
  KernelTexts texts;
  texts.reference = read_text(manifest.problem(info_.workloads.front().name).reference.source, manifest.name());
  texts.domain = table_text(read_text(manifest.folder() / "kernel.lua", manifest.name()), "domain");
  for (const fs::path& include_dir : include_dirs_) {
    const auto wrappers = wrappers_in(include_dir);
    texts.wrappers.insert(texts.wrappers.end(), wrappers.begin(), wrappers.end());
  }
  return texts;
}

std::vector<std::string> LoadedKernel::inspect(const DeviceInfo& device) {
  std::vector<std::string> problems;
  collect(problems, [&] {
    for (const auto& variant : variants) {
      if (!variant->unsupported_reason(device).empty()) continue;
      std::vector<Workload> workloads;
      for (const Workload& workload : manifest.workloads())
        if (is_sensible_on(workload, device)) workloads.push_back(workload);
      // What a variant cannot do is no fault, unless it is the baseline or can do nothing at all.
      const auto cannot = [&](const Workload& workload) {
        return !script::has_configuration(*variant, workload, device);
      };
      const bool baseline = variant->info().name == baseline_of(info_, device).name;
      collect(problems, [&] {
        if (!baseline && !std::ranges::all_of(workloads, cannot)) std::erase_if(workloads, cannot);
      });
      for (const Workload& workload : workloads) {
        collect(problems, [&] {
          variant->prior(workload);
          const Config config = first_configuration(*variant, workload, device, {});
          realize({manifest.name(), variant->info().name, "", config}, workload.name, device);
        });
      }
      for (std::string& problem : trace_problems(manifest, *variant, device)) {
        if (std::ranges::find(problems, problem) == problems.end()) problems.push_back(std::move(problem));
      }
    }
  });
  return problems;
}

}  // namespace harness::script
