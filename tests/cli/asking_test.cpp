#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "harness/system/files.h"
#include "tests/support/program.h"

using namespace harness;
using namespace harness::tests;

namespace {

/// A store with a recorded campaign of a GPU.
const std::string& a_store() {
  static const Scratch scratch;
  static const std::string db = [] {
    const std::string path = scratch.db();
    const Finished imported = run_harness(
        {"import", "--as-evidence", std::string(HARNESS_SOURCE_DIR) + "/bench/h200/from_nothing.jsonl", "--db", path});
    REQUIRE(imported.status == 0);
    return path;
  }();
  return db;
}

Finished ask(std::vector<std::string> words, const std::vector<std::string>& environment = {}) {
  words.insert(words.end(), {"--db", a_store()});
  return run_harness(words, environment);
}

}  // namespace

TEST_CASE("what is recorded is asked with filters, columns and formats") {
  const Finished all = ask({"history"}, {"COLUMNS=60"});
  INFO(all.out << all.err);
  REQUIRE(all.status == 0);
  std::size_t widest = 0, now = 0;
  for (const char c : all.out) now = c == '\n' ? 0 : now + ((c & 0xC0) != 0x80), widest = std::max(widest, now);
  CHECK(widest <= 60);
  const json rows = parse_json(ask({"history", "--json", "--limit", "3"}).out);
  REQUIRE(rows.size() == 3);
  const std::string workload = rows[0]["workload"], kernel = rows[0]["kernel"];
  CHECK(
      parse_json(ask({"history", "--format", "json", "--workload", workload, "--kernel", kernel}).out)[0]["workload"] ==
      workload);
  CHECK_THAT(ask({"history", "--columns", "iteration,time", "--format", "csv"}).out,
             Catch::StartsWith("iteration,time\r\n"));
  CHECK_THAT(ask({"best", "--format", "markdown"}).out, Catch::StartsWith("| kernel |"));
  CHECK_THAT(ask({"cost", "--by", "stage"}).out, Catch::Contains("total") && Catch::Contains(" %"));
  const Finished unknown = ask({"history", "--workload", workload + "x"});
  CHECK(unknown.status == 2);
  CHECK_THAT(unknown.err, Catch::Contains("did you mean"));
  CHECK_THAT(ask({"history", "--outcome", "pased"}).err, Catch::Contains("did you mean 'passed'"));
  CHECK_THAT(ask({"history", "--columns", "tiem"}).err, Catch::Contains("did you mean 'time'"));
  CHECK_THAT(ask({"history", "--since", "soon"}).err, Catch::Contains("'soon' is no time"));
  const json campaigns = parse_json(ask({"campaigns", "--json"}).out);
  for (const char* key : {"campaign", "name", "begun", "ended", "device", "device_name", "driver", "strategy", "reason",
                          "score", "iterations", "spent_s", "cost_usd", "revision"})
    CHECK(campaigns.at(0).contains(key));
  const json comparison = parse_json(ask({"compare", "1", "1", "--json"}).out);
  for (const char* key : {"a", "b", "environment", "workloads", "only_a", "only_b"}) CHECK(comparison.contains(key));
  CHECK(comparison["workloads"][0]["ratio"] == 1.0);
  CHECK_THAT(ask({"recommend", kernel}).out, Catch::Contains("one for all"));
}

TEST_CASE("help has examples, and completions and the man page know every command") {
  CHECK_THAT(run_harness({"help", "history"}).out,
             Catch::Contains("Examples:") && Catch::Contains("harness history --limit 50"));
  CHECK_THAT(run_harness({"help", "histroy"}).err, Catch::Contains("did you mean 'history'?"));
  const Finished odd = run_harness({"qqqqqqqqqq"});
  CHECK(odd.status == 2);
  CHECK(odd.err.find("''") == std::string::npos);
  const Scratch scratch;
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Finished printed = run_harness({"help", "--completion", shell});
    INFO(shell);
    CHECK(printed.status == 0);
    for (const char* command : {"recommend", "compare", "sweep", "report", "doctor"})
      CHECK(printed.out.find(command) != std::string::npos);
    scratch.write(shell, printed.out);
  }
  const std::string asked = "source " + scratch.path("bash") +
                            "; COMP_WORDS=(harness cost --by st); COMP_CWORD=3; _harness; echo ${COMPREPLY[@]}"
                            "; COMP_WORDS=(harness rec); COMP_CWORD=1; _harness; echo ${COMPREPLY[@]}";
  CHECK(run_program({"/bin/bash", "-c", asked}, scratch.path("")).out == "stage\nrecommend\n");
  CHECK_THAT(run_harness({"help", "--man"}).out,
             Catch::Contains(".TH HARNESS 1") && Catch::Contains(".SS harness recommend"));
}

TEST_CASE("doctor says what is here, what is missing and how to mend it") {
  const Finished finished = ask({"doctor", "--verify", "--json"});
  INFO(finished.err);
  CHECK(finished.status == 0);
  const json rows = parse_json(finished.out);
  bool integrity = false;
  for (const json& row : rows) {
    if (row["state"] != "ok") CHECK(row["mend"].is_string());
    integrity = integrity || (row["what"] == "integrity" && row["state"] == "ok");
  }
  CHECK(integrity);
}

TEST_CASE("a report is one file that opens in a browser") {
  const Scratch scratch;
  const std::string page = scratch.path("report.html");
  const Finished written = ask({"report", "1", "--html", page, "--markdown", scratch.path("report.md"), "--no-date"});
  INFO(written.err);
  REQUIRE(written.status == 0);
  const std::string text = read_file(page);
  CHECK(text.size() < 1'000'000);
  CHECK(read_file(scratch.path("report.md")).starts_with("## Campaign 1"));
  CHECK(ask({"report", "1", "--html", scratch.path("no/such/folder/x.html")}).status == 3);
  CHECK(ask({"report", "99"}).status == 2);
  const Finished browser = run_program({"/bin/sh", "-c", "command -v chromium"}, scratch.path(""));
  if (browser.status != 0) {
    WARN("chromium is not here: the page was not opened");
    return;
  }
  const Finished opened =
      run_program({"/bin/sh", "-c",
                   "HOME=" + scratch.path("") + " chromium --headless --no-sandbox --disable-gpu --dump-dom file://" +
                       page + " 2>" + scratch.path("log")},
                  scratch.path(""));
  CHECK_THAT(opened.out, Catch::Contains("<svg") && Catch::Contains("What is fastest"));
  CHECK(read_file(scratch.path("log")).find("Refused to") == std::string::npos);  // of the page's own policy
}
