#include "harness/package/folder/ci_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/printable.h"

namespace harness::package {
namespace {

std::string xml(const std::string& text) {
  std::string result;
  for (const char c : printable(text, Lines::one)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string in_table(const std::string& text) {
  std::string result;
  for (const char c : printable(text, Lines::one)) result += c == '|' ? std::string("\\|") : std::string(1, c);
  return result;
}

}  // namespace

std::string junit_text(const std::string& kernel, const std::vector<GuardLine>& lines) {
  const auto failures = std::ranges::count_if(lines, &GuardLine::failed);
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"harness guard {}\" tests=\"{}\" "
      "failures=\"{}\">\n",
      xml(kernel), lines.size(), failures);
  for (const GuardLine& line : lines) {
    text += fmt::format("  <testcase classname=\"{}\" name=\"{}\">\n", xml(kernel + "." + line.candidate),
                        xml(line.workload));
    if (line.failed)
      text += fmt::format("    <failure message=\"{}\">{}</failure>\n", xml(line.verdict), xml(line.text));
    else text += fmt::format("    <system-out>{}</system-out>\n", xml(line.text));
    text += "  </testcase>\n";
  }
  return text + "</testsuite>\n";
}

std::string markdown_text(const std::string& kernel, const std::string& device, const std::vector<GuardLine>& lines) {
  const auto failures = std::ranges::count_if(lines, &GuardLine::failed);
  std::string text = fmt::format(
      "### `{}`: {} ({})\n\n| workload | what | verdict | |\n|---|---|---|---|\n", in_table(kernel),
      failures == 0 ? "holds" : fmt::format("{} of {} do not hold", failures, lines.size()), in_table(device));
  for (const GuardLine& line : lines)
    text += fmt::format("| {} | {} | {}{} | {} |\n", in_table(line.workload), in_table(line.candidate),
                        line.failed ? "**" + in_table(line.verdict) + "**" : in_table(line.verdict), "",
                        in_table(line.text));
  return text;
}

}  // namespace harness::package
