#include "harness/report/profile_columns.h"

#include <catch2/catch.hpp>

using namespace harness;
using namespace harness::report;

namespace {

Profile counted_as(double sectors, double share, const std::string& rule) {
  Profile profile;
  profile.source = ProfileSource::cupti;
  profile.numbers = {{"global_load_sectors", sectors}, {"dram_share", share}};
  if (!rule.empty()) profile.diagnosis = Diagnosis{rule, rule + ": much", "115-vector-loads"};
  return profile;
}

}  // namespace

TEST_CASE("profiles stand side by side, with the candidate's number over each other one") {
  Profile baseline = counted_as(4000, 0.25, "uncoalesced");
  baseline.source = ProfileSource::ncu;
  baseline.why = "no cupti: it is not here";
  const std::string text = profile_columns(
      {{"candidate", "10_vector VEC=4", counted_as(1000, 0.75, "")}, {"baseline", "00_naive", baseline}});
  CHECK(text.find("candidate 10_vector VEC=4 (cupti)\nbaseline  00_naive (ncu)\n") == 0);
  CHECK(text.find("4000 (0.25x)") != std::string::npos);
  CHECK(text.find("25 % (+50)") != std::string::npos);
  CHECK(text.find("candidate no rule says what limits it\n") != std::string::npos);
  CHECK(text.find("baseline  uncoalesced: much (playbook 115-vector-loads)\n") != std::string::npos);
  CHECK(text.find("why ncu: no cupti: it is not here") != std::string::npos);
}

TEST_CASE("a number that nobody knows has no row, and one that some do not know is a dash") {
  Profile other;
  const std::string text = profile_columns({{"candidate", "a", counted_as(1000, 0.5, "")}, {"rival", "b", other}});
  CHECK(text.find("tensor_share") == std::string::npos);
  const std::size_t at = text.find("global_load_sectors");
  CHECK(text.substr(at, text.find('\n', at) - at).ends_with("-"));
}
