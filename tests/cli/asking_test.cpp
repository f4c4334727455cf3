#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <sstream>

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
  CHECK_THAT(opened.out, Catch::Contains("<svg") && Catch::Contains("Best of every workload") &&
                             Catch::Contains("What each technique brought"));
  CHECK(read_file(scratch.path("log")).find("Refused to") == std::string::npos);  // of the page's own policy
}

namespace {

/// The longest line of a text that is more than one word, in columns.
std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    std::string first, second;
    if (!(words >> first >> second)) continue;
    const auto columns = std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; });
    widest = std::max(widest, static_cast<std::size_t>(columns));
  }
  return widest;
}

const std::string kSpaces = std::string(HARNESS_SOURCE_DIR) + "/tests/fixtures/spaces/";

}  // namespace

TEST_CASE("no command that answers a person writes lines wider than the terminal") {
  const json bests = parse_json(ask({"best", "--json", "--limit", "1"}).out);
  const std::string iteration = bests[0]["iteration"].dump(), kernel = bests[0]["kernel"];
  const std::vector<std::vector<std::string>> commands{{"history", "--limit", "5"},
                                                       {"best"},
                                                       {"best", kernel},
                                                       {"cost"},
                                                       {"campaigns"},
                                                       {"compare", "1", "1"},
                                                       {"recommend", kernel},
                                                       {"show", iteration},
                                                       {"show", "--decision", "1"},
                                                       {"report", "1"},
                                                       {"query", "--schema"},
                                                       {"doctor"}};
  const std::vector<std::vector<std::string>> others{
      {"variants", kernel},
      {"strategies"},
      {"kernels"},
      {"devices"},
      {"help"},
      {"help", "run"},
      {"--help"},
      {"eval", "--help"},
      {},
      {"cache"},
      {"replay", "tests/fixtures/proposed.jsonl", "--strategy", "exhaustive", "--kernels", "bench/agents/kernels"}};
  for (const char* columns : {"80", "100", "120"}) {
    const std::vector<std::string> environment{std::string("COLUMNS=") + columns};
    for (const bool recorded : {true, false})
      for (const std::vector<std::string>& words : recorded ? commands : others) {
        const Finished finished = recorded ? ask(words, environment) : run_harness(words, environment);
        std::string said;
        for (const std::string& word : words) said += word + " ";
        INFO("COLUMNS=" << columns << " harness " << said << "\n" << finished.out << finished.err);
        CHECK(finished.status <= 1);
        CHECK(widest_line(finished.out) <= static_cast<std::size_t>(std::stoi(columns)));
      }
  }
}

TEST_CASE("every command that sorts refuses an unknown key, and a limit changes no total") {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"history"}, {"best"}, {"campaigns"}, {"cost"}, {"cost", "--by", "stage"}}) {
    std::vector<std::string> wrong = words;
    wrong.insert(wrong.end(), {"--sort", "nosuch_key"});
    const Finished refused = ask(wrong);
    INFO(words.front() << refused.err);
    CHECK(refused.status == 2);
    CHECK_THAT(refused.err, Catch::Contains("cannot be sorted by 'nosuch_key'"));
  }
  const std::string all = ask({"cost"}).out, few = ask({"cost", "--limit", "2"}).out;
  std::istringstream lines(few);
  std::string line, total_of_few, total_of_all;
  while (std::getline(lines, line))
    if (line.starts_with("total")) total_of_few = line;
  std::istringstream all_lines(all);
  while (std::getline(all_lines, line))
    if (line.starts_with("total")) total_of_all = line;
  const auto words_of = [](const std::string& text) {
    std::istringstream stream(text);
    return std::vector<std::string>{std::istream_iterator<std::string>(stream), {}};
  };
  CHECK(words_of(total_of_few) == words_of(total_of_all));
  CHECK_FALSE(total_of_all.empty());
  CHECK_THAT(few, Catch::Contains("the total and the shares are of all"));
  const json dearest = parse_json(ask({"cost", "--sort", "-usd", "--limit", "2", "--json"}).out);
  REQUIRE(dearest.size() == 2);
  CHECK(dearest[0]["usd"].get<double>() >= dearest[1]["usd"].get<double>());
}

TEST_CASE("a campaign has its name everywhere, and a report goes to standard output") {
  for (const std::string& word : {std::string("1"), std::string("latest")}) {
    const Finished report = ask({"report", word, "--markdown", "-", "--no-date"});
    INFO(report.err);
    CHECK(report.status == 0);
    CHECK(report.out.starts_with("## Campaign 1"));
    CHECK(report.err.empty());
    CHECK_FALSE(std::filesystem::exists(std::string(HARNESS_SOURCE_DIR) + "/-"));
    CHECK(ask({"history", "--campaign", word, "--limit", "1"}).status == 0);
  }
  CHECK(ask({"report", "nosuch"}).status == 2);
  const Finished first = ask({"compare", "latest", "--previous"});
  CHECK(first.status == 0);
  CHECK_THAT(first.err, Catch::Contains("nothing to compare it with"));
  CHECK(ask({"compare", "latest"}).status == 2);
  CHECK_THAT(ask({"report", "1"}).out + ask({"report", "1", "--markdown", "-"}).out,
             Catch::Contains("harness new pattern NAME --campaign 1"));
}

TEST_CASE("what another tuner recorded is shown, listed and compared like a campaign") {
  const Scratch scratch;
  const auto on = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--db", scratch.db()});
    return run_harness(words);
  };
  for (const char* file : {"tile.json", "tile_t4.json"}) REQUIRE(on({"import", kSpaces + file}).status == 0);
  const json rows = parse_json(on({"campaigns", "--json"}).out);
  REQUIRE(rows.size() == 2);
  for (const char* iteration : {"1", "2", "90"}) {
    const Finished shown = on({"show", iteration});
    INFO(shown.err);
    CHECK(shown.status == 0);
    CHECK_THAT(shown.out, Catch::Contains("no gate is recorded") && Catch::Contains("not known"));
    CHECK(on({"show", iteration, "--json"}).status == 0);
  }
  CHECK(on({"compare", "1", "2"}).status == 0);
  CHECK(on({"compare", "1", "1"}).status == 0);
  const std::string device = rows[0]["device_name"];
  const Finished devices = on({"compare", device, device, "--json"});
  INFO(devices.err);
  REQUIRE(devices.status == 0);
  CHECK_FALSE(parse_json(devices.out)["workloads"].empty());
  for (const json& row : parse_json(on({"history", "--json"}).out))
    CHECK(row["workload"].get<std::string>().find('/') == std::string::npos);
}

TEST_CASE("completions know the values of options and arguments, and nothing that is hidden") {
  const auto values = [](std::vector<std::string> words) {
    words.insert(words.begin(), "__complete");
    return run_harness(words).out;
  };
  CHECK_THAT(values({"run", "softmax", "--strategy", ""}), Catch::Contains("roi\n") && Catch::Contains("ladder\n"));
  CHECK_THAT(values({"eval", "softmax", ""}), Catch::Contains("00_naive\n") && !Catch::Contains("20_split_kv\n"));
  CHECK_THAT(values({"run", "soft"}), Catch::Contains("softmax\n"));
  CHECK_THAT(values({"history", "--outcome", ""}), Catch::Contains("wrong_answer\n"));
  CHECK_THAT(values({"run", "softmax", "--workload", ""}), Catch::Contains("default\n"));
  CHECK_THAT(values({"new", ""}), Catch::Contains("strategy\n"));
  CHECK(values({"fleet", ""}) == "slurm\nssh\n");
  CHECK(run_harness({"__complete", "report", ""}, {"HARNESS_DB=" + a_store()}).out.starts_with("latest\n1\n"));
  CHECK(run_harness({"__complete", "run", "softmax", "--report", ""}).status == 4);
  CHECK(values({"run", "softmax", "--bud"}).empty());
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = run_harness({"help", "--completion", shell}).out;
    INFO(shell);
    CHECK(script.find("__complete") != std::string::npos);
    CHECK(script.find("--job") == std::string::npos);
    CHECK(script.find("{false}") == std::string::npos);
  }
  CHECK(run_harness({"report", "--help"}).out.find("{false}") == std::string::npos);
}

TEST_CASE("harness alone says what is here and what makes sense here; help has headings") {
  const Finished alone = run_harness({}, {"HARNESS_DB=" + a_store()});
  INFO(alone.err);
  CHECK(alone.status == 0);
  CHECK_THAT(alone.out,
             Catch::Contains("harness serve") && Catch::Contains("harness doctor") && Catch::Contains("campaign 1"));
  const Scratch scratch;
  CHECK_THAT(run_harness({}, {"HARNESS_DB=" + scratch.db()}).out, Catch::Contains("is not there yet"));
  scratch.write("broken.db", "no store");
  CHECK(run_harness({}, {"HARNESS_DB=" + scratch.path("broken.db")}).status == 0);
  const std::string help = run_harness({"--help"}).out;
  for (const char* heading : {"Try and optimize:", "Ask the record:", "Agents and machines:"})
    CHECK(help.find(heading) != std::string::npos);
  const Finished schema = ask({"query", "--schema"});
  CHECK_THAT(schema.out,
             Catch::Contains("v_best") && Catch::Contains("speedup_lo") && Catch::Contains("v_calibration"));
  CHECK(ask({"query"}).status == 2);
}

TEST_CASE("simulate explains its columns, and puts several searches into one table") {
  const Finished both =
      run_harness({"simulate", kSpaces + "tile.json", "--search", "random,exhaustive", "--repeats", "2"});
  INFO(both.err);
  REQUIRE(both.status == 0);
  CHECK_THAT(both.out, Catch::Contains("random") && Catch::Contains("exhaustive") &&
                           Catch::Contains("within 5%  repeats that came"));
  CHECK(run_harness({"simulate", kSpaces + "tile.json", "--search", "random,exhaustive", "--repeats", "2", "--json"})
            .lines()
            .size() == 2);
}
