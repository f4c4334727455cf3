#pragma once
#include <span>
#include <string_view>

// Texts in other languages are files beside the C++ that uses them. The build makes a table of each folder that holds
// some: `constexpr EmbeddedText kTexts[] = {`, #include "embedded/FOLDER.table", `};`.
namespace harness {

struct EmbeddedText {
  std::string_view name;  // of the file
  const char* text;
};

/// A name that no file has does not compile.
consteval const char* text_of(std::span<const EmbeddedText> table, std::string_view name) {
  for (const EmbeddedText& file : table)
    if (file.name == name) return file.text;
  throw "no such file";
}

}  // namespace harness
