#include "harness/core/compiler_errors.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace harness {
namespace {

/// A diagnostic: what g++ says of its context ("In file included from"), its line, and the lines that show the source.
struct Remark {
  std::string line;  // "kernel.cu:3:5: error: ..." (g++), "kernel.cu(3): error: ..." (NVRTC)
  std::string text;
  bool is_error = false;
};

bool begins_context(std::string_view line) {
  return line.find(": In ") != line.npos || line.starts_with("In file included") || line.find(": At ") != line.npos ||
         line.find("   required from") != line.npos || line.find("   recursively required") != line.npos;
}

bool is_head(std::string_view line) {
  for (const char* mark :
       {": error:", ": error ", ": fatal error:", ": warning:", ": warning #", ": note:", ": catastrophic error:"})
    if (line.find(mark) != line.npos) return true;
  return false;
}

bool names_error(std::string_view line) {
  return line.find(": error") != line.npos || line.find("fatal error") != line.npos ||
         line.find("catastrophic error") != line.npos;
}

std::vector<Remark> remarks_of(std::string_view log) {
  std::vector<Remark> remarks;
  std::string context;
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    const std::string line(log.substr(0, end));
    log.remove_prefix(std::min(end + 1, log.size()));
    if (line.find(": note:") != line.npos && !remarks.empty()) {  // belongs to what was said before
      remarks.back().text += std::exchange(context, {}) + line + "\n";
    } else if (is_head(line)) {
      remarks.push_back({line, std::exchange(context, {}) + line + "\n", names_error(line)});
    } else if (begins_context(line) || remarks.empty() || !context.empty()) {
      context += line + "\n";
    } else {
      remarks.back().text += line + "\n";
    }
  }
  if (!context.empty()) remarks.push_back({"", context});
  return remarks;
}

}  // namespace

std::string tidy_errors(std::string_view log, const std::vector<std::string>& generated) {
  std::set<std::string> told;
  std::vector<Remark> own, others, rest;
  for (Remark& remark : remarks_of(log)) {
    if (!remark.line.empty() && !told.insert(remark.line).second) continue;
    const bool of_generated =
        std::ranges::any_of(generated, [&](const std::string& name) { return remark.line.starts_with(name); });
    (!remark.is_error ? rest : of_generated ? others : own).push_back(std::move(remark));
  }
  std::string text;
  for (const Remark& remark : own) text += remark.text;
  if (own.empty())
    for (const Remark& remark : others) text += remark.text;
  for (const Remark& remark : rest) text += remark.text;
  return text;
}

}  // namespace harness
