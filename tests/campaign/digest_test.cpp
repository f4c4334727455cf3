#include "harness/campaign/digest.h"

#include <catch2/catch.hpp>

using namespace harness;

namespace {

Profile predicted_profile() {
  Profile profile;
  profile.source = ProfileSource::counted;
  profile.device = "H200";
  profile.numbers = {{"predicted_ns", 7500},        {"predicted_lo_ns", 3750}, {"predicted_hi_ns", 15000},
                     {"predicted_memory_ns", 4000}, {"predicted_l2_ns", 100},  {"predicted_latency_ns", 3000},
                     {"predicted_launch_ns", 1100}};
  LaunchProfile launch;
  launch.lines = {{"k.cu", 12, {{"global_load_sectors", 300}}, {}}, {"k.cu", 20, {{"global_load_sectors", 100}}, {}}};
  profile.launches = {launch};
  return profile;
}

Pattern vector_page() {
  Pattern page;
  page.id = 115;
  page.name = "vector-loads";
  page.title = "Vector loads";
  page.summary = "Neighbours read neighbours.";
  page.text =
      "# 115 Vector loads\n\nNeighbours.\n\n## When it applies\n\n```lua\nsecret test\n```\n\n## What to do\n\n"
      "16 bytes a thread.\n\n## Example\n\n```cuda\nfloat4 four;\n```\n\n## What to expect\n\n1.5x.\n\n## "
      "Source\n\nx\n";
  return page;
}

/// The number before " us" behind a word.
double microseconds_after(const std::string& text, const std::string& word) {
  const std::size_t at = text.find(word + " ");
  return at == std::string::npos ? 0 : std::stod(text.substr(at + word.size() + 1));
}

}  // namespace

TEST_CASE("a digest says the time in parts that add up, the limit, what speaks, the dearest lines and a move") {
  const Profile profile = predicted_profile();
  DigestParts parts;
  parts.profile = &profile;
  parts.rules = {{{"memory-bound", "memory bound: 53 % of the time", "115-vector-loads"}, 0.4},
                 {{"tail", "a tail: 12 % of the device idles", ""}, 0.1}};
  parts.floor = FloorSum{3500, "bytes", "bytes 16.8 MB / 4.8 TB/s = 3.500 us"};
  DiagnosisRule memory;
  memory.name = "memory-bound";
  memory.counters = {"dram_share"};
  memory.also = {"global_load_sectors"};
  parts.known = {memory};
  Profile before = profile;
  before.numbers = {{"predicted_ns", 15000}, {"predicted_memory_ns", 12000}, {"predicted_launch_ns", 1100}};
  parts.parent = DigestParent{"00_naive (iteration 3)", 15000, before};
  parts.pages = {vector_page()};
  const std::string text = digest_text(parts);
  INFO(text);
  CHECK_THAT(text, Catch::Contains("predicted 7.5 us for H200 (3.75 us to 15 us"));
  CHECK_THAT(text, Catch::Contains("it reaches 47 % of what is possible"));
  CHECK_THAT(text, Catch::Contains("Against 00_naive (iteration 3): 2.00x; device memory 13.9 us -> "));
  CHECK_THAT(text, Catch::Contains("1. memory bound: 53 % of the time (mending it may save up to 40 %); most of it at "
                                   "k.cu:12 75 %, k.cu:20 25 %"));
  CHECK_THAT(text, Catch::Contains("2. a tail"));
  CHECK_THAT(text, Catch::Contains("k.cu:12 75 %"));
  CHECK_THAT(text, Catch::Contains("Move (Vector loads): 16 bytes a thread.\nExpect: 1.5x."));
  CHECK_THAT(text, Catch::Contains("\n```cuda\nfloat4 four;\n```"));
  CHECK(text.find("secret test") == std::string::npos);
  const double sum = microseconds_after(text, "device memory") + microseconds_after(text, "waiting (latency)") +
                     microseconds_after(text, "launch") + microseconds_after(text, "the rest");
  CHECK(sum == Approx(7.5).margin(0.08));
}

TEST_CASE("a digest of a measured time without a profile is short, and of nothing empty") {
  DigestParts parts;
  CHECK(digest_text(parts).empty());
  parts.time_ns = 2000;
  CHECK(digest_text(parts) == "Time: 2 us.");
}

TEST_CASE("where no rule speaks, a digest names the largest part and the page that answers it") {
  const Profile profile = predicted_profile();
  DigestParts parts;
  parts.profile = &profile;
  parts.pages = {vector_page()};
  const std::string text = digest_text(parts);
  CHECK_THAT(text, Catch::Contains("no rule speaks; device memory is the largest part"));
  CHECK_THAT(text, Catch::Contains("Move (Vector loads)"));
  Profile wide = profile;
  wide.numbers.push_back({"global_load_requests", 100});
  wide.numbers.push_back({"global_load_sectors", 1600});
  parts.profile = &wide;
  CHECK_THAT(digest_text(parts), Catch::Contains("its loads are wide already") && !Catch::Contains("Move"));
}

TEST_CASE("a measured time stands before what counting predicts, and is held against the floor itself") {
  const Profile profile = predicted_profile();
  DigestParts parts;
  parts.profile = &profile;
  parts.time_ns = 5000;
  parts.floor = FloorSum{2500, "bytes", "bytes"};
  const std::string text = digest_text(parts);
  CHECK(text.starts_with("Time: 5 us.\nBy counting: predicted 7.5 us for H200"));
  CHECK_THAT(text, Catch::Contains("it reaches 50 %"));
}
