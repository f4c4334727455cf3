#include "harness/adopt/kernel/read_again.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/adopt/kernel/chosen.h"
#include "harness/adopt/source/launch.h"
#include "harness/adopt/source/option_text.h"
#include "harness/core/error.h"

namespace fs = std::filesystem;

namespace harness::adopt {
namespace {

struct ListOption {
  const char* word;
  std::vector<std::string> AdoptOptions::*list;
};
constexpr ListOption kLists[] = {{"--include", &AdoptOptions::includes}, {"--host", &AdoptOptions::hosts},
                                 {"-D", &AdoptOptions::defines},         {"--type", &AdoptOptions::types},
                                 {"--set", &AdoptOptions::settings},     {"--size", &AdoptOptions::sizes_of_block},
                                 {"--tune", &AdoptOptions::tune}};
struct TextOption {
  const char* word;
  std::string AdoptOptions::*text;
};
constexpr TextOption kTexts[] = {
    {"--grid", &AdoptOptions::grid}, {"--block", &AdoptOptions::block}, {"--shared", &AdoptOptions::shared}};

constexpr const char* kFromBegin =
    "--from-begin";  // no option of the command: what was seen (AdoptOptions::from_begin)

bool is_path(std::string_view word) {
  return word == "--include" || word == "--host";
}

fs::path folder_of(const AdoptOptions& options) {
  return fs::absolute(options.file).parent_path();
}

/// The lines of a kernel's launches, in their order.
std::vector<int> lines_of_launches(const Source& source, const std::string& kernel) {
  std::vector<int> lines;
  for (const HostLaunch& launch : source.launches)
    if (launch.entry == kernel) lines.push_back(launch.line);
  return lines;
}

}  // namespace

std::vector<std::string> options_to_read_again(const Source& source, const AdoptOptions& options,
                                               const std::string& kernel) {
  std::vector<std::string> texts;
  // A revision has the file's own numbers; only a launch that an option says may be in terms of what is tuned.
  const bool tuned = !options.grid.empty() || !options.block.empty() || !options.shared.empty();
  for (const auto& [word, list] : kLists)
    for (const std::string& value : options.*list) {
      if (!tuned && list == &AdoptOptions::tune) continue;
      const std::string text = is_path(word) ? fs::proximate(value, folder_of(options)).string() : value;
      texts.push_back(fmt::format("{} {}", word, text));
    }
  for (const auto& [word, text] : kTexts)
    if (!(options.*text).empty()) texts.push_back(fmt::format("{} {}", word, options.*text));
  if (options.from_begin) texts.emplace_back(kFromBegin);
  const std::vector<int> lines = lines_of_launches(source, kernel);
  for (std::size_t i = 0; options.launch_line > 0 && i < lines.size(); ++i)
    if (lines[i] == options.launch_line) {
      texts.push_back(fmt::format("--launch #{}", i + 1));
      break;
    }
  return texts;
}

void take_options(AdoptOptions& options, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    const std::size_t blank = text.find(' ');
    const std::string word = text.substr(0, blank), value = blank == std::string::npos ? "" : text.substr(blank + 1);
    bool is_option = word == "--launch" && value.starts_with("#");
    if (word == kFromBegin) options.from_begin = is_option = true;
    if (is_option) options.launch_number = static_cast<int>(whole("--launch", value.substr(1)));
    for (const auto& [own, list] : kLists)
      if (word == own)
        (options.*list).push_back(is_path(word) ? (folder_of(options) / value).string() : value), is_option = true;
    for (const auto& [own, member] : kTexts)
      if (word == own) options.*member = value, is_option = true;
    if (!is_option)
      throw bad_input(fmt::format(
          "adopted.options has '{}'; each is one of --include, --host, -D, --type, --set, --size, --tune, --grid, "
          "--block, --shared with its value, or --launch #NUMBER",
          text));
  }
}

void find_launch_line(const Source& source, AdoptOptions& options) {
  if (options.launch_number == 0) return;
  const std::string kernel = kernel_to_adopt(source, options);
  const std::vector<int> lines = lines_of_launches(source, kernel);
  if (lines.size() < static_cast<std::size_t>(options.launch_number))
    throw bad_input(fmt::format("{} launches {} {} times, and launch {} was adopted; adopt the file anew",
                                source.main().name, kernel, lines.size(), options.launch_number));
  options.launch_line = lines[static_cast<std::size_t>(options.launch_number - 1)];
}

}  // namespace harness::adopt
