#include "harness/adopt/source/host_files.h"

#include <algorithm>
#include <filesystem>

#include "harness/adopt/source/launch.h"
#include "harness/adopt/source/project.h"
#include "harness/core/error.h"
#include "harness/system/files.h"

namespace fs = std::filesystem;

namespace harness::adopt {
namespace {

constexpr std::uintmax_t kMostBytesOfHost = 4 << 20;

/// `__global__ void kernel(...) {`
bool defines_kernel(const Tokens& tokens, const std::string& kernel) {
  constexpr std::size_t kHead = 24;  // tokens from __global__ to the name
  for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
    if (!tokens[i].is(kernel) || !tokens[i + 1].is("(")) continue;
    const std::size_t close = closing(tokens, i + 1);
    if (close + 1 >= tokens.size() || !tokens[close + 1].is("{")) continue;
    for (std::size_t k = i; k-- > 0 && k + kHead > i && !tokens[k].is(";") && !tokens[k].is("}");)
      if (tokens[k].is("__global__")) return true;
  }
  return false;
}

/// Does the text launch the kernel, by `kernel<<<` or `kernel<T, 4><<<`? One of its own of that name is another kernel.
bool launches(const std::string& text, const std::string& kernel) {
  if (text.find("<<<") == std::string::npos || text.find(kernel) == std::string::npos) return false;
  SourceText file;
  file.text = text;
  file.tokens = tokens_of(file.text);
  return !defines_kernel(file.tokens, kernel) &&
         std::ranges::any_of(launches_of(file), [&](const HostLaunch& launch) { return launch.entry == kernel; });
}

}  // namespace

std::vector<std::string> files_that_launch(const std::string& path, const std::string& kernel) {
  std::error_code unknown;
  const fs::path file = fs::canonical(path, unknown);
  for (const fs::path& folder : folders_of_project(file)) {
    std::vector<std::string> hosts;
    for (const fs::path& source : sources_below(folder)) {
      std::error_code failed;
      if (source == file || fs::file_size(source, failed) > kMostBytesOfHost || failed) continue;
      if (launches(read_file(source.string(), Error::Kind::bad_input), kernel)) hosts.push_back(source.string());
    }
    if (!hosts.empty()) return hosts;
  }
  return {};
}

}  // namespace harness::adopt
