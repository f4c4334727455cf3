#include "harness/simulate/read_space.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/simulate/text_file.h"

namespace harness::simulate {

bool is_export(const std::string& text) {
  return text.substr(0, text.find('\n')).find("\"harness_export\"") != std::string::npos;
}

bool begins_as_export(const std::string& file) {
  const std::string text = read_text(file);
  return is_export(text) ||
         (text.find("\"cache\"") == std::string::npos && text.find("\"results\"") == std::string::npos);
}

RecordedSpace read_space(const std::string& file, const std::string& arm) {
  const std::string text = read_text(file);
  if (is_export(text)) return read_export(text, file, arm);
  if (!arm.empty())
    throw bad_input(fmt::format("'{}' is no export of harness and holds one space; leave out --arm", file));
  // What tells them apart stands among the keys of the top level, which either writes before or after a long list.
  if (text.find("\"cache\"") != std::string::npos) return read_kernel_tuner(text, file);
  if (text.find("\"results\"") != std::string::npos) return read_t4(text, file);
  throw bad_input(
      fmt::format("'{}' is no recorded space: a Kernel Tuner file has the key \"cache\", a T4 file "
                  "\"results\", and a text of harness export begins with \"harness_export\"",
                  file));
}

}  // namespace harness::simulate
