#include "harness/device/cpu/compile/prelude.h"

#include <algorithm>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/system/files.h"

namespace harness::cpu {
namespace {

namespace fs = std::filesystem;

constexpr const char* kText = "harness_cpu/prelude.h";
constexpr const char* kIncludesText = "#include \"harness_cpu/prelude.h\"\n";

std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

std::string header_in(const std::string& folder) {
  return (fs::path(folder) / "prelude.h").string();
}

}  // namespace

Prelude::Prelude(const std::string& cache_folder, std::string include_folder, std::string identity)
    : builds_(cache_folder), include_folder_(std::move(include_folder)), identity_(std::move(identity)) {}

std::string Prelude::key(const std::vector<std::string>& flags) {
  Sha256 hash;
  hash.field("prelude").field(identity_);
  for (const std::string& flag : flags) hash.field(flag);
  for (const std::string& file : files_below(include_folder_)) hash.field(file).field(hashes_.of(file));
  return hash.hex();
}

std::string Prelude::header(const std::vector<std::string>& flags, const Compile& compile) {
  const std::string name = key(flags);
  if (failed_.contains(name)) return kText;
  if (const auto place = builds_.find(name)) return header_in(*place);
  const std::string scratch = builds_.scratch();
  // g++ takes prelude.h.gch for prelude.h of the same folder, and that file where the other does not fit.
  const std::string header = header_in(scratch);
  write_file(header, kIncludesText);
  std::vector<std::string> arguments = flags;
  arguments.insert(arguments.end(), {"-x", "c++-header", header, "-o", header + ".gch"});
  if (compile(arguments, scratch)) return header_in(builds_.store(name, scratch));
  builds_.discard(scratch);
  failed_.insert(name);
  return kText;
}

}  // namespace harness::cpu
