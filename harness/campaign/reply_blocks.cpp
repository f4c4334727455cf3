#include "harness/campaign/reply_blocks.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

namespace harness {
namespace {

struct Marks {
  std::string_view open, close;
};

constexpr std::array<Marks, 6> kThoughts{{{"<think>", "</think>"},
                                          {"<thinking>", "</thinking>"},
                                          {"<thought>", "</thought>"},
                                          {"<reasoning>", "</reasoning>"},
                                          {"[THINK]", "[/THINK]"},
                                          {"◁think▷", "◁/think▷"}}};

constexpr std::string_view kChannel = "<|channel|>final<|message|>";

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return lines;
}

std::string_view trimmed(std::string_view line) {
  const std::size_t from = line.find_first_not_of(" \t");
  if (from == std::string_view::npos) return {};
  return line.substr(from, line.find_last_not_of(" \t") + 1 - from);
}

std::string joined(const std::vector<std::string_view>& lines) {
  std::string text;
  for (const std::string_view line : lines) (text += line) += '\n';
  if (!text.empty()) text.pop_back();
  return text;
}

/// The mark of a fence: three or more of one sign. 0: the line is none.
std::size_t fence_length(std::string_view line, char sign) {
  const std::size_t end = line.find_first_not_of(sign);
  const std::size_t length = end == std::string_view::npos ? line.size() : end;
  return length >= 3 ? length : 0;
}

/// "<<<<<<< SEARCH": five signs or more, and one of the words or nothing.
bool is_mark(std::string_view line, char sign, std::initializer_list<std::string_view> words) {
  const std::size_t end = line.find_first_not_of(sign);
  const std::size_t length = end == std::string_view::npos ? line.size() : end;
  if (length < 5) return false;
  const std::string_view word = trimmed(line.substr(length));
  return word.empty() ? words.size() == 0 : std::ranges::find(words, word) != words.end();
}

bool opens_edit(std::string_view line) {
  return is_mark(trimmed(line), '<', {"SEARCH", "ORIGINAL", "HEAD", "search"});
}

/// Reads SEARCH/REPLACE blocks out of lines; what is left of the lines is returned.
std::vector<std::string_view> take_edits(const std::vector<std::string_view>& lines, ReplyBlocks& blocks) {
  std::vector<std::string_view> rest, search, replace;
  enum class Part { none, search, replace } part = Part::none;
  for (const std::string_view line : lines) {
    if (part == Part::none) {
      if (opens_edit(line)) part = Part::search, search.clear(), replace.clear();
      else rest.push_back(line);
    } else if (part == Part::search && is_mark(trimmed(line), '=', {})) {
      part = Part::replace;
    } else if (part == Part::replace && is_mark(trimmed(line), '>', {"REPLACE", "UPDATED", "replace"})) {
      blocks.edits.push_back({joined(search), joined(replace)});
      part = Part::none;
    } else {
      (part == Part::search ? search : replace).push_back(line);
    }
  }
  blocks.breaks_off = blocks.breaks_off || part != Part::none;
  return rest;
}

/// The hunks of a unified diff as edits: context and what goes away, for context and what comes.
void take_hunks(const std::vector<std::string_view>& lines, ReplyBlocks& blocks) {
  std::vector<std::string_view> search, replace;
  const auto end_hunk = [&] {
    if (!search.empty() && search != replace) blocks.edits.push_back({joined(search), joined(replace)});
    search.clear();
    replace.clear();
  };
  bool within = false;
  for (const std::string_view line : lines) {
    if (line.starts_with("@@")) {
      end_hunk();
      within = true;
    } else if (line.starts_with("--- ") || line.starts_with("+++ ") || line.starts_with("\\ No newline")) {
      continue;
    } else if (within) {
      const char sign = line.empty() ? ' ' : line.front();
      const std::string_view text = line.empty() ? line : line.substr(1);
      if (sign != '+') search.push_back(text);
      if (sign != '-') replace.push_back(text);
    }
  }
  end_hunk();
}

std::string language_in(std::string_view words) {
  words = trimmed(words);
  std::string language(words.substr(0, words.find_first_of(" \t{:,")));
  for (char& c : language) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return language;
}

void add_block(std::string language, const std::vector<std::string_view>& lines, ReplyBlocks& blocks) {
  const bool is_diff = language == "diff" || language == "patch" ||
                       std::ranges::any_of(lines, [](std::string_view line) { return line.starts_with("@@ -"); });
  const bool has_edits = std::ranges::any_of(lines, opens_edit);
  if (has_edits) take_edits(lines, blocks);
  else if (is_diff) take_hunks(lines, blocks);
  else blocks.fenced.push_back({std::move(language), joined(lines)});
}

}  // namespace

std::string without_thoughts(const std::string& text) {
  std::string prose = text;
  if (const std::size_t at = prose.rfind(kChannel); at != std::string::npos) {
    prose = prose.substr(at + kChannel.size());
    prose = prose.substr(0, prose.find("<|"));
  }
  for (const auto& [open, close] : kThoughts) {
    if (const std::size_t end = prose.rfind(close); end != std::string::npos) prose = prose.substr(end + close.size());
    const std::size_t begin = prose.find_first_not_of(" \t\r\n");
    if (begin != std::string::npos && prose.compare(begin, open.size(), open) == 0) return "";
  }
  return prose;
}

ReplyBlocks blocks_of(const std::string& text) {
  ReplyBlocks blocks;
  std::vector<std::string_view> outside, inside;
  std::string language;
  std::size_t length = 0;
  char sign = 0;
  for (const std::string_view line : lines_of(text)) {
    const std::string_view bare = trimmed(line);
    if (length == 0) {
      for (const char fence : {'`', '~'})
        if (const std::size_t opened = fence_length(bare, fence); opened > 0) {
          // ```x``` on one line is code within a sentence.
          if (bare.find(fence, opened) != std::string_view::npos) break;
          length = opened, sign = fence, language = language_in(bare.substr(opened)), inside.clear();
        }
      if (length == 0) outside.push_back(line);
    } else if (fence_length(bare, sign) == bare.size() && bare.size() >= length) {
      add_block(std::exchange(language, ""), inside, blocks);
      length = 0;
    } else {
      inside.push_back(line);
    }
  }
  if (length > 0) {
    blocks.breaks_off = true;
    outside.insert(outside.end(), inside.begin(), inside.end());
  }
  blocks.prose = joined(take_edits(outside, blocks));
  return blocks;
}

}  // namespace harness
