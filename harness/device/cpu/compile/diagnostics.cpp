#include "harness/device/cpu/compile/diagnostics.h"

#include <algorithm>
#include <vector>

#include "harness/core/compiler_errors.h"
#include "harness/device/cpu/compile/source.h"

namespace harness::cpu {
namespace {

void remove_all(std::string& text, const std::string& part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) text.erase(at, part.size());
}

constexpr const char* kTable = "table of entries:";

bool names_an_error(const std::string& text) {
  return text.find(": error: ") != std::string::npos || text.find(": fatal error: ") != std::string::npos;
}

/// Whether an error, not only a note on where something was required, carries this position (a column follows).
bool has_error_at(const std::string& text, const std::string& position) {
  for (std::size_t at = text.find(position); at != std::string::npos; at = text.find(position, at + 1)) {
    const std::size_t behind = text.find_first_not_of("0123456789", at + position.size());
    if (behind != std::string::npos && text.compare(behind, 9, ": error: ") == 0) return true;
  }
  return false;
}

/// The line of `text` that holds `part`; "" if none does.
std::string line_with(const std::string& text, const std::string& part) {
  const std::size_t at = text.find(part);
  if (at == std::string::npos) return "";
  const std::size_t begin = text.rfind('\n', at);
  const std::size_t first = begin == std::string::npos ? 0 : begin + 1;
  return text.substr(first, text.find('\n', at) - first);
}

/// What stands behind the author's text was read as a part of it: something in it is not closed.
std::string unclosed(const std::string& text, const BuildSpec& spec) {
  if (!has_error_at(text, std::string(kTable) + "1:") && text.find("at end of input") == std::string::npos) return "";
  const std::string note = line_with(text, ": note: to match this '");
  if (note.starts_with(spec.source_name))
    return note.substr(0, note.find(": note:")) + ": error: this '" + note.substr(note.rfind("this '") + 6, 1) +
           "' is never closed\n";
  return spec.source_name + ": error: a '}' or ';' is missing at or before its end\n";
}

}  // namespace

std::string explain(const std::string& log, const BuildSpec& spec, const std::string& scratch) {
  std::string text = log, sentences;
  remove_all(text, scratch + "/");
  std::vector<std::string> generated{kTable};
  for (const std::string& entry : spec.entries) generated.push_back(entry_label(entry) + ":");
  for (const std::string& symbol : spec.constants) generated.push_back(constant_label(symbol) + ":");
  // An error of the author's own explains those of the generated text behind it.
  const std::string tidy = tidy_errors(text, generated);
  const bool own = names_an_error(tidy) && std::ranges::none_of(generated, [&](const std::string& name) {
                     return has_error_at(tidy, name + "1:") || has_error_at(tidy, name + "2:");
                   });
  if (!own) {
    sentences += unclosed(text, spec);
    for (const std::string& entry : spec.entries)
      if (sentences.empty() && has_error_at(text, entry_label(entry) + ":1:"))
        sentences += spec.source_name + ": error: the source has no kernel '" + entry +
                     "' (its name or its template arguments do not fit)\n";
  }
  for (const std::string& symbol : spec.constants)
    if (!own && sentences.empty() && has_error_at(text, constant_label(symbol) + ":1:"))
      sentences += spec.source_name + ": error: the source has no __constant__ variable '" + symbol +
                   "' that can be filled (its name does not fit, or it is const)\n";
  // What the compiler itself writes always assembles: this is inline assembly.
  if (text.find("Assembler messages:") != std::string::npos)
    sentences += spec.source_name +
                 ": error: the cpu device cannot run PTX; put inline assembly behind #ifndef __HARNESS_CPU__\n";
  return sentences + tidy;
}

std::string describe_ignored(const std::vector<std::string>& options) {
  std::string text;
  for (const std::string& option : options) text += "note: option '" + option + "' means nothing to the cpu device\n";
  return text;
}

}  // namespace harness::cpu
