#include "harness/script/strategy/library_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/core/suggest.h"
#include "harness/script/strategy/pattern_page.h"
#include "harness/system/files.h"

namespace fs = std::filesystem;

namespace harness::script {
namespace {

constexpr const char* kExtension = ".lua";
constexpr const char* kAnnotations = "api";  // strategies/api.lua documents the API and is no strategy

/// Letters, digits, '-', '_' and '.' between single slashes; no part begins with a dot.
bool is_plain_name(const std::string& name) {
  bool part_begins = true;
  for (const char c : name) {
    const bool letter = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
    if (c == '/' ? part_begins : !(letter || (c == '.' && !part_begins))) return false;
    part_begins = c == '/';
  }
  return !part_begins;
}

bool is_within(const fs::path& file, const fs::path& folder) {
  const fs::path inside = fs::weakly_canonical(file), base = fs::weakly_canonical(folder);
  return std::mismatch(base.begin(), base.end(), inside.begin(), inside.end()).first == base.end();
}

std::string part_of(const std::string& name) {
  const auto slash = name.rfind('/');
  return slash == std::string::npos ? "" : name.substr(0, slash);
}

}  // namespace

StrategyFolders::StrategyFolders(std::vector<fs::path> folders) : folders_(std::move(folders)) {}

std::optional<Source> StrategyFolders::find(const std::string& name) const {
  if (!is_plain_name(name)) return std::nullopt;
  for (const fs::path& folder : folders_) {
    const fs::path file = folder / (name + kExtension);
    if (!fs::is_regular_file(file) || !is_within(file, folder)) continue;
    const fs::path shown = fs::absolute(folder).lexically_normal();
    const fs::path leaf = shown.has_filename() ? shown.filename() : shown.parent_path().filename();
    return read_source(file, (leaf / (name + kExtension)).string());
  }
  return std::nullopt;
}

std::vector<std::string> StrategyFolders::names(const std::string& part) const {
  std::set<std::string> found;
  for (const fs::path& folder : folders_) {
    std::error_code ignored;  // a folder without this part has no names in it
    for (const auto& entry : fs::directory_iterator(folder / part, ignored)) {
      const std::string stem = entry.path().stem().string();
      const std::string name = part.empty() ? stem : part + "/" + stem;
      const bool script = entry.is_regular_file() && entry.path().extension() == kExtension && is_plain_name(name);
      if (script && name != kAnnotations) found.insert(name);
    }
  }
  return {found.begin(), found.end()};
}

StrategyFolders StrategyFolders::with_folder_of(const fs::path& file) const {
  std::vector<fs::path> folders{fs::absolute(file).parent_path()};
  folders.insert(folders.end(), folders_.begin(), folders_.end());
  return StrategyFolders(std::move(folders));
}

std::string StrategyFolders::text() const {
  std::vector<std::string> texts;
  for (const fs::path& folder : folders_) texts.push_back(folder.string());
  return fmt::format("{}", fmt::join(texts, ", "));
}

SourceSet::SourceSet(Source main, StrategyFolders folders, std::vector<fs::path> playbooks)
    : main_(std::move(main)), folders_(std::move(folders)), playbooks_(std::move(playbooks)) {}

const Source& SourceSet::used(const std::string& name) {
  const auto known = used_.find(name);
  if (known != used_.end()) return known->second;
  std::optional<Source> source = folders_.find(name);
  if (!source) {
    throw bad_input(fmt::format("there is no '{}' in the strategy folders ({}){}", name, folders_.text(),
                                did_you_mean(name, folders_.names(part_of(name)))));
  }
  return used_.emplace(name, std::move(*source)).first->second;
}

const std::vector<Source>& SourceSet::pages() {
  if (!pages_) {
    std::vector<Source> pages;
    for (const Source& page : find_pages(playbooks_)) pages.push_back(read_page(page).lua);
    pages_ = std::move(pages);
  }
  return *pages_;
}

std::string SourceSet::hash() const {
  Sha256 sha;
  sha.field(main_.text);
  for (const auto& [name, source] : used_) sha.field(name).field(source.text);
  for (const Source& page : pages_.value_or(std::vector<Source>{})) sha.field(page.name).field(page.text);
  return sha.hex();
}

}  // namespace harness::script
