#pragma once
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace harness::tests {

inline std::string file_text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Compares what stands between <!-- NAME --> and <!-- /NAME --> on a page with what it is made from. With
/// HARNESS_APPROVE=1 it is written instead.
inline void check_generated(const std::string& page, const std::string& name, const std::string& table) {
  const std::string path = std::string(HARNESS_SOURCE_DIR) + "/" + page;
  const std::string begin = "<!-- " + name + " -->\n", end = "<!-- /" + name + " -->\n";
  std::string text = file_text(path);
  INFO(page << " has no " << begin << " or no " << end);
  const std::size_t from = text.find(begin), to = text.find(end);
  REQUIRE(from != std::string::npos);
  REQUIRE(to != std::string::npos);
  const std::size_t first = from + begin.size();
  const std::string before = text.substr(first, to - first);
  if (before == table) return;
  if (std::getenv("HARNESS_APPROVE") != nullptr) std::ofstream(path) << text.replace(first, to - first, table);
  else
    FAIL(page << ": the table " << name << " is not what it is made from: run HARNESS_APPROVE=1 ./bootstrap test core");
}

}  // namespace harness::tests
