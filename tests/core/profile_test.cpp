#include "harness/core/profile.h"

#include <catch2/catch.hpp>
#include <set>

using namespace harness;

TEST_CASE("the numbers of a profile have one name each, and what a share is ends in _share") {
  std::set<std::string_view> names;
  for (const auto& metric : profile_metrics()) {
    INFO(metric.name);
    CHECK(names.insert(metric.name).second);
    CHECK(metric.name.ends_with("_share") == (metric.unit == "share"));
    CHECK(find_profile_metric(metric.name) == &metric);
  }
  CHECK(find_profile_metric("bandwidth") == nullptr);
}

TEST_CASE("a profile is the same after it was text") {
  Profile profile;
  profile.source = ProfileSource::counted;
  profile.why = "no GPU is here";
  profile.device = "NVIDIA H200";
  profile.numbers = {{"global_load_sectors", 4096}, {"active_lanes", 31.5}};
  profile.launches = {{"scale", 128, 3, profile.numbers, {{"scale.cu", 17, {{"shared_conflicts", 31}}, {"a note"}}}}};
  profile.diagnosis = Diagnosis{"bank-conflicts", "31 of 32 passes are conflicts", "17"};
  profile.wall_s = 0.25;
  CHECK(json::parse(json(profile).dump()).get<Profile>() == profile);
  CHECK(profile.number("active_lanes") == 31.5);
  CHECK_FALSE(profile.number("dram_bytes"));

  profile.diagnosis.reset();
  CHECK(json::parse(json(profile).dump()).get<Profile>() == profile);
}
