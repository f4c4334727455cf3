#include "harness/adopt/source/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "harness/adopt/source/clang.h"
#include "harness/core/error.h"
#include "harness/cpp_text/includes.h"
#include "harness/system/files.h"

namespace fs = std::filesystem;

namespace harness::adopt {
namespace {

constexpr std::uintmax_t kMostBytes = 4 << 20;

/// Cuts a file into chunks.
class Cutter {
 public:
  explicit Cutter(SourceText& source) : source_(source), tokens_(source.tokens) {}

  void cut() {
    while (at_ < tokens_.size()) next();
  }

 private:
  bool is(std::size_t place, std::string_view text) const { return place < tokens_.size() && tokens_[place].is(text); }

  void next() {
    const Token& token = tokens_[at_];
    if (token.kind == Token::Kind::directive) {
      read_directive(token);
      ++at_;
      return;
    }
    if (token.is(";") || token.is("}")) {
      if (token.is("}") && !scopes_.empty()) scopes_.pop_back();
      ++at_;
      return;
    }
    if (enters_scope()) return;
    take_chunk();
  }

  /// `namespace a {`, `namespace {`, `extern "C" {`
  bool enters_scope() {
    std::size_t brace = at_;
    if (is(at_, "inline") && is(at_ + 1, "namespace")) ++brace;
    if (is(brace, "namespace")) {
      while (brace < tokens_.size() && !tokens_[brace].is("{") && !tokens_[brace].is(";") && !tokens_[brace].is("="))
        ++brace;
    } else if (is(at_, "extern") && at_ + 1 < tokens_.size() && tokens_[at_ + 1].kind == Token::Kind::literal) {
      brace = at_ + 2;
    } else {
      return false;
    }
    if (!is(brace, "{")) return false;
    std::string scope;
    for (std::size_t i = at_; i < brace; ++i)
      scope += (scope.empty() || tokens_[i].is("::") ? "" : " ") + std::string(tokens_[i].text);
    scopes_.push_back(scope);
    at_ = brace + 1;
    return true;
  }

  void take_chunk() {
    const std::size_t first = at_;
    std::size_t body = 0;
    bool done = false;
    while (at_ < tokens_.size() && !done) {
      const Token& token = tokens_[at_];
      if (token.is(";")) done = true;
      if (token.is("(") || token.is("[")) {
        at_ = closing(tokens_, at_);
      } else if (token.is("{")) {
        const bool function = is_function(first, at_);
        if (body == 0 && function) body = token.begin;
        at_ = closing(tokens_, at_);
        done = function;
      } else if (token.is("}")) {
        return;  // of a scope: what stands before it is no declaration
      } else if (token.kind == Token::Kind::directive) {
        read_directive(token);
      }
      ++at_;
    }
    const std::size_t last = std::min(at_, tokens_.size()) - 1;
    Chunk chunk{tokens_[first].begin, tokens_[last].end, 0, body == 0 ? tokens_[last].end : body, scopes_, {}};
    chunk.comment = comment_above(chunk.begin);
    source_.chunks.push_back(std::move(chunk));
  }

  bool is_function(std::size_t first, std::size_t brace) const {
    bool parameters = false, assigned = false;
    for (std::size_t i = first; i < brace; ++i) {
      if (tokens_[i].is("(")) {
        parameters = true;
        i = std::min(closing(tokens_, i), brace);
      } else if (tokens_[i].is("=")) {
        assigned = true;
      }
    }
    const Token& before = tokens_[brace == 0 ? 0 : brace - 1];
    const bool record =
        std::any_of(tokens_.begin() + static_cast<std::ptrdiff_t>(first),
                    tokens_.begin() + static_cast<std::ptrdiff_t>(brace), [](const Token& token) {
                      return token.is("struct") || token.is("class") || token.is("union") || token.is("enum");
                    });
    if (assigned && !before.is(")")) return false;
    return parameters && (before.is(")") || before.is("const") || before.is("noexcept") || !record);
  }

  /// Where the comment begins that ends right above `place`.
  std::size_t comment_above(std::size_t place) const {
    const std::string& text = source_.text;
    std::size_t from = 0;
    for (const Token& token : tokens_) {
      if (token.end > place) break;
      from = token.end;
    }
    std::size_t comment = place, line = text.rfind('\n', place);
    while (line != std::string::npos && line > from) {
      const std::size_t start = text.rfind('\n', line - 1) == std::string::npos ? 0 : text.rfind('\n', line - 1) + 1;
      if (start < from) break;
      const std::size_t word = text.find_first_not_of(" \t\r", start);
      if (word == std::string::npos || word >= line) break;  // an empty line
      comment = start;
      if (start == 0) break;
      line = start - 1;
    }
    return comment;
  }

  void read_directive(const Token& token) {
    for (const cpp_text::Directive& directive : cpp_text::directives_of(token.text)) {
      if (const auto macro = cpp_text::definition_of(directive))
        source_.macros.push_back({macro->name, token.begin, token.end});
      const auto include = cpp_text::include_of(directive);
      if (include && include->directive == "include" && !include->name.empty())
        source_.includes.push_back({include->name, include->quoted, ""});
    }
  }

  SourceText& source_;
  const std::vector<Token>& tokens_;
  std::size_t at_ = 0;
  std::vector<std::string> scopes_;
};

constexpr const char* kLibraries[] = {"cute/", "cutlass/", "cub/", "thrust/", "cuda/", "cooperative_groups/"};

bool holds_library(const fs::path& folder) {
  std::error_code failed;
  return std::ranges::any_of(kLibraries, [&](const char* c) { return fs::is_directory(folder / c, failed); });
}

/// Beside the file that includes it, or in a folder that was named; "": it is no header of the program's own.
std::string own_header(const Include& include, const fs::path& path, const std::vector<std::string>& folders) {
  if (of_library(include.name)) return "";
  std::vector<fs::path> places;
  if (include.quoted) places.push_back(path.parent_path());
  places.insert(places.end(), folders.begin(), folders.end());
  for (const fs::path& folder : places) {
    std::error_code failed;
    const fs::path header = fs::weakly_canonical(folder / include.name, failed);
    if (!failed && fs::is_regular_file(header, failed) && fs::file_size(header, failed) <= kMostBytes)
      return header.string();
  }
  return "";
}

void read_text(const fs::path& path, Source& source, std::set<std::string>& read,
               const std::optional<std::string>& instead, const std::vector<std::string>& folders) {
  if (!read.insert(path.string()).second) return;
  auto file = std::make_unique<SourceText>();
  file->path = path.string();
  file->text = instead ? *instead : read_file(path.string(), Error::Kind::bad_input);
  file->tokens = tokens_of(file->text);
  Cutter(*file).cut();
  for (Include& include : file->includes) {
    include.file = own_header(include, path, folders);
    if (!include.file.empty()) read_text(include.file, source, read, std::nullopt, folders);
  }
  source.files.push_back(std::move(file));
}

/// "WIDTH=64" as a header in front of all others.
std::unique_ptr<SourceText> command_line_of(const std::vector<std::string>& defines) {
  auto file = std::make_unique<SourceText>();
  file->path = "command line";
  for (const std::string& define : defines) {
    const std::size_t equals = std::min(define.find('='), define.size());
    const std::string name = define.substr(0, equals), value = equals < define.size() ? define.substr(equals + 1) : "1";
    const std::vector<Token> words = tokens_of(name);
    if (words.size() != 1 || !words[0].is_word() || value.find('\n') != std::string::npos)
      throw bad_input(fmt::format("-D {} is not of the form NAME=VALUE", define));
    file->text += fmt::format("#define {} {}\n", name, value);
  }
  file->tokens = tokens_of(file->text);
  Cutter(*file).cut();
  return file;
}

void place_declarations(Source& source) {
  for (std::size_t i = 0; i < source.parsed.declarations.size(); ++i) {
    const Declaration& declaration = source.parsed.declarations[i];
    std::error_code failed;
    const std::string path = fs::weakly_canonical(declaration.file, failed).string();
    for (auto& file : source.files) {
      if (file->path != path) continue;
      for (Chunk& chunk : file->chunks)
        if (chunk.begin <= declaration.place && declaration.place < chunk.end) chunk.declares.push_back(i);
    }
  }
}

}  // namespace

bool of_library(const std::string& header) {
  return std::ranges::any_of(kLibraries, [&](const char* folder) { return header.starts_with(folder); });
}

Source::Found Source::find(std::size_t declaration) const {
  for (const auto& file : files)
    for (const Chunk& chunk : file->chunks)
      if (std::find(chunk.declares.begin(), chunk.declares.end(), declaration) != chunk.declares.end())
        return {file.get(), &chunk};
  return {};
}

namespace {

Source read_source_as(const std::string& given, const std::optional<std::string>& instead,
                      const std::vector<std::string>& named, const std::vector<std::string>& defines) {
  std::error_code failed;
  const fs::path path = fs::canonical(given, failed);
  if (failed || !fs::is_regular_file(path, failed))
    throw bad_input(fmt::format("{} is no file that can be read; name a CUDA source, kernel.cu", given));
  if (fs::file_size(path, failed) > kMostBytes)
    throw bad_input(fmt::format("{} has more than 4 MiB; cut out the kernel and what it needs", given));
  std::vector<std::string> include_folders;
  for (const std::string& name : named) {
    const fs::path folder = fs::canonical(name, failed);
    if (failed || !fs::is_directory(folder, failed))
      throw bad_input(fmt::format("--include {}: there is no such folder", name));
    include_folders.push_back(folder.string());
  }
  Source source;
  std::set<std::string> read;
  read_text(path, source, read, instead, include_folders);
  auto command_line = command_line_of(defines);
  std::set<std::string> folders(include_folders.begin(), include_folders.end());
  for (const auto& file : source.files) folders.insert(fs::path(file->path).parent_path().string());
  // A library says nothing of the signatures here, and without the standard headers its parts are errors by thousands.
  std::vector<std::string> own_folders = include_folders;
  std::erase_if(own_folders, holds_library);
  source.parsed =
      parse_cuda(path.string(), source.main().text, {folders.begin(), folders.end()}, own_folders, command_line->text);
  for (const Macro& macro : command_line->macros)
    source.parsed.declarations.push_back(
        {.kind = Declaration::Kind::macro, .name = macro.name, .file = command_line->path, .place = macro.begin});
  if (!defines.empty()) source.files.insert(source.files.begin(), std::move(command_line));
  place_declarations(source);
  return source;
}

}  // namespace

Source read_cuda_source(const std::string& given, const std::vector<std::string>& folders,
                        const std::vector<std::string>& defines) {
  return read_source_as(given, std::nullopt, folders, defines);
}

Source read_cuda_text(const std::string& path, const std::string& text, const std::vector<std::string>& folders,
                      const std::vector<std::string>& defines) {
  return read_source_as(path, text, folders, defines);
}

}  // namespace harness::adopt
