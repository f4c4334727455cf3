#include "harness/package/inlined.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "harness/core/error.h"
#include "harness/cpp_text/include_folders.h"
#include "harness/system/files.h"

namespace fs = std::filesystem;

namespace harness::package {
namespace {

using cpp_text::Directive;
using cpp_text::Include;

constexpr int kDeepest = 64;
constexpr std::size_t kLargest = 16 << 20;

/// A text of which a part is read: where it lies, and in which of the build's folders it was found.
struct Place {
  fs::path folder;
  std::size_t found_in = 0;
  int depth = 0;
};

struct Header {
  cpp_text::HeaderFile place;
  std::string text;
};

void add_once(std::vector<std::string>& list, const std::string& item) {
  if (std::ranges::find(list, item) == list.end()) list.push_back(item);
}

bool is_pragma_once(const Directive& directive) {
  return directive.name.is("pragma") && !directive.tokens.empty() && directive.tokens[0].is("once");
}

/// Whether a second inclusion of the header would be empty.
bool guards_itself(const std::string& header) {
  std::string guard;
  bool first = true;
  for (const Directive& directive : cpp_text::directives_of(header)) {
    if (is_pragma_once(directive)) return true;
    const std::string_view macro = directive.tokens.empty() ? "" : directive.tokens[0].text;
    if (first && directive.name.is("ifndef")) guard = macro;
    else if (!guard.empty() && directive.name.is("define") && macro == guard) return true;
    first = false;
  }
  return false;
}

std::set<std::string> defined_by(const BuildSpec& build) {
  std::set<std::string> names;
  for (const auto& [name, value] : build.defines) names.insert(name);
  return names;
}

/// The lines before and behind a header's text.
std::string begin_mark(const std::string& name) {
  return "// ---- " + name;
}
std::string end_mark(const std::string& name) {
  return "// ---- end of " + name;
}

class Inliner {
 public:
  Inliner(const BuildSpec& build, Outside outside)
      : outside_(outside),
        name_(build.source_name),
        folders_({build.include_dirs.begin(), build.include_dirs.end()}),
        header_macros_(defined_by(build)) {}

  void append(const std::string& text, const Place& place) {
    if (place.depth > kDeepest) throw bad_input(fmt::format("{}: its headers include each other without end", name_));
    const cpp_text::Text read = cpp_text::read_text(text);
    auto next = read.directives.begin();
    std::size_t done = 0;
    for (const cpp_text::Token& token : read.tokens) {
      if (token.kind != cpp_text::Token::Kind::directive) continue;
      const Directive& directive = *next++;
      note(directive);
      const auto included = cpp_text::include_of(directive);
      if (included || is_pragma_once(directive)) {
        const std::size_t begin = begin_of_line(text, token.begin);
        const std::size_t end = std::min(token.end + 1, text.size());
        add(std::string_view(text).substr(done, begin - done));
        if (included) include(named(*included), std::string_view(text).substr(begin, end - begin), place);
        done = end;
      }
      for (const cpp_text::FileQuestion& question : cpp_text::file_questions(directive)) {
        if (!find(question.include, place)) continue;
        add_part(std::string_view(text).substr(done, question.begin - done));  // the answer goes on in this line
        add_part("1");
        done = question.end;
      }
    }
    add(std::string_view(text).substr(done));
  }

  InlinedSource take() { return std::move(made_); }

 private:
  /// Of the line, if only blanks stand before the directive.
  static std::size_t begin_of_line(const std::string& text, std::size_t directive) {
    const std::size_t before = directive == 0 ? std::string::npos : text.find_last_not_of(" \t\v\f", directive - 1);
    if (before == std::string::npos) return 0;
    return text[before] == '\n' ? before + 1 : directive;
  }

  void note(const Directive& directive) {
    if (directive.name.is("if") || directive.name.is("ifdef") || directive.name.is("ifndef")) ++open_;
    if (directive.name.is("endif")) --open_;
    if (auto macro = cpp_text::definition_of(directive)) {
      add_once(made_.macros, macro->name);
      header_macros_.add({*macro});
    }
  }

  /// Whole lines.
  void add(std::string_view text) {
    if (text.empty()) return;
    add_part(text);
    if (!made_.text.ends_with('\n')) made_.text += '\n';
  }

  void add_part(std::string_view text) {
    made_.text += text;
    if (made_.text.size() > kLargest) throw bad_input(fmt::format("{}: is larger than 16 MiB with its headers", name_));
  }

  /// With the name that a macro computes.
  Include named(const Include& directive) const {
    if (!directive.name.empty()) return directive;
    const auto names = header_macros_.names_of(directive);
    if (names && std::ranges::all_of(*names, [&](const Include& name) { return name == names->front(); }))
      return names->front();
    throw bad_input(
        fmt::format("{}: '#{} {}' names a file by a macro that has no single plain definition before it; "
                    "what stands alone must name it",
                    name_, directive.directive, directive.macro));
  }

  void include(const Include& include, std::string_view line, const Place& place) {
    if (const auto header = find(include, place)) return insert(*header, include, place.depth);
    if (outside_ == Outside::stay) return add(line);
    add_once(made_.outside, include.quoted ? "#include \"" + include.name + '"' : "#include <" + include.name + '>');
  }

  /// A header that was met inside of an #if may or may not have been read: where it is met again, the compiler decides.
  void insert(const Header& header, const Include& include, int depth) {
    const std::string file = header.place.file.string();
    const bool guarded = include.directive == "import" || guards_itself(header.text);
    const bool first = !inserted_.contains(file);
    InsertedHeader& inserted = inserted_.try_emplace(file, InsertedHeader{inserted_.size() + 1}).first->second;
    if (guarded && (inserted.certain || inserted.open)) return;
    const std::string macro = fmt::format("HARNESS_INLINED_{}", inserted.number);
    const bool asks = guarded && (open_ > 0 || !first);
    add(begin_mark(include.name));
    if (asks) {
      add_once(made_.macros, macro);
      add(fmt::format("#ifndef {0}\n#define {0}", macro));
    }
    inserted.certain = open_ == 0;
    inserted.open = true;
    const int open = open_;
    append(header.text, {header.place.path.parent_path(), header.place.folder, depth + 1});
    open_ = open;
    inserted_.at(file).open = false;
    if (asks) add("#endif");
    add(end_mark(include.name));
    add_once(made_.headers, include.name);
  }

  /// Only what lies in the folders: a builder sees nothing else, and a source may not reach out through this.
  std::optional<Header> find(const Include& include, const Place& place) const {
    const bool next = include.directive.ends_with("_next") && place.depth > 0 && place.found_in < folders_.count();
    for (cpp_text::HeaderFile& header : folders_.find(include, place.folder)) {
      if (next && header.folder <= place.found_in) continue;
      if (auto text = read_file_if_any(header.file)) return Header{std::move(header), std::move(*text)};
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
  cpp_text::IncludeFolders folders_;
  cpp_text::HeaderMacros header_macros_;
  std::map<std::string, InsertedHeader> inserted_;
  int open_ = 0;  // #if without their #endif
  InlinedSource made_;
};

/// The lines of a text from `begin` to before `end`.
struct MarkedBlock {
  std::size_t begin = 0, end = 0;
};

std::string line_at(const std::string& text, std::size_t begin) {
  return text.substr(begin, text.find('\n', begin) - begin);
}

std::size_t next_line(const std::string& text, std::size_t begin) {
  const std::size_t end = text.find('\n', begin);
  return end == std::string::npos ? text.size() : end + 1;
}

/// From the mark of `name` at `begin` to the one that ends it: a header that includes itself has marks within marks.
std::optional<MarkedBlock> marked_block(const std::string& text, std::size_t begin, const std::string& name) {
  int depth = 0;
  for (std::size_t at = begin; at < text.size(); at = next_line(text, at)) {
    const std::string line = line_at(text, at);
    if (line == begin_mark(name)) ++depth;
    if (line == end_mark(name) && --depth == 0) return MarkedBlock{begin, next_line(text, at)};
  }
  return std::nullopt;
}

}  // namespace

InlinedSource inline_headers(const BuildSpec& build, Outside outside) {
  Inliner inliner(build, outside);
  inliner.append(build.source, {build.include_dirs.empty() ? fs::path() : fs::path(build.include_dirs.front()), 0, 0});
  return inliner.take();
}

std::string with_headers_folded(const BuildSpec& build) {
  const std::string mark = begin_mark(""), end = end_mark("");
  if (build.source.find(mark) == std::string::npos) return build.source;
  const std::string inlined = inline_headers(build, Outside::stay).text;
  BuildSpec folded = build;
  for (std::size_t at = 0; at < folded.source.size(); at = next_line(folded.source, at)) {
    const std::string line = line_at(folded.source, at);
    if (!line.starts_with(mark) || line.starts_with(end)) continue;
    const std::string name = line.substr(mark.size());
    const auto block = marked_block(folded.source, at, name);
    if (!block) continue;
    BuildSpec attempt = folded;
    attempt.source.replace(block->begin, block->end - block->begin, "#include \"" + name + "\"\n");
    if (inline_headers(attempt, Outside::stay).text == inlined) folded.source = std::move(attempt.source);
  }
  return folded.source;
}

}  // namespace harness::package
