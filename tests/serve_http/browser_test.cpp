#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "harness/system/run_program.h"
#include "tests/serve_http/served.h"
#include "tests/support/program.h"
#include "tests/support/skip.h"
#include "tests/support/turns.h"

// The page in a browser, and what it is built from. Where Node, the page's tools or Chromium are missing, these are
// skipped.
namespace fs = std::filesystem;

namespace harness::http::test {
namespace {

using namespace harness::tests;

const std::string kPageFolder = std::string(HARNESS_SOURCE_DIR) + "/harness/serve_http/page";
const std::string kTools = std::string(HARNESS_SOURCE_DIR) + "/build/page_tools";

bool tools_are_here() {
  if (!find_program("node").empty() && fs::is_directory(kTools + "/node_modules/typescript")) return true;
  skip("the page's tools are not here (build/page_tools): harness/serve_http/page/tools.sh installs them where npm is");
  return false;
}

bool browser_is_here() {
  if (!find_program("chromium").empty()) return true;
  skip("Debian's package chromium is not installed");
  return false;
}

void run_in_browser(const std::string& script, const std::string& db, const std::string& more = "") {
  const std::string path = std::string(HARNESS_SOURCE_DIR) + "/tests/serve_http/browser/" + script;
  std::vector<std::string> command{"node", path, kTools, find_program("chromium"), HARNESS_BINARY, db};
  if (!more.empty()) command.push_back(more);
  const Finished run =
      run_program(command, HARNESS_SOURCE_DIR,
                  {"HARNESS_CACHE=" + build_cache(), "HARNESS_HOME=" + std::string(HARNESS_SOURCE_DIR)});
  INFO(run.out << run.err);
  CHECK(run.status == 0);
  CHECK_THAT(run.out, Catch::Contains("all is well"));
}

/// A campaign whose only attempt is a proposal's, profiled by counting; a second proposal was of no use.
void record_proposals(Store& store) {
  const std::int64_t campaign = store.begin_campaign(a_campaign());
  AttemptRecord attempt = an_attempt(campaign, 1);
  attempt.candidate.variant = "proposed_1";
  Passed passed;
  passed.timing.speedup = 2;
  Evaluation evaluation = an_evaluation(passed);
  evaluation.source_text = "// one\n__global__ void k() {}\n";
  const std::int64_t iteration = store::test::record(store, attempt, evaluation);
  Profile profile{.source = ProfileSource::counted, .device = "H200", .numbers = {{"predicted_ns", 1000}}};
  profile.launches.push_back(
      {.entry = "k",
       .lines = {{.file = "proposed_1.cu", .line = 2, .numbers = {{"instructions", 4096}, {"global_bytes", 65536}}}}});
  store.record_profile(iteration, profile);
  ProposalRecord proposal;
  proposal.campaign = campaign;
  proposal.arm = {attempt.candidate.kernel, attempt.workload, "tiling"};
  proposal.parents = {"00_naive"};
  proposal.number = 1;
  proposal.outcome = ProposalOutcome::accepted;
  proposal.variant = "proposed_1";
  proposal.request = R"({"ask":"a new variant"})";
  proposal.reply = "</pre><script>alert(3)</script>";
  proposal.predict_lo = 1.2;
  proposal.predict_hi = 1.5;
  store.record_proposal(proposal);
  proposal.number = 2;
  proposal.outcome = ProposalOutcome::unparsable;
  proposal.variant = "";
  store.record_proposal(proposal);
  store.end_campaign(campaign, EndReason::budget, 10, 0.1);
}

/// A campaign of which nothing passed.
void record_failures(Store& store) {
  const std::int64_t campaign = store.begin_campaign(a_campaign());
  const Outcome ends[] = {CompileError{"error: expected ';'"}, WrongAnswer{},
                          Rejected{"guards", "wrote past its output"}, Crashed{}, TimedOut{}};
  int number = 1;
  for (const Outcome& end : ends) store::test::record(store, an_attempt(campaign, number++), an_evaluation(end));
  store.end_campaign(campaign, EndReason::strategy, 10, 0.1);
}

std::string text_of_file(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("the page that is committed is what its sources give") {
  if (!tools_are_here()) return;
  const Scratch scratch;
  const std::vector<std::string> quick{"HARNESS_PAGE_UNCHECKED=1"};
  const Finished run = run_program({kPageFolder + "/build.sh", scratch.path("built")}, HARNESS_SOURCE_DIR,
                                   takes_all() ? std::vector<std::string>{} : quick);
  INFO(run.out << run.err);
  REQUIRE(run.status == 0);
  for (const auto& file : fs::directory_iterator(kPageFolder + "/built")) {
    INFO(file.path() << ": run harness/serve_http/page/build.sh");
    CHECK(text_of_file(file.path()) == text_of_file(scratch.path("built") + "/" + file.path().filename().string()));
  }
}

TEST_CASE("every page in Chromium: no error, no request that leaves, hostile texts as texts, by the keyboard alone") {
  if (is_nightly() || !tools_are_here() || !browser_is_here()) return;
  Served served;
  {
    const auto store = served.write();
    const std::string hostile = "</script><script>alert(1)</script><img src=x onerror=alert(2)>";
    const std::int64_t campaign = store->begin_campaign(a_campaign());
    AttemptRecord attempt = an_attempt(campaign, 7);
    attempt.candidate.variant = hostile + std::string(200, 'x');
    attempt.label = hostile;
    Evaluation evaluation = an_evaluation(CompileError{hostile});
    evaluation.source_text = "// " + hostile + "\n__global__ void k() {}\n";
    store::test::record(*store, attempt, evaluation);
    store->end_campaign(campaign, EndReason::budget, 100, 0.1);
    record_proposals(*store);
  }
  run_in_browser("pages.mjs", served.path);
}

TEST_CASE(
    "no page has a text that leaves its place, at five widths, light, dark and printed, whatever the store holds") {
  if (is_nightly() || !tools_are_here() || !browser_is_here()) return;
  const std::string source(HARNESS_SOURCE_DIR);
  if (!fs::exists(source + "/experiments.db")) return skip("./bootstrap build makes experiments.db");
  const Scratch scratch;
  const Finished made = run_program(
      {"python3", source + "/bench/page_stores.py", source + "/experiments.db", scratch.path("stores")}, source, {});
  INFO(made.out << made.err);
  REQUIRE(made.status == 0);
  run_in_browser("boxes.mjs", scratch.path("stores"));
}

// Set HARNESS_APPROVE=1 as well to write how the pages are built now, and read the difference in git.
TEST_CASE(
    "every page is built as it was approved, at four widths, with attempts, without any, and with failures only") {
  if (is_nightly() || !tools_are_here() || !browser_is_here()) return;
  const std::string golden = std::string(HARNESS_SOURCE_DIR) + "/tests/golden/page_outlines_";
  const auto check = [&](const Served& served, const std::string& name) {
    const std::string seen = served.folder / "outline.txt", approved = golden + name + ".txt";
    run_in_browser("outlines.mjs", served.path, seen);
    if (std::getenv("HARNESS_APPROVE") != nullptr) fs::copy_file(seen, approved, fs::copy_options::overwrite_existing);
    INFO(approved);
    CHECK(text_of_file(seen) == text_of_file(approved));
  };
  check(Served(), "some");
  check(Served(0, 0), "none");
  const Served failed(0, 0);
  record_failures(*failed.write());
  check(failed, "failed");
}

TEST_CASE("the page of a campaign that runs follows it, in two tabs over one stream") {
  if (is_nightly() || !tools_are_here() || !browser_is_here()) return;
  const Scratch scratch;
  run_in_browser("live.mjs", scratch.db());
}

}  // namespace harness::http::test
