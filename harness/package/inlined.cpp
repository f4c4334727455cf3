#include "harness/package/inlined.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>

#include "harness/core/error.h"
#include "harness/package/directive.h"
#include "harness/system/files.h"

namespace fs = std::filesystem;

namespace harness::package {
namespace {

constexpr int kDeepest = 64;
constexpr std::size_t kLargest = 16 << 20;

struct Header {
  fs::path file;
  std::string text;
};

void add_once(std::vector<std::string>& list, const std::string& item) {
  if (std::ranges::find(list, item) == list.end()) list.push_back(item);
}

class Inliner {
 public:
  Inliner(const BuildSpec& build, Outside outside) : outside_(outside), name_(build.source_name) {
    for (const std::string& folder : build.include_dirs) folders_.emplace_back(folder);
  }

  void append(const std::string& text, const fs::path& folder, int depth) {
    if (depth > kDeepest) throw bad_input(fmt::format("{}: its headers include each other without end", name_));
    DirectiveScan scan;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const Directive directive = scan.next(line);
      if (directive.word == "if" || directive.word == "ifdef" || directive.word == "ifndef") ++open_;
      if (directive.word == "endif") --open_;
      if (directive.word == "define") add_once(made_.macros, directive.name);
      if (directive.word == "pragma" && directive.name == "once") continue;
      if (directive.word == "include") include(directive, line, folder, depth);
      else add(line);
    }
  }

  InlinedSource take() { return std::move(made_); }

 private:
  void add(const std::string& line) {
    made_.text += line + '\n';
    if (made_.text.size() > kLargest) throw bad_input(fmt::format("{}: is larger than 16 MiB with its headers", name_));
  }

  void include(const Directive& directive, const std::string& line, const fs::path& folder, int depth) {
    const auto header = directive.name.empty() ? std::nullopt : find(directive, folder);
    if (header) return insert(*header, directive.name, depth);
    if (outside_ == Outside::stay || directive.name.empty()) return add(line);
    add_once(made_.outside,
             directive.quoted ? "#include \"" + directive.name + '"' : "#include <" + directive.name + '>');
  }

  /// A header that was met inside of an #if may or may not have been read: where it is met again, the compiler decides.
  void insert(const Header& header, const std::string& name, int depth) {
    const std::string file = header.file.string();
    const bool guarded = guards_itself(header.text), first = !inserted_.contains(file);
    InsertedHeader& place = inserted_.try_emplace(file, InsertedHeader{inserted_.size() + 1}).first->second;
    if (guarded && (place.certain || place.open)) return;
    const std::string macro = fmt::format("HARNESS_INLINED_{}", place.number);
    const bool asks = guarded && (open_ > 0 || !first);
    add(fmt::format("// ---- {}", name));
    if (asks) {
      add_once(made_.macros, macro);
      add(fmt::format("#ifndef {0}\n#define {0}", macro));
    }
    place.certain = open_ == 0;
    place.open = true;
    const int open = open_;
    append(header.text, header.file.parent_path(), depth + 1);
    open_ = open;
    inserted_.at(file).open = false;
    if (asks) add("#endif");
    add(fmt::format("// ---- end of {}", name));
    add_once(made_.headers, name);
  }

  std::optional<Header> find(const Directive& directive, const fs::path& folder) const {
    if (directive.quoted)
      if (auto found = inside(folder / directive.name)) return found;
    for (const fs::path& each : folders_)
      if (auto found = inside(each / directive.name)) return found;
    return std::nullopt;
  }

  /// Only what lies in the folders: a builder sees nothing else, and a source may not reach out through this.
  std::optional<Header> inside(const fs::path& candidate) const {
    std::error_code failed;
    const fs::path file = fs::canonical(candidate, failed);
    if (failed || !fs::is_regular_file(file, failed)) return std::nullopt;
    for (const fs::path& folder : folders_) {
      const fs::path relative = file.lexically_relative(fs::weakly_canonical(folder, failed));
      if (relative.empty() || *relative.begin() == "..") continue;
      if (auto text = read_file_if_any(file)) return Header{file, std::move(*text)};
    }
    return std::nullopt;
  }

  struct InsertedHeader {
    std::size_t number = 0;
    bool certain = false;  // it stands outside of any #if
    bool open = false;     // its lines are being added
  };

  Outside outside_;
  std::string name_;
  std::vector<fs::path> folders_;
  std::map<std::string, InsertedHeader> inserted_;
  int open_ = 0;  // #if without their #endif
  InlinedSource made_;
};

}  // namespace

InlinedSource inline_headers(const BuildSpec& build, Outside outside) {
  Inliner inliner(build, outside);
  inliner.append(build.source, build.include_dirs.empty() ? fs::path() : fs::path(build.include_dirs.front()), 0);
  return inliner.take();
}

}  // namespace harness::package
