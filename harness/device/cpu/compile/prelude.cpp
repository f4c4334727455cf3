#include "harness/device/cpu/compile/prelude.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/system/files.h"

namespace harness::cpu {
namespace {

namespace fs = std::filesystem;

constexpr const char* kText = "harness_cpu/prelude.h";
// Precompiling takes as long as four builds lose that read the text.
constexpr int kFewBuilds = 4;

std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

std::string text_with(const std::vector<std::string>& headers) {
  std::string text = fmt::format("#include \"{}\"\n", kText);
  for (const std::string& header : headers) text += fmt::format("#include <{}>\n", header);
  return text;
}

std::string header_in(const std::string& folder) {
  return (fs::path(folder) / "prelude.h").string();
}

}  // namespace

Prelude::Prelude(const std::string& cache_folder, std::string include_folder, std::string identity)
    : builds_(cache_folder), include_folder_(std::move(include_folder)), identity_(std::move(identity)) {}

std::string Prelude::key(const Request& request) {
  Sha256 hash;
  hash.field("prelude").field(identity_).field(text_with(request.headers));
  for (const std::string& flag : request.flags) hash.field(flag);
  for (const std::string& file : files_below(include_folder_)) hash.field(file).field(hashes_.of(file));
  return hash.hex();
}

bool Prelude::is_worth_making(const std::string& key, const Request& request) {
  return !failed_.contains(key) && (!request.rare || ++asked_for_[key] > kFewBuilds);
}

std::string Prelude::header(const Request& request, const Compile& compile) {
  const std::string name = key(request);
  if (const auto place = builds_.find(name)) return header_in(*place);
  if (!is_worth_making(name, request)) return kText;
  const std::string scratch = builds_.scratch();
  // g++ takes prelude.h.gch for prelude.h of the same folder, and that file where the other does not fit.
  const std::string header = header_in(scratch);
  write_file(header, text_with(request.headers));
  std::vector<std::string> arguments = request.flags;
  arguments.insert(arguments.end(), {"-x", "c++-header", header, "-o", header + ".gch"});
  if (compile(arguments, scratch)) return header_in(builds_.store(name, scratch));
  builds_.discard(scratch);
  failed_.insert(name);
  return kText;
}

}  // namespace harness::cpu
