#include "harness/capture/sources.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "harness/system/files.h"

namespace harness::capture {
namespace {

namespace fs = std::filesystem;

constexpr int kMostFiles = 20000, kMostRead = 4000;
constexpr std::uintmax_t kMostBytes = 4 << 20;

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// The identifier that ends right before `end`; "" where none does.
std::string word_before(const std::string& text, std::size_t end) {
  while (end > 0 && std::isspace(static_cast<unsigned char>(text[end - 1])) != 0) --end;
  std::size_t begin = end;
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

/// Names of what is declared __global__: the word before the parenthesis of its parameters, attributes skipped.
std::vector<std::string> kernels_in(const std::string& text) {
  std::vector<std::string> names;
  const std::string word = "__global__";
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    std::size_t open = text.find('(', at);
    while (open != std::string::npos) {
      const std::string name = word_before(text, open);
      if (!name.starts_with("__launch_bounds__") && name != "__attribute__" && name != "__maxnreg__") {
        if (!name.empty()) names.push_back(name);
        break;
      }
      int depth = 0;
      std::size_t close = open;
      for (; close < text.size(); ++close) {
        if (text[close] == '(') ++depth;
        if (text[close] == ')' && --depth == 0) break;
      }
      open = text.find('(', close);
    }
  }
  return names;
}

std::vector<std::string> triton_functions_in(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t at = text.find("triton.jit"); at != std::string::npos; at = text.find("triton.jit", at + 1)) {
    const std::size_t def = text.find("def ", at), open = text.find('(', def);
    if (def == std::string::npos || open == std::string::npos) break;
    names.push_back(word_before(text, open));
  }
  return names;
}

bool is_skipped(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return name.starts_with('.') || name == "node_modules" || name == "__pycache__" || name == "site-packages";
}

}  // namespace

KernelSources::KernelSources(const std::vector<std::string>& folders) {
  int seen = 0, read = 0;
  for (const std::string& folder : folders) {
    std::error_code failed;
    for (fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, failed), end;
         !failed && at != end && seen < kMostFiles && read < kMostRead; at.increment(failed), ++seen) {
      if (at->is_directory(failed) && is_skipped(at->path())) at.disable_recursion_pending();
      const std::string kind = at->path().extension().string();
      const bool cuda = kind == ".cu" || kind == ".cuh" || kind == ".h" || kind == ".hpp", python = kind == ".py";
      if ((!cuda && !python) || !at->is_regular_file(failed) || at->file_size(failed) > kMostBytes) continue;
      const auto text = read_file_if_any(at->path().string());
      if (!text) continue;
      ++read;
      for (const std::string& name : cuda ? kernels_in(*text) : triton_functions_in(*text)) {
        auto& all = cuda ? cuda_ : triton_;
        const auto [known, fresh] = all.emplace(name, at->path().string());
        if (!fresh && kind == ".cu" && !known->second.ends_with(".cu")) known->second = at->path().string();
      }
    }
  }
}

std::string KernelSources::found(const std::map<std::string, std::string>& all, const std::string& entry) {
  const auto known = all.find(entry);
  return known == all.end() ? "" : known->second;
}

}  // namespace harness::capture
