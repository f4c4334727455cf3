#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>
#include <sstream>

#include "tests/support/program.h"
#include "tests/support/skip.h"
#include "tests/support/turns.h"

// A program that really edits, through the whole protocol: tests/proposers/transform.py.
using namespace harness;
using namespace harness::tests;
namespace fs = std::filesystem;

namespace {

const std::string kRoot = HARNESS_SOURCE_DIR;

/// An installation of its own with the kernel softmax, so that files may be written there.
class Installation {
 public:
  explicit Installation(const Scratch& scratch) : folder_(scratch.path("home")), db_(scratch.db()) {
    fs::create_directories(fs::path(folder_) / "kernels");
    for (const char* part : {"kernels/softmax", "kernels/include", "strategies", "playbook"})
      fs::copy(fs::path(kRoot) / part, fs::path(folder_) / part, fs::copy_options::recursive);
    fs::create_directory_symlink(fs::path(kRoot) / "harness", fs::path(folder_) / "harness");
  }
  Finished run(std::vector<std::string> words) const {
    words.insert(words.begin(), HARNESS_BINARY);
    return run_program(words, folder_, {"HARNESS_HOME=" + folder_, "HARNESS_DB=" + db_});
  }

 private:
  std::string folder_, db_;
};

std::string said(const Finished& finished) {
  return finished.err;
}

}  // namespace

TEST_CASE("edits of a program are judged, recorded, replayed without it, and adopted") {
  const Scratch scratch;
  const Installation home(scratch);
  const std::string program = scratch.path("transform.py");
  fs::copy_file(kRoot + "/tests/proposers/transform.py", program);
  const std::string first = kRoot + "/tests/fixtures/proposals_first.lua";
  const Finished finished = home.run({"run", "softmax", "--variant", "00_naive", "--workload", "M=35 N=257 dtype=f32",
                                      "--device", "cpu", "--emulated", "--strategy", first, "--proposer",
                                      "command:python3 " + program, "--budget", "120s", "--json"});
  INFO(finished.err);
  REQUIRE(finished.status == 0);
  std::map<std::string, json> by_label;
  for (const json& row : parse_json(home.run({"history", "--proposals", "--json"}).out))
    if (row["label"].is_string()) by_label[row["label"]] = row;
  for (const char* rule : {"warp per row", "reuse", "reciprocal", "unroll"}) {
    INFO(rule);
    REQUIRE(by_label.count(rule) == 1);
    CHECK(by_label[rule]["outcome"] == "accepted");
    INFO(by_label[rule]["became"]);
    const std::set<std::string> right{"passed", "screened", "no_effect",
                                      "abandoned"};  // how fast is the machine's matter
    CHECK(right.contains(by_label[rule]["became"].get<std::string>()));
  }
  const Finished episodes = home.run({"history", "--episodes"});
  REQUIRE(episodes.status == 0);
  std::istringstream lines(episodes.out);
  int asked = 0;
  int rewarded = 0;  // how much, the machine's clock decides
  for (std::string line; std::getline(lines, line); ++asked) {
    const json episode = parse_json(line);
    CHECK(episode["request"]["kernel"] == "softmax");
    CHECK_FALSE(episode["reply"].get<std::string>().empty());
    if (episode["reward"].is_number()) ++rewarded;
  }
  CHECK(asked >= 4);
  CHECK(rewarded >= 4);
  fs::remove(program);
  const Finished replayed = home.run({"replay", "1", "--strategy", first});
  INFO(replayed.err);
  CHECK(replayed.status == 0);
  CHECK_THAT(replayed.out, Catch::Contains("the two decided the same from beginning to end"));

  const std::string proposed = by_label["reuse"]["variant"];
  const json rows =
      parse_json(home.run({"query", "SELECT max(iteration) AS it FROM v_iterations WHERE variant = '" + proposed + "'",
                           "--format", "json"})
                     .out);
  const Finished adopted = home.run({"adopt", "--from", std::to_string(rows.at(0).at("it").get<int>()), "--json"});
  INFO(adopted.err);
  REQUIRE(adopted.status == 0);
  const json said = adopted.lines().at(0);
  CHECK_THAT(said["variant"].get<std::string>(), Catch::EndsWith("_reuse"));
  for (const json& file : said["files"]) CHECK(fs::exists(fs::path(file.get<std::string>())));
  bool listed = false;
  for (const json& variant : parse_json(home.run({"variants", "softmax", "--json"}).out))
    if (variant["name"] == said["variant"])
      listed = variant["technique"].get<std::string>().find('~') == std::string::npos;
  CHECK(listed);
}

// Emulated times: what is judged is that the engine's edits pass all gates and that one of them becomes the best.
TEST_CASE("edits of a program make adopted kernels faster than their originals") {
  if (is_nightly()) return;  // the campaign of edits above, on two more kernels
  const std::vector<std::pair<std::string, std::string>> kernels = {{"row_softmax", "rows=33 cols=64"},
                                                                    {"dot", "n=3000"}};
  for (const auto& [kernel, shape] : kernels) {
    INFO(kernel);
    const Scratch scratch;
    const Finished finished = run_harness({"run",
                                           kernel,
                                           "--kernels",
                                           kRoot + "/bench/agents/kernels",
                                           "--workload",
                                           shape,
                                           "--device",
                                           "cpu",
                                           "--emulated",
                                           "--proposer",
                                           "command:python3 " + kRoot + "/tests/proposers/transform.py",
                                           "--strategy",
                                           "exhaustive",
                                           "--search",
                                           "exhaustive",
                                           "--budget",
                                           "120s",
                                           "--db",
                                           scratch.db(),
                                           "--json"});
    INFO(finished.err);
    REQUIRE(finished.status == 0);
    const json end = finished.lines().back();
    const json& best = end.at("best").at(0);
    CHECK_THAT(best.at("variant").get<std::string>(), Catch::StartsWith("proposed_"));
    CHECK(best.at("speedup").get<double>() > 1.5);
  }
}

// tests/fixtures/proposed.jsonl: dot, adopted, with the edits of transform.py, recorded on the cpu device by
// harness run dot --kernels bench/agents/kernels --device cpu --workload n=3000 --strategy exhaustive --search
// exhaustive --emulated --budget 150s
// --proposer "command:python3 tests/proposers/transform.py"
TEST_CASE("a recorded campaign with proposals replays where no proposer is") {
  const Scratch scratch;
  const std::string record = kRoot + "/tests/fixtures/proposed.jsonl";
  REQUIRE(run_harness({"import", record, "--db", scratch.db()}).status == 0);
  const Finished replayed = run_harness({"replay", "1", "--strategy", "exhaustive", "--search", "exhaustive",
                                         "--kernels", kRoot + "/bench/agents/kernels", "--db", scratch.db()});
  INFO(replayed.err);
  CHECK(replayed.status == 0);
  CHECK_THAT(replayed.out, Catch::Contains("the two decided the same from beginning to end"));
}

TEST_CASE("a proposer is tried with one small request") {
  const Scratch scratch;
  scratch.write("good.sh", "cat >/dev/null; echo '{\"source\":\"x\",\"usage\":{\"model\":\"m\",\"usd\":0.5}}'\n");
  const Finished good = run_harness({"proposer", "--check", "command:sh " + scratch.path("good.sh")});
  INFO(good.err);
  CHECK(good.status == 0);
  CHECK_THAT(good.out, Catch::Contains("answers as it was asked") && Catch::Contains("$0.5000, as it says"));
  const Finished bad = run_harness({"proposer", "--check", "command:echo hello", "--json"});
  CHECK(bad.status == 1);
  CHECK(bad.lines().at(0)["works"] == false);
  CHECK(bad.lines().at(0)["problem"] ==
        "unparsable: the reply holds no source: a ```cuda block with the whole file, "
        "SEARCH/REPLACE blocks or a JSON object with 'source' or 'edits' (6 bytes of words were read)");
}

TEST_CASE("what a proposer cannot be is refused before a store is made") {
  const Scratch scratch;
  const auto refused = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"run",      "vector_scale", "--device", "cpu",       "--emulated",
                                   "--budget", "5s",           "--db",     scratch.db()};
    words.insert(words.end(), more.begin(), more.end());
    const Finished finished = run_harness(words);
    CHECK(finished.status == 2);
    CHECK(!std::filesystem::exists(scratch.db()));
    return said(finished);
  };
  CHECK_THAT(refused({"--proposer", "gpt"}), Catch::Contains("write 'command:PROGRAM ARGS'"));
  CHECK_THAT(refused({"--proposer", "command:no-such-program"}), Catch::Contains("no program 'no-such-program'"));
  CHECK_THAT(refused({"--proposer", "command:cat", "--max-cost", "1"}), Catch::Contains("--token-price"));
  CHECK_THAT(refused({"--proposer", "command:cat", "--token-price", "3"}), Catch::Contains("is not IN,OUT"));
}

TEST_CASE("a session compiles what it would answer, and of several proposers each has its row", "[.nightly]") {
  const Scratch scratch;
  const Installation home(scratch);
  const std::string session = kRoot + "/tests/proposers/asks_tools.py", rules = kRoot + "/tests/proposers/transform.py";
  const Finished finished = home.run({"run", "softmax", "--variant", "00_naive", "--workload", "M=35 N=257 dtype=f32",
                                      "--device", "cpu", "--proposer", "asks=session:python3 " + session, "--proposer",
                                      "rules=command:python3 " + rules, "--budget", "120s", "--json"});
  INFO(finished.err);
  REQUIRE(finished.status == 0);
  std::set<std::string> accepted;
  for (const json& event : finished.lines())
    if (event["event"] == "proposal" && event["outcome"] == "accepted") accepted.insert(event["hypothesis"]);
  CHECK(accepted.contains("compiles: first False, then True"));
  CHECK(accepted.size() >= 2);
  const json rows = parse_json(home.run({"history", "--proposers", "--json"}).out);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0]["proposer"] == "asks");
  CHECK(rows[1]["proposer"] == "rules");
  for (const json& row : rows) {
    CHECK(row["asked"] > 0);
    CHECK(row["device_s"] > 0);
  }
  const json last = finished.lines().back();
  CHECK(last["proposers"].size() == 2);
  CHECK(home.run({"replay", "1"}).status == 0);
  const Finished twice = home.run(
      {"run", "softmax", "--proposer", "command:python3 x", "--proposer", "command:python3 x", "--device", "cpu"});
  CHECK(twice.status == 2);
  CHECK_THAT(twice.err, Catch::Contains("two proposers are called 'command:python3 x'"));
}
