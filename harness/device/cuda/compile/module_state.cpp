#include "harness/device/cuda/compile/module_state.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>

#include "harness/core/ptx_lexer.h"
#include "harness/device/cuda/compile/constant_use.h"

namespace harness::cuda {
namespace {

std::map<std::string_view, int> count_words(std::string_view ptx) {
  std::map<std::string_view, int> counts;
  PtxLexer lexer(ptx);
  for (PtxToken token; lexer.next(token);)
    if (token.kind == PtxToken::Kind::word) ++counts[token.text];
  return counts;
}

/// What has internal linkage lies in a namespace "_INTERNAL_..." of the compiler's.
std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  std::string readable = status == 0 && text ? text.get() : name;
  if (readable.starts_with("_INTERNAL_")) {
    if (const std::size_t colons = readable.find("::"); colons != std::string::npos) readable.erase(0, colons + 2);
  }
  return readable;
}

}  // namespace

std::vector<std::string> kept_state(const std::vector<std::string>& variables, std::string_view ptx) {
  const auto words = count_words(ptx);
  std::set<std::string> used;
  std::vector<std::string> kept;
  for (const std::string& name : variables) {
    const auto uses = words.find(name);
    if (uses == words.end()) kept.push_back(demangled(name));  // of which nothing can be proven
    else if (uses->second > 1) used.insert(name);
  }
  const std::set<std::string> constant = only_read(used, ptx);
  for (const std::string& name : used)
    if (!constant.contains(name)) kept.push_back(demangled(name));
  std::ranges::sort(kept);
  return kept;
}

}  // namespace harness::cuda
