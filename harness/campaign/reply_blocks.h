#pragma once
#include <string>
#include <vector>

// Markdown as language models write it. Pure functions: text in, parts out.
namespace harness {

/// A fenced block, and what kind of text its first line says that it holds ("cuda"; lower case, "" where none).
struct FencedBlock {
  std::string language, text;
};

/// An edit as a pair of texts; an empty `search` stands for a whole file.
struct WrittenEdit {
  std::string search, replace;
};

/// A text in parts.
struct ReplyBlocks {
  std::vector<FencedBlock> fenced;
  std::vector<WrittenEdit> edits;  // of SEARCH/REPLACE blocks and of unified diffs, wherever they stand
  std::string prose;               // what is left
  bool breaks_off = false;         // a fence or an edit is not closed
};

/// A text without what a model thought before it: <think>, <thinking>, <reasoning>, [THINK] and their like, and the
/// channels of gpt-oss. Where only the closing mark is there, all before it was thought; where only the opening one is,
/// nothing was said ("").
std::string without_thoughts(const std::string& text);

ReplyBlocks blocks_of(const std::string& text);

}  // namespace harness
