#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/adopt/source/tokens.h"

namespace harness::adopt {

/// A piece of a file at file or namespace scope that ends where the next begins: a function, a struct, a variable.
struct Chunk {
  std::size_t begin = 0, end = 0;     // bytes, comments before it left out
  std::size_t comment = 0;            // where the comment right above it begins; `begin` where there is none
  std::size_t body = 0;               // of a function: its `{`; else `end`
  std::vector<std::string> scopes;    // what it lies in: "namespace a", "extern \"C\""
  std::vector<std::size_t> declares;  // indices into Source::parsed.declarations
};

struct Include {
  std::string name;  // as written
  bool quoted = false;
  std::string file;  // of one beside the source; "" for any other
};

struct Macro {
  std::string name;
  std::size_t begin = 0, end = 0;  // of the directive
};

/// A file as its author wrote it. Tokens refer to `text`.
struct SourceText {
  std::string path, name;  // `name`: without its folder, as messages have it
  std::string text;
  Tokens tokens;
  std::vector<Chunk> chunks;
  std::vector<Include> includes;
  std::vector<Macro> macros;

  /// The piece that a place lies in; nullptr: between them.
  const Chunk* chunk_at(std::size_t place) const;
  std::string_view text_of(const Chunk& chunk) const {
    return std::string_view(text).substr(chunk.begin, chunk.end - chunk.begin);
  }
  /// Of a function: what stands before its body.
  std::string_view head_of(const Chunk& chunk) const {
    return std::string_view(text).substr(chunk.begin, chunk.body - chunk.begin);
  }
  /// Some tokens of the file as they are written; "" of none.
  std::string text_of(const Tokens& part) const {
    return part.empty() ? "" : text.substr(part.front().begin, part.back().end - part.front().begin);
  }
};

/// Cuts a text into tokens and pieces.
std::unique_ptr<SourceText> source_text(const std::string& path, std::string text);

/// Bytes of a text and what takes their place.
struct TextEdit {
  std::size_t begin = 0, end = 0;
  std::string text;
};
/// No two of them overlap.
std::string edited(std::string text, std::vector<TextEdit> edits);

}  // namespace harness::adopt
