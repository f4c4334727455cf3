#include "harness/device/cuda/api/toolkit.h"

#include <glob.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace harness::cuda {
namespace {

namespace fs = std::filesystem;

/// Newest version first: glob sorts ascending.
std::vector<std::string> folders_like(const std::string& pattern) {
  glob_t matches{};
  std::vector<std::string> folders;
  if (glob(pattern.c_str(), GLOB_ONLYDIR, nullptr, &matches) == 0) {
    folders.assign(matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
  }
  globfree(&matches);
  std::reverse(folders.begin(), folders.end());
  return folders;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::vector<std::string> python_patterns() {
  std::vector<std::string> patterns;
  for (const char* prefix : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (const std::string root = variable(prefix); !root.empty())
      patterns.push_back(root + "/lib/python3*/site-packages");
  }
  if (const std::string home = variable("HOME"); !home.empty()) {
    patterns.push_back(home + "/.local/lib/python3*/site-packages");
  }
  for (const char* system : {"/usr/local/lib/python3*/site-packages", "/usr/local/lib/python3*/dist-packages",
                             "/usr/lib/python3/dist-packages"}) {
    patterns.push_back(system);
  }
  return patterns;
}

}  // namespace

std::vector<std::string> toolkit_roots() {
  std::vector<std::string> patterns;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const std::string root = variable(name); !root.empty()) patterns.push_back(root);
  }
  patterns.insert(patterns.end(), {"/usr/local/cuda", "/usr/local/cuda-*"});
  for (const std::string& packages : python_patterns()) {
    for (const char* part : {"cu13", "cudnn", "cublas", "cuda_nvrtc", "cuda_runtime"})
      patterns.push_back(packages + "/nvidia/" + part);
  }
  std::vector<std::string> roots;
  for (const std::string& pattern : patterns) {
    for (const std::string& folder : folders_like(pattern)) {
      if (std::find(roots.begin(), roots.end(), folder) == roots.end()) roots.push_back(folder);
    }
  }
  return roots;
}

std::vector<std::string> library_candidates(const std::vector<std::string>& sonames) {
  std::vector<std::string> candidates = sonames;
  const std::vector<std::string> roots = toolkit_roots();
  for (const std::string& soname : sonames) {
    for (const std::string& root : roots) {
      for (const char* folder : {"/lib64/", "/lib/"}) {
        std::error_code ignored;
        if (fs::exists(root + folder + soname, ignored)) candidates.push_back(root + folder + soname);
      }
    }
  }
  return candidates;
}

std::string find_toolkit_include() {
  for (const std::string& root : toolkit_roots()) {
    const std::string include = root + "/include";
    std::error_code ignored;
    if (fs::exists(include + "/cuda_fp16.h", ignored)) return include;
  }
  return "";
}

}  // namespace harness::cuda
