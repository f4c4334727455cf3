#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "harness/system/files.h"
#include "tests/support/program.h"

using namespace harness;
using namespace harness::tests;

namespace {

struct Refusal {
  std::vector<std::string> arguments;
  int status;
  std::string sentence;  // a part of it
};

void check_refusal(const Refusal& refusal) {
  const Finished finished = run_harness(refusal.arguments);
  INFO(refusal.sentence << " | " << finished.err);
  CHECK(finished.status == refusal.status);
  CHECK(finished.err.find(refusal.sentence) != std::string::npos);
  CHECK(finished.err.starts_with("harness: "));
  CHECK(std::count(finished.err.begin(), finished.err.end(), '\n') == 1);
  CHECK(finished.out.empty());
}

}  // namespace

TEST_CASE("unknown names are refused with the nearest known one") {
  const Scratch scratch;
  const std::string db = scratch.db();
  for (const Refusal& refusal : std::vector<Refusal>{
           {{"rnu"}, 2, "did you mean 'run'"},
           {{"run", "atention", "--device", "cpu", "--db", db}, 2, "did you mean 'attention'"},
           {{"run", "softmax", "--device", "cpu", "--workload", "nonsense", "--db", db},
            2,
            "no workload or set 'nonsense'"},
           {{"run", "softmax", "--device", "cpu", "--variant", "00_naiv", "--db", db}, 2, "did you mean '00_naive'"},
           {{"run", "softmax", "--device", "cpu", "--strategy", "rio", "--db", db}, 2, "did you mean 'roi'"},
           {{"run", "softmax", "--device", "cpu", "--search", "hilclimb", "--db", db}, 2, "did you mean 'hillclimb'"},
           {{"run", "softmax", "--device", "gpu", "--db", db}, 2, "no device 'gpu'"},
           {{"run", "softmax", "--device", "cuda:99", "--db", db}, 3, "cuda:99"},
           {{"eval", "softmax", "00_naive", "-p", "BLOK=64", "--device", "cpu", "--no-record"}, 2, "BLOK"},
           {{"variants", "sofmax"}, 2, "did you mean 'softmax'"},
           {{"models", "lama-3.1-8b"}, 2, "did you mean 'llama-3.1-8b'"},
           {{"run", "attention", "--model", "gpt2", "--phase", "decoed"}, 2, "did you mean 'decode'"},
           {{"run", "softmax", "--model", "gpt2"}, 2, "does not say which sizes it has in a model"},
           {{"run", "attention", "gemm", "--model", "gpt2"}, 2, "--model needs one kernel"},
           {{"run", "attention", "--batch", "4"}, 2, "belong to --model NAME"},
           {{"run", "attention", "--model", "gpt2", "--mix", "day.txt"}, 2, "give one of them"},
       })
    check_refusal(refusal);
  CHECK_FALSE(std::filesystem::exists(db + "-journal"));
}

TEST_CASE("budgets, goals and costs that mean nothing are refused") {
  for (const Refusal& refusal : std::vector<Refusal>{
           {{"run", "softmax", "--budget", "soon"}, 2, "'soon' is not a duration"},
           {{"run", "softmax", "--budget", "0"}, 2, "'0' is not a duration"},
           {{"run", "softmax", "--budget", "-5m"}, 2, "is not a duration"},
           {{"run", "softmax", "--goal", "fast"}, 2, "'fast' is not a goal"},
           {{"run", "softmax", "--max-cost", "2"}, 2, "needs the device's price"},
           {{"run"}, 2, "name a kernel"},
           {{"run", "softmax", "--bugdet", "5m"}, 2, "no option '--bugdet'; did you mean '--budget'?"},
           {{"fleet", "slurm", "--partiton=x"}, 2, "did you mean '--partition'? See harness fleet slurm --help"},
           {{"best", "a", "b", "c"}, 2, "'b' was not expected"},
           {{"--nonsense", "best"}, 2, "no option '--nonsense'"},
       })
    check_refusal(refusal);
}

TEST_CASE("stores that cannot be used are refused in one sentence") {
  const Scratch scratch;
  scratch.write("text.db",
                "this is a text file and no database, whatever its name says.....................................");
  for (const Refusal& refusal : std::vector<Refusal>{
           {{"history", "--db", scratch.path("absent.db")}, 2, "absent.db"},
           {{"history", "--db", scratch.path("text.db")}, 2, "text.db"},
           {{"run", "vector_scale", "--device", "cpu", "--db", scratch.path("no/such/folder/x.db")}, 3, "x.db"},
       }) {
    const Finished finished = run_harness(refusal.arguments);
    INFO(finished.err);
    CHECK((finished.status == 2 || finished.status == 3));
    CHECK(finished.err.find(refusal.sentence) != std::string::npos);
    CHECK(std::count(finished.err.begin(), finished.err.end(), '\n') == 1);
  }
}

TEST_CASE("every command answers --help") {
  for (const char* command :
       {"run",    "eval", "check", "devices", "kernels",   "variants", "strategies", "playbook", "history",
        "show",   "best", "diff",  "cost",    "campaigns", "compare",  "recommend",  "sweep",    "report",
        "doctor", "help", "query", "export",  "import",    "replay",   "init",       "new"}) {
    const Finished finished = run_harness({command, "--help"});
    INFO(command);
    CHECK(finished.status == 0);
    CHECK(finished.out.find("--help") != std::string::npos);
  }
}

TEST_CASE("the lists are JSON with the contract's keys") {
  const json kernels = parse_json(run_harness({"kernels", "--json"}).out);
  REQUIRE(kernels.size() >= 5);
  for (const char* key : {"name", "summary", "workloads", "variants"}) CHECK(kernels[0].contains(key));
  const json variants = parse_json(run_harness({"variants", "attention", "--json"}).out);
  REQUIRE(variants.size() >= 3);
  for (const char* key : {"name", "technique", "parameters", "requires", "prior", "risk"})
    CHECK(variants[0].contains(key));
  const json devices = parse_json(run_harness({"devices", "--json"}).out);
  CHECK(devices.back()["device"] == "cpu");
  CHECK(devices.back()["predicts_for"] == json({"H200", "H100", "A100", "RTX4090"}));
  for (const char* key : {"device", "name", "available", "architecture", "missing"}) CHECK(devices[0].contains(key));
  bool roi = false;
  for (const json& row : parse_json(run_harness({"strategies", "--json"}).out)) roi = roi || row["name"] == "roi";
  CHECK(roi);
}

TEST_CASE("a project may have the facts of a GPU of its own, and a mistake in them is a sentence") {
  const Scratch scratch;
  const std::string project = scratch.path("project");
  REQUIRE(run_harness({"init", project}).status == 0);
  std::filesystem::create_directories(project + "/gpus");
  std::ifstream shipped(std::string(HARNESS_SOURCE_DIR) + "/gpus/rtx4090.lua");
  std::string text((std::istreambuf_iterator<char>(shipped)), std::istreambuf_iterator<char>());
  text.replace(text.find("RTX4090\""), 7, "L40S");
  scratch.write("project/gpus/l40s.lua", text);
  const auto devices = [&] { return run_program({HARNESS_BINARY, "devices"}, project); };
  CHECK_THAT(devices().out, Catch::Contains("predicts times of H200, H100, A100, L40S, RTX4090 (--for NAME)"));
  scratch.write("project/gpus/l40s.lua", text.replace(text.find("clock_hz ="), 10, "clock_Hz ="));
  const Finished wrong = devices();
  CHECK(wrong.status == 2);
  CHECK_THAT(wrong.err, Catch::Contains("gpus/l40s.lua:9: a GPU has no field 'clock_Hz'; did you mean 'clock_hz'?"));
}

TEST_CASE("a scaffolded kernel is complete and passes, also in a home that has nothing but plugins") {
  const Scratch scratch;
  std::filesystem::create_directories(scratch.path("home/kernels"));
  std::filesystem::copy(std::string(HARNESS_SOURCE_DIR) + "/kernels/include", scratch.path("home/kernels/include"),
                        std::filesystem::copy_options::recursive);
  std::filesystem::create_directories(scratch.path("home/strategies"));
  const std::vector<std::string> home{"HARNESS_HOME=" + scratch.path("home")};
  REQUIRE(run_harness({"new", "kernel", "double_it"}, home).status == 0);
  const Finished again = run_harness({"new", "kernel", "double_it"}, home);
  CHECK(again.status == 2);
  CHECK(again.err.find("exists already") != std::string::npos);
  const Finished finished =
      run_harness({"eval", "double_it", "00_naive", "--device", "cpu", "--emulated", "--no-record", "--json"}, home);
  INFO(finished.err);
  CHECK(finished.status == 0);
}

TEST_CASE("--help names every environment variable that is read, and none of ours that is not") {
  const std::string help = run_harness({"--help"}).out;
  const std::regex read(R"re(getenv\("(\w+)"\)|"(HARNESS_[A-Z_]+)")re");
  std::set<std::string> names;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(std::filesystem::path(HARNESS_SOURCE_DIR) / "harness")) {
    if (entry.path().extension() != ".cpp" || entry.path().filename() == "environment.cpp" ||
        entry.path().string().find("/guest/") != std::string::npos)
      continue;
    // What `harness capture` tells its library in the program that it watches.
    if (entry.path().string().find("/capture/injected/") != std::string::npos ||
        entry.path().string().ends_with("/cli/capture.cpp"))
      continue;
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (auto match = std::sregex_iterator(text.begin(), text.end(), read); match != std::sregex_iterator(); ++match)
      names.insert((*match)[1].matched ? (*match)[1].str() : (*match)[2].str());
  }
  CHECK(names.size() > 6);
  for (const std::string& name : names) {
    INFO(name);
    CHECK(help.find(name) != std::string::npos);
  }
  const std::regex ours("HARNESS_[A-Z_]+");
  for (auto match = std::sregex_iterator(help.begin(), help.end(), ours); match != std::sregex_iterator(); ++match) {
    INFO(match->str());
    CHECK(names.contains(match->str()));
  }
}

TEST_CASE("an export to standard output is the whole text, and says on stderr how much it was") {
  const Scratch scratch;
  REQUIRE(run_harness({"import", std::string(HARNESS_SOURCE_DIR) + "/bench/seeds/campaign.jsonl", "--db", scratch.db()})
              .status == 0);
  const Finished printed = run_harness({"export", "-", "--db", scratch.db()});
  CHECK(printed.status == 0);
  CHECK_THAT(printed.err, Catch::Contains("1 campaign with ") && Catch::Contains("written to standard output"));
  REQUIRE(run_harness({"export", scratch.path("x.jsonl"), "--db", scratch.db()}).status == 0);
  CHECK(printed.out == read_file(scratch.path("x.jsonl")));
}

TEST_CASE("results that cannot be written are status 3 and a sentence") {
  const Finished full =
      run_program({"/bin/sh", "-c", std::string(HARNESS_BINARY) + " kernels > /dev/full"}, HARNESS_SOURCE_DIR);
  CHECK(full.status == 3);
  CHECK_THAT(full.err, Catch::Contains("standard output cannot be written"));
  const Scratch scratch;
  REQUIRE(run_harness({"import", std::string(HARNESS_SOURCE_DIR) + "/bench/seeds/campaign.jsonl", "--db", scratch.db()})
              .status == 0);
  for (const char* target : {"- > /dev/full", "/dev/full"}) {
    const Finished exported =
        run_program({"/bin/sh", "-c", std::string(HARNESS_BINARY) + " export --db " + scratch.db() + " " + target},
                    HARNESS_SOURCE_DIR);
    CHECK(exported.status == 3);
    CHECK(exported.err.find("written to") == std::string::npos);
  }
}

TEST_CASE("an export to /dev/stdout goes through a pipe") {
  const Scratch scratch;
  REQUIRE(run_harness({"import", std::string(HARNESS_SOURCE_DIR) + "/bench/seeds/campaign.jsonl", "--db", scratch.db()})
              .status == 0);
  const Finished piped = run_program(
      {"/bin/sh", "-c", std::string(HARNESS_BINARY) + " export /dev/stdout --db " + scratch.db() + " | cat"},
      HARNESS_SOURCE_DIR);
  CHECK_THAT(piped.err, Catch::Contains("1 campaign with "));
  CHECK(piped.out == run_harness({"export", "-", "--db", scratch.db()}).out);
}

TEST_CASE("a run without a kernel takes every one that has something to try, and says which have not") {
  const Finished plan = run_harness({"run", "--device", "cpu", "--budget", "30s", "--dry-run", "--db", ":memory:"});
  CHECK(plan.status == 0);
  for (const char* const kernel : {"softmax/", "attention/", "rmsnorm_int8/", "paged_gather/", "vector_scale/"})
    CHECK(plan.out.find(kernel) != std::string::npos);
  const Finished chosen = run_harness(
      {"run", "--device", "cpu", "--budget", "30s", "--dry-run", "--db", ":memory:", "--variant", "30_registers"});
  CHECK(chosen.status == 0);
  CHECK(chosen.out.find("softmax/") != std::string::npos);
  CHECK(chosen.out.find("paged_gather/") == std::string::npos);
  CHECK(chosen.err.find("paged_gather is left out: ") != std::string::npos);
}

TEST_CASE("a shape of one's own is evaluated like a workload, and found again by its name") {
  const Scratch scratch;
  const std::string db = scratch.db(), name = "N=777 dtype=f16";
  const Finished eval = run_harness({"eval", "vector_scale", "00_naive", "--workload", "dtype=f16 N=777", "--device",
                                     "cpu", "--emulated", "--db", db, "--json"});
  INFO(eval.err);
  REQUIRE(eval.status == 0);
  CHECK(eval.lines()[0]["workload"] == name);
  const json best = parse_json(run_harness({"best", "--workload", name, "--db", db, "--json"}).out);
  REQUIRE(best.size() == 1);
  CHECK(best[0]["confirmed"] == false);
  const Finished again = run_harness({"eval", "--from", "1", "--device", "cpu", "--emulated", "--db", db, "--json"});
  INFO(again.err);
  REQUIRE(again.status == 0);
  CHECK(again.lines()[0]["workload"] == name);
  CHECK(again.lines()[0]["contract_hash"] == eval.lines()[0]["contract_hash"]);
  const Finished refused = run_harness({"run", "vector_scale", "--workload", "M=3", "--device", "cpu", "--db", db});
  CHECK(refused.status == 2);
  CHECK(refused.err == "harness: shape 'M=3': kernel 'vector_scale' has no size 'M'; it has: N, dtype\n");
}
