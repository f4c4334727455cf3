#include "harness/device/cuda/compile/include_scan.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

#include "harness/system/files.h"

namespace harness::cuda {
namespace {

namespace fs = std::filesystem;

struct Mention {
  std::string name;
  bool quoted = false;
};

std::string_view trim_left(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\f\v");
  return begin == std::string_view::npos ? std::string_view{} : text.substr(begin);
}

/// <name> or "name" at the start of `text`.
std::optional<Mention> quoted_name(std::string_view text) {
  text = trim_left(text);
  if (text.empty() || (text[0] != '<' && text[0] != '"')) return {};
  const std::size_t end = text.find(text[0] == '<' ? '>' : '"', 1);
  if (end == std::string_view::npos) return {};
  return Mention{std::string(text.substr(1, end - 1)), text[0] == '"'};
}

/// What follows "#include" on a line that has it (%: is another spelling of #).
std::optional<std::string_view> after_include(std::string_view line) {
  line = trim_left(line);
  if (line.starts_with("#")) line.remove_prefix(1);
  else if (line.starts_with("%:")) line.remove_prefix(2);
  else return {};
  line = trim_left(line);
  constexpr std::string_view kWord = "include";
  if (!line.starts_with(kWord)) return {};
  return line.substr(kWord.size());
}

/// `#define HEADER(name) <folder/name>`: a macro that writes headers' names.
struct HeaderMacro {
  std::string parameter, text;
};

/// "NAME(inside) rest": a macro's definition or its use.
struct MacroCall {
  std::string name, inside;
  std::string_view rest;
};

std::optional<MacroCall> macro_call(std::string_view text) {
  const auto is_name = [](std::string_view word) {
    return !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '_' || c == '/' || c == '.';
    });
  };
  text = trim_left(text);
  const std::size_t open = text.find('('), close = text.find(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  MacroCall call{std::string(text.substr(0, open)), "", text.substr(close + 1)};
  for (const char c : text.substr(open + 1, close - open - 1))
    if (c != ' ' && c != '\t') call.inside += c;
  if (!is_name(call.name) || !is_name(call.inside)) return {};
  return call;
}

/// What stands behind the word `define` of a directive; "" in any other line.
std::string_view after_define(std::string_view line) {
  constexpr std::string_view kWord = "define";
  line = trim_left(line);
  if (!line.starts_with("#")) return {};
  line = trim_left(line.substr(1));
  return line.starts_with(kWord) ? trim_left(line.substr(kWord.size())) : std::string_view{};
}

std::string defined_name(std::string_view line) {
  const std::string_view rest = after_define(line);
  const auto is_letter = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return {rest.begin(), std::find_if_not(rest.begin(), rest.end(), is_letter)};
}

std::optional<std::pair<std::string, HeaderMacro>> header_macro(std::string_view line) {
  const auto head = macro_call(after_define(line));
  if (!head || !quoted_name(head->rest)) return {};
  return std::pair{head->name, HeaderMacro{head->inside, std::string(trim_left(head->rest))}};
}

class Scanner {
 public:
  explicit Scanner(const std::vector<std::string>& include_dirs) : include_dirs_(include_dirs) {}

  void scan(const std::string& file, const std::string& text) {
    std::istringstream lines(text);
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
      if (const auto rest = after_include(line)) {
        if (const auto mention = quoted_name(*rest)) follow(*mention, file);
        else follow_macro(*rest, file, file + ":" + std::to_string(number));
      }
      follow_has_include(line, file);
      note_macro(line);
    }
  }
  IncludeScan result() && {
    for (const auto& [macro, place] : used_)
      if (unclear_.contains(macro)) result_.computed.push_back(place);
    return std::move(result_);
  }

 private:
  void note_macro(std::string_view line) {
    if (auto macro = header_macro(line)) macros_.insert(std::move(*macro));
    else if (const std::string name = defined_name(line); !name.empty()) unclear_.insert(name);
  }

  /// By every definition that was seen: which of them holds is the preprocessor's to say.
  void follow_macro(std::string_view written, const std::string& file, const std::string& place) {
    const auto call = macro_call(written);
    if (!call || !macros_.contains(call->name)) return result_.computed.push_back(place);
    used_.emplace_back(call->name, place);
    const auto [first, last] = macros_.equal_range(call->name);
    for (auto each = first; each != last; ++each) {
      const auto& [parameter, text] = each->second;
      std::string name = quoted_name(text)->name;
      if (const std::size_t at = name.find(parameter); at != std::string::npos)
        name.replace(at, parameter.size(), call->inside);
      follow({name, text[0] == '"'}, file);
    }
  }

  void follow_has_include(std::string_view line, const std::string& file) {
    constexpr std::string_view kWord = "__has_include";
    for (std::size_t at = line.find(kWord); at != std::string_view::npos; at = line.find(kWord, at + 1)) {
      const std::string_view rest = trim_left(line.substr(at + kWord.size()));
      if (!rest.starts_with("(")) continue;
      if (const auto mention = quoted_name(rest.substr(1))) follow(*mention, file);
    }
  }

  // Nothing outside the folders is looked at, for the compiler will not see it either.
  bool is_within_folders(const fs::path& path) const {
    std::error_code absent;
    const std::string real = fs::canonical(path, absent).string();
    return std::any_of(include_dirs_.begin(), include_dirs_.end(), [&](const std::string& folder) {
      return real.starts_with(fs::canonical(folder, absent).string() + "/");
    });
  }

  void follow(const Mention& mention, const std::string& from) {
    std::vector<fs::path> places;
    if (mention.quoted) places.push_back(fs::path(from).parent_path());
    places.insert(places.end(), include_dirs_.begin(), include_dirs_.end());
    for (const fs::path& place : places) {
      const fs::path path = (place / mention.name).lexically_normal();
      if (!is_within_folders(path)) continue;
      if (seen_.contains(path.string())) return;
      if (const auto text = read_file_if_any(path)) {
        seen_.insert(path.string());
        result_.headers.emplace_back(mention.name, *text);
        scan(path.string(), *text);
        return;
      }
    }
    if (seen_.insert("<" + mention.name).second) result_.headers.emplace_back(mention.name, "");
  }

  const std::vector<std::string>& include_dirs_;
  std::set<std::string> seen_;
  std::multimap<std::string, HeaderMacro> macros_;
  std::set<std::string> unclear_;                          // macros with a definition of another form
  std::vector<std::pair<std::string, std::string>> used_;  // a macro, and where it is an include
  IncludeScan result_;
};

}  // namespace

IncludeScan scan_includes(const std::string& source_name, const std::string& source,
                          const std::vector<std::string>& include_dirs) {
  Scanner scanner(include_dirs);
  scanner.scan(source_name, source);
  return std::move(scanner).result();
}

}  // namespace harness::cuda
