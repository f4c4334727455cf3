#include "harness/report/pattern.h"

#include <catch2/catch.hpp>

using namespace harness;

namespace {

PatternApplication application(std::int64_t decision, double gain) {
  PatternApplication each;
  each.id = 17;
  each.campaign = 3;
  each.decision = decision;
  each.device_name = "NVIDIA H200";
  each.action = Action::close;
  each.rule = "time-overrun";
  each.kernel = "attention";
  each.workload = "s128";
  each.technique = "tiling";
  each.evaluations = 4;
  each.passed = 3;
  each.seconds = 30;
  each.usd = 0.02;
  each.gain = gain;
  return each;
}

std::vector<report::PatternRecord> records(const std::vector<PatternApplication>& applications) {
  Pattern pivot;
  pivot.id = 17;
  pivot.name = "roi-pivot";
  pivot.title = "ROI pivot";
  pivot.text = "# 17 ROI pivot\n";
  pivot.file = "playbook/17-roi-pivot.md";
  pivot.expect = Expectation{2, 4, 0.8};
  Pattern broken;
  broken.file = "playbook/1-x.md";
  broken.error = "playbook/1-x.md:1: broken";
  return report::pattern_records({pivot, broken}, {{"time-overrun", 17}, {"plateau", 14}}, applications);
}

}  // namespace

TEST_CASE("a page is followed by what came of it") {
  const auto found = records({application(7, 2.5), application(9, 1)});
  const std::string page = report::pattern_page(found[0]);
  INFO(page);
  CHECK(page.find("# 17 ROI pivot\n\n## Evidence\n\nRules that act on it: time-overrun.\n") == 0);
  CHECK(
      page.find("Applied 2 times, 2 of them with a time before and after: 1 improved, 1 reached the promised 2x; mean "
                "gain 1.58x. Cost: 60 s, $0.04.\n") != std::string::npos);
  CHECK(page.find("attention/s128/tiling") != std::string::npos);
  CHECK(page.find("EVIDENCE AGAINST") == std::string::npos);
}

TEST_CASE("evidence that has turned against a page is shown on it and in the list") {
  const auto found = records({application(7, 1), application(8, 1), application(9, 1.5)});
  CHECK(report::pattern_page(found[0]).find(
            "EVIDENCE AGAINST: the promised 2x was reached in 0 of 3 applications, too few for the page's probability "
            "of 0.8.\n") != std::string::npos);
  const report::Table table = report::pattern_table(found);
  REQUIRE(table.rows.size() == 1);  // the broken page is left out
  CHECK(table.rows[0].back() == "evidence against");
  CHECK(report::pattern_json(found[0])["evidence"]["against"].is_string());
  CHECK(report::pattern_json(found[1])["error"] == "playbook/1-x.md:1: broken");
}

TEST_CASE("a long history stays a page") {
  std::vector<PatternApplication> many;
  for (int i = 0; i < 25; ++i) many.push_back(application(i, 3));
  const auto found = records(many);
  const std::string page = report::pattern_page(found[0]);
  CHECK(page.find("and 15 before these") != std::string::npos);
  CHECK(page.find("  24  ") != std::string::npos);
  CHECK(report::pattern_page_json(found[0])["applications"].size() == 25);
}

TEST_CASE("a pattern that nothing named says so") {
  CHECK(report::pattern_page(records({})[0]).find("No recorded decision has named this pattern yet.") !=
        std::string::npos);
}
