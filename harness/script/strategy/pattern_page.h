#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "harness/script/strategy/source.h"

namespace harness::script {

/// One page of the playbook as it is written: prose around one fenced Lua block.
struct PatternPage {
  int id = 0;                  // of the file's name, "17-roi-pivot.md"
  std::string name;            // "roi-pivot"
  std::string title, summary;  // of "# 17 ROI pivot", and the first paragraph below it
  std::string text;            // the whole page
  Source lua;                  // the block, below as many empty lines as stand above it: errors name the page's line
};

/// Takes a page apart. Throws Error(bad_input) "playbook/17-roi-pivot.md:1: ..." for a heading that does not fit the
/// file's name, a missing section, and none or several Lua blocks.
PatternPage read_page(const Source& file);

/// The pages of the playbook folders ("17-roi-pivot.md": a number, a dash, a name), by number. Of two files of the same
/// name that of the earlier folder counts. Throws Error(bad_input) when two names share a number.
std::vector<Source> find_pages(const std::vector<std::filesystem::path>& folders);

}  // namespace harness::script
