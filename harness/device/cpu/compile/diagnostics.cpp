#include "harness/device/cpu/compile/diagnostics.h"

#include "harness/device/cpu/compile/source.h"

namespace harness::cpu {
namespace {

void remove_all(std::string& text, const std::string& part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) text.erase(at, part.size());
}

/// Whether an error, not only a note on where something was required, carries this position (a column follows).
bool has_error_at(const std::string& text, const std::string& position) {
  for (std::size_t at = text.find(position); at != std::string::npos; at = text.find(position, at + 1)) {
    const std::size_t behind = text.find_first_not_of("0123456789", at + position.size());
    if (behind != std::string::npos && text.compare(behind, 9, ": error: ") == 0) return true;
  }
  return false;
}

}  // namespace

std::string explain(const std::string& log, const BuildSpec& spec, const std::string& scratch) {
  std::string text = log, sentences;
  remove_all(text, scratch + "/");
  for (const std::string& entry : spec.entries)
    if (has_error_at(text, entry_label(entry) + ":1:"))
      sentences += spec.source_name + ": error: the source has no kernel '" + entry +
                   "' (its name or its template arguments do not fit)\n";
  // What the compiler itself writes always assembles: this is inline assembly.
  if (text.find("Assembler messages:") != std::string::npos)
    sentences += spec.source_name +
                 ": error: the cpu device cannot run PTX; put inline assembly behind #ifndef __HARNESS_CPU__\n";
  return sentences + text;
}

std::string describe_ignored(const std::vector<std::string>& options) {
  std::string text;
  for (const std::string& option : options) text += "note: option '" + option + "' means nothing to the cpu device\n";
  return text;
}

}  // namespace harness::cpu
