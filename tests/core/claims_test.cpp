#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/generated_table.h"

using nlohmann::json;

namespace {

std::string as_one_line(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
  return line;
}

std::string with_comma(int number) {
  return number < 1000 ? std::to_string(number) : fmt::format("{},{:03}", number / 1000, number % 1000);
}

}  // namespace

TEST_CASE("what README says of wrong kernels that passed is what the record of the last round says") {
  const json record = json::parse(harness::tests::file_text(HARNESS_SOURCE_DIR "/bench/h200/conditions.json"));
  int passed = 0, judged = 0;
  for (const json& row : record.at("rows")) {
    if (row.at("kernel") == "all") continue;
    passed += row.at("wrong").get<int>();
    judged += row.at("wrong").get<int>() + row.at("refused").get<int>();
  }
  const std::string readme = as_one_line(harness::tests::file_text(HARNESS_SOURCE_DIR "/README.md"));
  const std::string claim = fmt::format(
      "({}, version {} of the gates) {} of {} kernels with a wrong path behind a comparison passed the "
      "checks ({:.1f} %)",
      record.at("date").get<std::string>(), record.at("gates_version").get<int>(), passed, with_comma(judged),
      100.0 * passed / judged);
  INFO(claim);
  CHECK(readme.find(claim) != std::string::npos);
}
