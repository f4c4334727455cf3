#include "harness/script/strategy/pattern_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "harness/core/error.h"

namespace fs = std::filesystem;

namespace harness::script {
namespace {

constexpr const char* kSections[] = {"When it applies", "What to do", "What to expect", "How it fails", "Source"};
constexpr const char *kFence = "```", *kLuaFence = "```lua";
constexpr int kMostDigits = 6;

/// "17-roi-pivot": the number; 0 for any other file, such as a README.
int page_number(const std::string& stem) {
  const std::size_t digits = stem.find_first_not_of("0123456789");
  if (digits == 0 || digits > kMostDigits || digits == std::string::npos || stem[digits] != '-') return 0;
  return digits + 1 < stem.size() ? std::stoi(stem.substr(0, digits)) : 0;
}

Error fault(const Source& file, std::size_t line, const std::string& what) {
  return bad_input(fmt::format("{}:{}: {}", file.name, line, what));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lines.push_back(line);
  }
  return lines;
}

/// The lines of the one Lua block, the others left empty.
std::string lua_block(const Source& file, const std::vector<std::string>& lines) {
  std::string lua;
  std::size_t blocks = 0, opened = 0;
  bool fenced = false, in_lua = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool is_fence = lines[i].starts_with(kFence);
    if (is_fence && !fenced) {
      in_lua = lines[i] == kLuaFence;
      opened = i + 1;
      if (in_lua && ++blocks > 1) throw fault(file, opened, "a page has one Lua block; this is the second");
    }
    lua += (in_lua && !is_fence ? lines[i] : "") + "\n";
    if (is_fence) fenced = !fenced;
    if (!fenced) in_lua = false;
  }
  if (fenced) throw fault(file, opened, "the fence is never closed; end the block with ```");
  if (blocks == 0) throw fault(file, 1, "the page has no Lua block; add ```lua, return pattern { ... } and ```");
  return lua;
}

std::string first_paragraph(const std::vector<std::string>& lines) {
  std::string paragraph;
  for (std::size_t i = 1; i < lines.size() && !lines[i].starts_with("#"); ++i) {
    if (lines[i].empty() && !paragraph.empty()) break;
    if (!lines[i].empty()) paragraph += (paragraph.empty() ? "" : " ") + lines[i];
  }
  return paragraph;
}

void check_sections(const Source& file, const std::vector<std::string>& lines) {
  auto at = lines.begin();
  for (const char* section : kSections) {
    const auto found = std::find(at, lines.end(), fmt::format("## {}", section));
    if (found == lines.end())
      throw fault(file, 1,
                  fmt::format("the section '## {}' is missing or not in its place; the sections of a page are {}",
                              section, fmt::join(kSections, ", ")));
    at = found;
  }
}

}  // namespace

PatternPage read_page(const Source& file) {
  const std::string stem = fs::path(file.name).stem().string();
  PatternPage page;
  page.id = page_number(stem);
  if (page.id == 0) throw fault(file, 1, "a page is named NUMBER-NAME.md, for example 17-roi-pivot.md");
  page.name = stem.substr(stem.find('-') + 1);
  page.text = file.text;
  const std::vector<std::string> lines = lines_of(file.text);
  const std::string heading = fmt::format("# {} ", page.id);
  if (lines.empty() || !lines[0].starts_with(heading) || lines[0].size() == heading.size())
    throw fault(file, 1, fmt::format("the page begins with its number and title: {}...", heading));
  page.title = lines[0].substr(heading.size());
  page.summary = first_paragraph(lines);
  if (page.summary.empty()) throw fault(file, 2, "below the title, say in a paragraph what the pattern is");
  page.lua = {file.name, lua_block(file, lines)};
  check_sections(file, lines);
  return page;
}

std::vector<Source> find_pages(const std::vector<fs::path>& folders) {
  std::map<int, fs::path> pages;
  for (const fs::path& folder : folders) {
    std::error_code none;  // a home without a playbook has no pages
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder, none)) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
      const int id = file.extension() == ".md" ? page_number(file.stem().string()) : 0;
      if (id == 0) continue;
      const auto [known, added] = pages.emplace(id, file);
      if (!added && known->second.filename() != file.filename())
        throw bad_input(fmt::format("{} and {} have the same number; give one of them a number that is free",
                                    known->second.string(), file.string()));
    }
  }
  std::vector<Source> sources;
  for (const auto& [id, file] : pages) sources.push_back(read_source(file, "playbook/" + file.filename().string()));
  return sources;
}

}  // namespace harness::script
