#include "harness/adopt/source/source_text.h"

#include <algorithm>
#include <filesystem>
#include <functional>

#include "harness/cpp_text/includes.h"

namespace harness::adopt {
namespace {

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
      scope +=
          (scope.empty() || scope.ends_with("::") || tokens_[i].is("::") ? "" : " ") + std::string(tokens_[i].text);
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

}  // namespace

const Chunk* SourceText::chunk_at(std::size_t place) const {
  for (const Chunk& chunk : chunks)
    if (chunk.begin <= place && place < chunk.end) return &chunk;
  return nullptr;
}

std::string edited(std::string text, std::vector<TextEdit> edits) {
  std::ranges::stable_sort(edits, std::greater<>(), &TextEdit::begin);  // from the end, so that places stay
  for (const TextEdit& edit : edits) text.replace(edit.begin, edit.end - edit.begin, edit.text);
  return text;
}

std::unique_ptr<SourceText> source_text(const std::string& path, std::string text) {
  auto file = std::make_unique<SourceText>();
  file->path = path;
  file->name = std::filesystem::path(path).filename().string();
  file->text = std::move(text);
  file->tokens = tokens_of(file->text);
  Cutter(*file).cut();
  return file;
}

}  // namespace harness::adopt
