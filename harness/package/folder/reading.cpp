#include "harness/package/folder/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/package/folder/seal.h"
#include "harness/system/files.h"

namespace harness::package {
namespace {

namespace fs = std::filesystem;

/// Folders of a package in which nothing may lie that it does not name. Elsewhere people may build.
constexpr const char* kOwnFolders[] = {"include", "src", "python", "plugin", "evidence", "tests"};

[[noreturn]] void tampered(const std::string& folder, const std::vector<std::string>& wrong) {
  throw bad_input(fmt::format("{}: {}{}; make the package anew", folder, wrong.front(),
                              wrong.size() > 1 ? fmt::format(" (and {} more like it)", wrong.size() - 1) : ""));
}

/// A path that stays inside of the package.
bool is_inside(const std::string& path) {
  const fs::path normal = fs::path(path).lexically_normal();
  return normal.is_relative() && !normal.empty() && *normal.begin() != "..";
}

std::size_t check_digests(const std::string& folder, const json& digests) {
  std::vector<std::string> wrong;
  std::set<std::string> names;
  for (const auto& [path, digest] : digests.items()) {
    if (!is_inside(path)) {
      wrong.push_back(fmt::format("kernel.json names '{}', which lies outside", path));
      continue;
    }
    names.insert(fs::path(path).lexically_normal().generic_string());
    if (std::error_code failed; fs::is_symlink(fs::path(folder) / path, failed))
      wrong.push_back(fmt::format("the file {} is a link", path));
    const auto bytes = read_file_if_any(folder + "/" + path);
    if (!bytes) wrong.push_back(fmt::format("the file {} is missing or cannot be read", path));
    else if (!digest.is_string() || sha256_hex(*bytes) != digest.get<std::string>())
      wrong.push_back(fmt::format("the file {} has changed since it was packaged", path));
  }
  for (const char* own : kOwnFolders) {
    std::error_code failed;
    if (fs::is_symlink(fs::path(folder) / own, failed)) wrong.push_back(fmt::format("the folder {} is a link", own));
    for (fs::recursive_directory_iterator at(fs::path(folder) / own, failed), end; !failed && at != end;
         at.increment(failed)) {
      const fs::path relative = at->path().lexically_relative(folder);
      if (at->is_symlink()) {
        wrong.push_back(fmt::format("{} is a link", relative.generic_string()));
        continue;
      }
      if (at->is_directory() || names.contains(relative.generic_string())) continue;
      // What Python compiled runs in the place of the module beside it, whoever wrote it.
      const bool compiled = relative.parent_path().filename() == "__pycache__";
      wrong.push_back(fmt::format("the file {} is not part of the package{}", relative.generic_string(),
                                  compiled ? " (remove the folder; python3 -B leaves none)" : ""));
    }
  }
  if (!wrong.empty()) tampered(folder, wrong);
  return names.size();
}

PackagedWorkload workload_from(const json& row, const std::string& kernel) {
  PackagedWorkload workload;
  workload.workload.name = row.at("workload");
  workload.workload.values = row.at("values").get<std::map<std::string, Value>>();
  workload.workload.weight = row.value("weight", 1.0);
  workload.workload.declared = row.value("declared", true);
  workload.device = row.at("device");
  workload.original_ns = row.at("original_ns");
  if (row.contains("variant")) {
    workload.winner = Candidate{kernel, row.at("variant"), "", config_from_json(row.at("config"))};
    workload.time_ns = row.at("time_ns").get<double>();
  }
  return workload;
}

}  // namespace

bool PackageFolder::emulated() const {
  const json& stamps = description.at("stamps");
  return std::ranges::any_of(stamps, [](const json& stamp) { return stamp == "emulated"; });
}

std::vector<std::string> PackageFolder::predicted() const {
  std::vector<std::string> names;
  for (const json& device : description.at("provenance").at("devices"))
    if (const std::string gpu = device.value("predicts", ""); !gpu.empty()) names.push_back(gpu);
  return names;
}

std::vector<std::string> PackageFolder::device_names() const {
  std::vector<std::string> names;
  for (const PackagedWorkload& workload : workloads)
    if (std::ranges::find(names, workload.device) == names.end()) names.push_back(workload.device);
  return names;
}

std::string PackageFolder::contract_hash(const std::string& workload) const {
  return description.at("contract").at("hashes").value(workload, "");
}

PackageFolder read_package(const std::string& folder, const std::string& digest) {
  const auto text = read_file_if_any(folder + "/kernel.json");
  if (!text)
    throw bad_input(
        fmt::format("'{}' is no package: it has no kernel.json; harness package KERNEL -o DIR makes one", folder));
  PackageFolder made;
  made.folder = folder;
  made.text = *text;
  made.digest = sha256_hex(*text);
  if (!digest.empty() && !made.digest.starts_with(digest))
    throw bad_input(
        fmt::format("{}: the package has the digest {}, and not {}", folder, made.digest.substr(0, 16), digest));
  try {
    made.description = parse_json(*text);
    if (made.description.at("schema") != 1)
      throw bad_input(fmt::format("{}: kernel.json is of schema {}, which this program does not read", folder,
                                  made.description.at("schema").dump()));
    if (!has_checksum(made.description)) tampered(folder, {"kernel.json has changed since it was packaged"});
    made.kernel = made.description.at("kernel");
    made.files = check_digests(folder, made.description.at("digests"));
    for (const json& row : made.description.at("workloads")) made.workloads.push_back(workload_from(row, made.kernel));
    for (const json& configuration : made.description.at("configurations"))
      if (configuration.at("original") == true && made.original.variant.empty())
        made.original = {made.kernel, configuration.at("variant"), configuration.at("technique"),
                         config_from_json(configuration.at("config"))};
  } catch (const json::parse_error& failure) {
    throw bad_input(fmt::format("{}: kernel.json is no JSON from byte {} on; take it from where the package was made",
                                folder, failure.byte));
  } catch (const json::exception& failure) {
    const std::string_view why = failure.what();
    throw bad_input(
        fmt::format("{}: kernel.json is not what harness package writes ({})", folder, why.substr(why.find("] ") + 2)));
  }
  return made;
}

}  // namespace harness::package
