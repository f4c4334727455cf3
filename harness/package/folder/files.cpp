#include "harness/package/folder/files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "harness/core/embedded.h"
#include "harness/core/error.h"
#include "harness/core/printable.h"
#include "harness/package/folder/description.h"
#include "harness/package/folder/python.h"
#include "harness/package/folder/self_check.h"
#include "harness/package/launcher/torch_operator.h"
#include "harness/package/placeholders.h"
#include "harness/package/resolved.h"
#include "harness/system/files.h"

namespace harness::package {
namespace {

namespace fs = std::filesystem;

constexpr EmbeddedText kFolderTexts[] = {
#include "embedded/harness/package/folder.table"
};

constexpr const char* kCMake = text_of(kFolderTexts, "CMakeLists.in");
constexpr const char* kConfig = text_of(kFolderTexts, "Config.in");
constexpr const char* kReadme = text_of(kFolderTexts, "README.in");

std::string file_name(const std::string& text) {
  std::string result;
  for (const char c : text)
    result += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '=' ? c : '_';
  return result;
}

/// A cell of a table of Markdown.
std::string cell(const std::string& text) {
  std::string result = printable(text, Lines::one);
  std::ranges::replace(result, '|', '/');
  return result;
}

class FolderWriter {
 public:
  FolderWriter(const PackageModel& model, FormulaCatalog& catalog, Archive& archive, const Provenance& provenance)
      : model_(model), catalog_(catalog), archive_(archive), provenance_(provenance) {}

  PackageFiles write(const std::string& plugin, const std::string& include) {
    const std::string name = launcher_name(model_.launcher.kernel);
    std::string upper = name;
    std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    LauncherFiles launcher = launcher_files(model_.launcher);
    files_["include/" + name + ".h"] = std::move(launcher.header);
    files_["src/" + name + ".cpp"] = std::move(launcher.source);
    files_["src/" + name + "_math.h"] = std::move(launcher.math);
    if (std::string torch = torch_operator(model_.launcher); !torch.empty())
      files_["src/" + name + "_torch.cpp"] = std::move(torch);
    files_["src/" + name + "_code.h"] = std::move(launcher.code_header);
    files_["src/" + name + "_code.cpp"] = std::move(launcher.code);
    const Placeholders words = {{"NAME", name},
                                {"UPPER", upper},
                                {"TITLE", printable(model_.launcher.kernel, Lines::one)},
                                {"SUMMARY", printable(model_.launcher.summary, Lines::one)},
                                {"PROGRAM", provenance_.program},
                                {"STAMPS", stamps()},
                                {"TABLE", table()},
                                {"LEFT_OUT", left_out()},
                                {"PYTHON_CALL", python_call(model_.launcher)}};
    files_["CMakeLists.txt"] = filled(kCMake, words);
    files_[name + "Config.cmake"] = filled(kConfig, words);
    files_["README.md"] = filled(kReadme, words);
    files_["tests/check.cpp"] = self_check(model_, catalog_);
    for (auto& [path, text] : python_files(model_.launcher)) files_["python/" + name + "/" + path] = text;
    if (!provenance_.licence.empty()) files_["LICENSE"] = provenance_.licence;
    add_sources();
    add_plugin(plugin, include);
    add_evidence();
    files_["kernel.json"] =
        description(model_, catalog_, provenance_.program, provenance_.revision, !provenance_.licence.empty()).dump(1);
    return std::move(files_);
  }

 private:
  std::string stamps() const {
    if (model_.record.stamps.empty()) return "";
    return fmt::format("\n\n**Stamped: {}.** Somebody allowed what a package would refuse.",
                       fmt::join(model_.record.stamps, ", "));
  }

  std::string table() const {
    std::string text;
    for (std::size_t i = 0; i < model_.record.points.size(); ++i) {
      const MeasuredPoint& point = model_.record.points[i];
      const int configuration = model_.dispatch.chosen[i];
      const std::string where =
          fmt::format("{} on {}", cell(to_text(Config(point.workload.values))), cell(point.device));
      if (configuration < 0) {
        text += fmt::format("| {} | the original | {:.2f} us | {:.2f} us | 1.00x |\n", where, point.original_ns / 1e3,
                            point.original_ns / 1e3);
        continue;
      }
      const MeasuredRun& run = point.runs[static_cast<std::size_t>(configuration)];
      text += fmt::format("| {} | {} | {:.2f} us | {:.2f} us | {:.2f}x |\n", where, cell(candidate_text(run.candidate)),
                          run.time_ns / 1e3, point.original_ns / 1e3, point.original_ns / run.time_ns);
    }
    if (!text.empty()) text.pop_back();
    return text;
  }

  std::string left_out() const {
    std::string text;
    for (const std::string& reason : model_.left_out) text += "\n- " + printable(reason, Lines::one);
    for (const DispatchCut& cut : model_.dispatch.cuts) {
      text += fmt::format("\n- Left out by --max-code: {}.", printable(candidate_text(cut.candidate), Lines::one));
      for (const DispatchCut::Cost& cost : cut.costs)
        text += fmt::format(" {} runs {} in {:.2f} us instead of {:.2f} us.", printable(cost.workload, Lines::one),
                            printable(cost.instead, Lines::one), cost.to_ns / 1e3, cost.from_ns / 1e3);
    }
    return text.empty() ? "" : text + "\n";
  }

  /// The resolved source of each configuration, for people: it compiles by itself.
  void add_sources() {
    for (std::size_t i = 0; i < model_.launcher.configurations.size(); ++i) {
      const Candidate& candidate = model_.launcher.configurations[i].candidate;
      for (std::size_t p = 0; p < model_.record.points.size(); ++p) {
        const MeasuredPoint& point = model_.record.points[p];
        const int configuration = model_.dispatch.chosen[p];
        const bool original = model_.launcher.configurations[i].original;
        if (!original &&
            (configuration < 0 || candidate_text(point.runs[static_cast<std::size_t>(configuration)].candidate) !=
                                      candidate_text(candidate)))
          continue;
        const auto device = std::ranges::find(model_.record.devices, point.device, &DeviceInfo::name);
        const Realized realized = catalog_.plugin(candidate.kernel).realize(candidate, point.workload.name, *device);
        const Origin origin{original ? "the original"
                                     : fmt::format("iteration {} of campaign {}",
                                                   point.runs[static_cast<std::size_t>(configuration)].iteration,
                                                   point.runs[static_cast<std::size_t>(configuration)].campaign),
                            provenance_.program, model_.launcher.architectures.front(), realized.problem.contract_hash};
        files_[fmt::format("src/kernels/{}_{}.cu", i, file_name(candidate.variant))] =
            resolved_source(realized, origin);
        break;
      }
    }
  }

  bool is_packaged(const std::string& variant) const {
    return std::ranges::any_of(model_.launcher.configurations, [&](const LauncherConfiguration& configuration) {
      return configuration.candidate.variant == variant;
    });
  }

  /// The plugin as it was packaged, so that `verify` needs nothing else. Wrong kernels for trying the gates stay out.
  void add_plugin(const std::string& plugin, const std::string& include) {
    const fs::path root(plugin);
    const std::string to = "plugin/kernels/" + model_.launcher.kernel + "/";
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      if (!entry.is_regular_file()) continue;
      const fs::path relative = entry.path().lexically_relative(root);
      const std::string top = relative.begin()->string();
      const std::string stem = relative.filename().string();
      if (top == "mutants") continue;
      if (top == "variants" && !is_packaged(stem.substr(0, stem.find('.')))) continue;
      files_[to + relative.generic_string()] = read_file(entry.path().string());
    }
    for (const auto& [variant, source] : model_.record.sources)
      if (is_packaged(variant)) files_[to + "variants/" + variant + ".cu"] = source;
    if (!fs::is_directory(include)) return;
    for (const auto& entry : fs::recursive_directory_iterator(include))
      if (entry.is_regular_file())
        files_["plugin/include/" + entry.path().lexically_relative(include).generic_string()] =
            read_file(entry.path().string());
  }

  void add_evidence() {
    for (std::size_t i = 0; i < model_.record.points.size(); ++i) {
      const MeasuredPoint& point = model_.record.points[i];
      json evidence = {{"workload", point.workload.name},
                       {"values", point.workload.values},
                       {"device", point.device},
                       {"original_ns", point.original_ns},
                       {"winner", nullptr}};
      if (const int configuration = model_.dispatch.chosen[i]; configuration >= 0)
        evidence["winner"] =
            archive_.history().iteration(point.runs[static_cast<std::size_t>(configuration)].iteration, false);
      files_[evidence_path(model_, i)] = evidence.dump(1);
    }
  }

  const PackageModel& model_;
  FormulaCatalog& catalog_;
  Archive& archive_;
  const Provenance& provenance_;
  PackageFiles files_;
};

}  // namespace

PackageFiles package_files(const PackageModel& model, FormulaCatalog& catalog, Archive& archive,
                           const Provenance& provenance, const std::string& plugin, const std::string& include) {
  return FolderWriter(model, catalog, archive, provenance).write(plugin, include);
}

std::string evidence_path(const PackageModel& model, std::size_t point) {
  const MeasuredPoint& measured = model.record.points[point];
  const bool several = std::ranges::any_of(model.record.points, [&](const MeasuredPoint& point) {
    return point.workload.name == measured.workload.name && point.device != measured.device;
  });
  return fmt::format("evidence/{}{}.json", file_name(measured.workload.name),
                     several ? "_on_" + file_name(measured.device) : "");
}

void write_package(const std::string& folder, const PackageFiles& files) {
  std::error_code failed;
  const fs::path to = fs::absolute(folder).lexically_normal();
  const fs::path target = to.has_filename() ? to : to.parent_path();
  if (fs::exists(target, failed) && (!fs::is_directory(target, failed) || !fs::is_empty(target, failed)))
    throw bad_input(fmt::format("'{}' is there already and is not an empty folder; name another one", folder));
  fs::create_directories(target.parent_path(), failed);
  const fs::path partial = target.parent_path() / fmt::format(".{}.{}", target.filename().string(), unique_name());
  try {
    for (const auto& [path, bytes] : files) {
      fs::create_directories((partial / path).parent_path(), failed);
      write_file((partial / path).string(), bytes);
    }
    fs::rename(partial, target, failed);
    if (failed) throw environment_error(fmt::format("'{}' cannot be made: {}", folder, failed.message()));
  } catch (...) {
    fs::remove_all(partial, failed);
    throw;
  }
}

}  // namespace harness::package
