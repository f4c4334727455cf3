#include "harness/report/out.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <regex>

#include "harness/report/table.h"

using namespace harness;

TEST_CASE("all that commands and displays print goes through one place") {
  namespace fs = std::filesystem;
  const fs::path root = fs::path(HARNESS_SOURCE_DIR) / "harness";
  const std::regex direct(R"(\b(f?printf|f?puts|fputc|fwrite|putchar)\(|fmt::print\(|std::c(out|err|log) *<<)");
  std::vector<std::string> found;
  for (const char* room : {"cli", "report"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / room)) {
      if (entry.path().filename() == "out.cpp") continue;
      std::ifstream file(entry.path());
      int number = 0;
      for (std::string line; std::getline(file, line);) {
        ++number;
        if (!std::regex_search(line, direct)) continue;
        const bool own = line.find("\"\\x1b[") != std::string::npos || line.find("\"\\r\\x1b[") != std::string::npos;
        const bool shown = line.find("fputs(shown") != std::string::npos;  // the live line of a terminal
        const bool no_memory = line.find("has no memory left for it") != std::string::npos;  // no text is made then
        if (!own && !shown && !no_memory)
          found.push_back(entry.path().filename().string() + ":" + std::to_string(number) + line);
      }
    }
  }
  CHECK(found == std::vector<std::string>{});
}

TEST_CASE("a long text is shown up to a bound, in whole characters") {
  CHECK(report::bounded("abc", 3) == "abc");
  CHECK(report::bounded("abcd", 3) == "abc... (4 bytes)");
  CHECK(report::bounded("a\xe2\x82\xac", 3) == "a... (4 bytes)");
}

TEST_CASE("one long cell does not blow up a table") {
  const report::Table table{{"a"}, {{std::string(50'000'000, 'x')}, {"short"}}};
  CHECK(report::aligned(table).size() < 5000);
}
