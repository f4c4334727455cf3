#include <catch2/catch.hpp>

#include "harness/evaluate/counting_workers.h"
#include "tests/evaluate/shop.h"
#include "tests/support/shipped_gpus.h"
#include "tests/support/turns.h"

using namespace harness;
using namespace harness::tests;

namespace {

struct CountingShop : Shop {
  CountingShop() : Shop("/tests/fixtures/counted") {}
  Profile profile(const std::string& kernel, const std::string& variant, const std::string& workload) {
    return counting.count(realize(kernel, variant, workload), {"H200"});
  }
  Counting counting{counting_workers(workers, {})};  // with no compiler for a GPU, as on most machines
};

double of(const Profile& profile, const std::string& name) {
  INFO(name);
  REQUIRE(profile.number(name));
  return *profile.number(name);
}

/// The line of the kernel's own source that cost most.
std::string dearest(const Profile& profile) {
  const ProfiledLine& line = profile.launches.at(0).lines.at(0);
  return line.file.substr(line.file.rfind('/') + 1) + ":" + std::to_string(line.line);
}

}  // namespace

TEST_CASE("transposes are ordered as a GPU orders them, and each one's fault is named") {
  CountingShop shop;
  const std::string workload = "n2048";
  const Profile naive = shop.profile("transpose", "00_naive", workload),
                coalesced = shop.profile("transpose", "10_coalesced_stores", workload),
                tiled = shop.profile("transpose", "20_tiled", workload),
                padded = shop.profile("transpose", "30_padded", workload);
  const double elements = 2048 * 2048;
  CHECK(of(naive, "global_load_sectors") == elements / 8);
  CHECK(of(naive, "global_store_sectors") == elements);
  CHECK(of(coalesced, "global_load_sectors") == elements);
  CHECK(of(coalesced, "global_store_sectors") == elements / 8);
  CHECK(of(tiled, "global_store_sectors") == elements / 8);
  CHECK(of(tiled, "shared_conflicts") == elements / 32 * 31);
  CHECK(of(padded, "shared_conflicts") == 0);
  CHECK(of(padded, "least_bytes") == 8 * elements);
  CHECK(of(padded, "dram_bytes") == Approx(8 * elements));
  CHECK(dearest(naive) == "00_naive.cu:5");
  CHECK(dearest(tiled) == "20_tiled.cu:11");
  CHECK(naive.launches[0].blocks == 4096);
  CHECK(naive.launches[0].sampled_blocks == 16);
  CHECK(of(naive, "predicted_ns") > of(coalesced, "predicted_ns"));
  CHECK(of(naive, "predicted_ns") > of(tiled, "predicted_ns"));
  CHECK(of(coalesced, "predicted_ns") > 1.3 * of(padded, "predicted_ns"));
  CHECK(of(tiled, "predicted_ns") > 1.3 * of(padded, "predicted_ns"));
  CHECK_FALSE(naive.number("registers"));
  CHECK_THAT(naive.why, Catch::Contains("no NVRTC"));
}

TEST_CASE("of sums of rows, a thread a row is far behind") {
  CountingShop shop;
  const Profile naive = shop.profile("row_sums", "00_naive", "r4096_c1024"),
                tree = shop.profile("row_sums", "10_block_tree", "r4096_c1024"),
                warp = shop.profile("row_sums", "20_warp_row", "r4096_c1024");
  CHECK(of(naive, "predicted_ns") > 4 * of(tree, "predicted_ns"));
  CHECK(of(naive, "predicted_ns") > 4 * of(warp, "predicted_ns"));
  CHECK(of(naive, "global_load_sectors") == 8 * of(warp, "global_load_sectors"));
  CHECK(of(tree, "barriers") == 4096.0 * 8 * 9);
  CHECK(of(tree, "shared_conflicts") > 0);
}

TEST_CASE("another process counts the same, to the digit") {
  CountingShop first, second;
  const Profile a = first.profile("transpose", "20_tiled", "r100_c70"),
                b = second.profile("transpose", "20_tiled", "r100_c70");
  CHECK(a == b);
  CHECK(a.launches[0].sampled_blocks == 12);
}

TEST_CASE("profile prints the dear lines with their numbers, and a prediction that is no measurement") {
  const std::string folder = std::string(HARNESS_SOURCE_DIR) + "/tests/fixtures/counted";
  const Finished finished = run_harness({"profile", "transpose", "20_tiled", "--device", "cpu", "--workload",
                                         "r100_c70", "--for", "A100", "--kernels", folder});
  INFO(finished.err);
  CHECK(finished.status == 0);
  CHECK_THAT(finished.out, Catch::Contains("for A100, not measured") && Catch::Contains("y[(column + j) * R + row]") &&
                               Catch::Contains("shared_conflicts"));
  const Finished unknown =
      run_harness({"profile", "transpose", "20_tiled", "--device", "cpu", "--for", "A1000", "--kernels", folder});
  CHECK(unknown.status == 2);
  CHECK_THAT(unknown.err, Catch::Contains("did you mean 'A100'"));
}

TEST_CASE("without further words a campaign on the cpu device orders transposes as an H200 does") {
  if (tests::is_nightly()) return;
  const Scratch scratch;
  const std::string folder = std::string(HARNESS_SOURCE_DIR) + "/tests/fixtures/counted";
  const Finished run = run_harness({"run", "transpose", "--device", "cpu", "--workload", "n1024", "--budget", "5m",
                                    "--db", scratch.path("store.db"), "--kernels", folder});
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK_THAT(run.out, Catch::Contains("30_padded") && Catch::Contains("predicted for H200 by counting, not measured"));
  CHECK_THAT(run.err, !Catch::Contains("EMULATION"));
  const Finished rows = run_harness({"query", "SELECT variant, purpose, time_ns FROM v_iterations", "--format", "json",
                                     "--db", scratch.path("store.db")});
  std::map<std::string, double> ns;
  for (const json& row : parse_json(rows.out)) {
    const auto [known, fresh] = ns.emplace(row["variant"], row["time_ns"]);
    CHECK(known->second == row["time_ns"]);  // the winner's confirmation agrees to the digit
  }
  REQUIRE(ns.size() == 4);
  CHECK(ns["00_naive"] > 1.3 * std::max(ns["10_coalesced_stores"], ns["20_tiled"]));
  CHECK(std::min(ns["10_coalesced_stores"], ns["20_tiled"]) > 1.3 * ns["30_padded"]);
}

TEST_CASE("on a device that predicts, the time of an evaluation is a prediction, in a column of its own") {
  const Scratch scratch;
  const std::string folder = std::string(HARNESS_SOURCE_DIR) + "/tests/fixtures/counted";
  const Finished finished = run_harness({"eval", "transpose", "30_padded", "--device", "cpu", "--workload", "r100_c70",
                                         "--db", scratch.path("store.db"), "--json", "--kernels", folder});
  INFO(finished.err);
  REQUIRE(finished.lines().size() == 1);
  const json line = finished.lines()[0];
  CHECK(line["outcome"] == "passed");
  CHECK(line["device"] == "cpu:H200");
  CHECK(line["time_ns"].get<double>() > 500);
  const Finished history = run_harness({"history", "--db", scratch.path("store.db"), "--wide"});
  CHECK_THAT(history.out, Catch::Contains("predicted") && !Catch::Contains("emulated"));
  for (const std::vector<std::string>& both :
       {std::vector<std::string>{"--device", "cpu", "--for", "A100"}, {"--device", "cpu:H200"}}) {
    std::vector<std::string> words{"eval", "transpose", "30_padded", "--no-record", "--emulated", "--kernels", folder};
    words.insert(words.end(), both.begin(), both.end());
    const Finished refused = run_harness(words);
    CHECK(refused.status == 2);
    CHECK_THAT(refused.err, Catch::Contains("--emulated"));
  }
}
