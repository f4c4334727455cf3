#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "harness/adopt/source/declarations.h"
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
  std::string path, text;
  std::vector<Token> tokens;
  std::vector<Chunk> chunks;
  std::vector<Include> includes;
  std::vector<Macro> macros;
};

/// The adopted file and its own headers, these first, each behind those that it includes.
struct Source {
  std::vector<std::unique_ptr<SourceText>> files;
  Parsed parsed;
  std::string digest;  // of the file as it is

  const SourceText& main() const { return *files.back(); }
  /// The file and chunk of a declaration; nullptr: none.
  struct Found {
    const SourceText* file = nullptr;
    const Chunk* chunk = nullptr;
  };
  Found find(std::size_t declaration) const;
};

/// Headers of templates that stay whole, as the toolkit's do: of CuTe and CUTLASS, of CCCL.
bool of_library(const std::string& header);

/// What is read besides the file.
struct Beside {
  std::vector<std::string> folders;  // of headers that do not lie beside the file that includes them
  std::vector<std::string> defines;  // "WIDTH=64", as on a compiler's command line
  std::vector<std::string> hosts;    // files that launch the kernel: read as if the file included them at its end
};

/// Reads and parses. Headers are looked for beside the file that includes them, then in the folders. Throws
/// Error(bad_input) for a file that cannot be read, Error(environment) without a parser.
Source read_cuda_source(const std::string& path, const Beside& beside = {});
/// `text` stands in the place of what the file holds.
Source read_cuda_text(const std::string& path, const std::string& text, const Beside& beside = {});

}  // namespace harness::adopt
