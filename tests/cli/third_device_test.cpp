#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "tests/support/program.h"
#include "tests/support/turns.h"

// A third kind of device takes its own folder, a line in main.cpp and the build: tests/fakes/twin_main.cpp is the
// program with one, and nothing else knows of it.
using namespace harness;
using namespace harness::tests;

namespace {

Finished run_twin(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = arguments;
  words.insert(words.begin(), HARNESS_TWIN);
  return run_program(words, HARNESS_SOURCE_DIR);
}

json gate_of(const json& iteration, const std::string& name) {
  for (const json& gate : iteration["gates"])
    if (gate["name"] == name) return gate;
  return json();
}

}  // namespace

TEST_CASE("a third kind of device is listed, chosen first, and named in what is said of devices") {
  const Finished listed = run_twin({"devices", "--json"});
  REQUIRE(listed.status == 0);
  const json first = listed.lines().at(0).at(0);
  CHECK(first["device"] == "twin:0");
  CHECK(first["native"] == false);
  CHECK(run_twin({"eval", "--help"}).out.find("auto, cpu, cuda[:N] or twin[:N]") != std::string::npos);
  const Finished absent = run_twin({"eval", "vector_scale", "00_naive", "--device", "twin:7", "--no-record"});
  CHECK(absent.status == 3);
  CHECK_THAT(absent.err, Catch::Contains("'twin:7' is not available"));
  const Finished unknown = run_twin({"eval", "vector_scale", "00_naive", "--device", "hip", "--no-record"});
  CHECK(unknown.status == 2);
  CHECK_THAT(unknown.err, Catch::Contains("(auto, cpu, cuda:N, twin:N)"));
}

TEST_CASE("on a GPU of which there is a model searches are told what counting predicts, and a replay tells the same") {
  if (is_nightly()) return;
  const Scratch scratch;
  const auto run = [&](std::vector<std::string> words, const std::string& store) {
    words.insert(words.begin(), HARNESS_TWIN);
    words.insert(words.end(), {"--db", scratch.path(store)});
    return run_program(words, HARNESS_SOURCE_DIR,
                       {"HARNESS_TWIN_NAME=Twin of an H200", "HARNESS_CACHE=" + build_cache()});
  };
  const std::vector<std::string> campaign{"run",        "vector_scale",  "--device",  "twin",
                                          "--workload", "odd_n1003_f32", "--variant", "10_vector",
                                          "--budget",   "10m",           "--json"};
  // Nothing waits for predictions: on a busy machine the small campaign may end first. Then it is begun again in
  // another store, with more in the cache.
  json found = json::array();
  std::string store;
  for (int i = 0; i < 4 && found.empty(); ++i) {
    store = "store" + std::to_string(i) + ".db";
    const Finished ran = run(campaign, store);
    INFO(ran.err);
    REQUIRE(ran.status == 0);
    CHECK_THAT(ran.out, Catch::Contains("predicted for H200 meanwhile"));
    const Finished row = run(
        {"query", "SELECT json_extract(options, '$.predicted') AS predicted FROM campaign", "--format", "json"}, store);
    found = json::parse(json::parse(row.out).at(0).at("predicted").get<std::string>());
  }
  INFO(found);
  // What the author expects most of is counted first, and told as soon as it is there.
  std::size_t told = 0;
  for (const json& part : found) {
    CHECK(part.at("gpu") == "H200");
    const json& points = part.at("points");
    told += points.size();
    for (std::size_t i = 1; i < points.size(); ++i) CHECK(points[i - 1].at("ns") <= points[i].at("ns"));
  }
  REQUIRE(told >= 4);
  const Finished replayed = run({"replay", "1", "--json"}, store);
  INFO(replayed.err);
  REQUIRE(replayed.status == 0);
  CHECK(json::parse(replayed.out).at("parting").is_null());
  std::vector<std::string> without = campaign;
  without.insert(without.end(), {"--predict", "off"});
  CHECK_THAT(run(without, "off.db").out, !Catch::Contains("predicted for H200"));
}

TEST_CASE("a profile on a GPU has lines, which the cpu device counts") {
  const auto profile = [](std::vector<std::string> more) {
    std::vector<std::string> words{"profile",    "vector_scale",  "10_vector", "--device", "twin",
                                   "--workload", "odd_n1003_f32", "--alone",   "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Finished finished = run_twin(words);
    INFO(finished.err);
    REQUIRE(finished.status == 0);
    return finished.lines().at(0);
  };
  const json with = profile({});
  CHECK_THAT(with.at("lines_from").get<std::string>(), Catch::Contains("counted on the cpu device"));
  CHECK_FALSE(with.at("launches").at(0).at("lines").empty());
  const json without = profile({"--no-lines"});
  CHECK_FALSE(without.contains("lines_from"));
  CHECK(without.at("launches").at(0).at("lines").empty());
}

TEST_CASE("a third kind of device passes a candidate through all gates, as a GPU does") {
  const Finished finished = run_twin({"eval", "vector_scale", "10_vector", "--device", "twin", "--no-record", "--json",
                                      "--workload", "odd_n1003_f32"});
  INFO(finished.err);
  REQUIRE(finished.lines().size() == 1);
  const json iteration = finished.lines()[0];
  INFO(iteration.dump(1));
  CHECK(iteration["outcome"] == "passed");
  CHECK(iteration["emulation"] == false);
  CHECK(iteration["samples"]["method"] == "twin");
  // On the cpu device, which is another one.
  CHECK_THAT(gate_of(iteration, "preflight")["detail"].get<std::string>(), Catch::Contains("right and clean"));
  CHECK(gate_of(iteration, "timed-launch:rotating")["passed"] == true);  // on values that the device drew
  CHECK_THAT(gate_of(iteration, "timed-launch:rotating")["detail"].get<std::string>(), Catch::Contains("values 100"));
  CHECK(gate_of(iteration, "timed-twice")["passed"].is_null());
  CHECK(gate_of(iteration, "memory:twin-checked")["passed"].is_null());  // it has no memory checker
}

TEST_CASE("manifests may name a third kind of device, and no other") {
  const Scratch scratch;
  const auto kernel = [&](const std::string& device) {
    std::filesystem::remove_all(scratch.path("kernels"));
    const std::string source = std::string(HARNESS_SOURCE_DIR) + "/tests/fixtures/faulty/faulty";
    std::filesystem::create_directories(scratch.path("kernels"));
    std::filesystem::copy(source, scratch.path("kernels/faulty"), std::filesystem::copy_options::recursive);
    const std::string manifest = scratch.path("kernels/faulty/variants/00_good.lua");
    std::ifstream file(manifest);
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    std::ofstream(manifest) << std::regex_replace(text, std::regex("return variant \\{"),
                                                  "return variant { requires = { device = \"" + device + "\" },");
    return run_twin({"variants", "faulty", "--kernels", scratch.path("kernels")});
  };
  CHECK(kernel("twin").status == 0);
  const Finished refused = kernel("hip");
  CHECK(refused.status == 2);
  CHECK_THAT(refused.err, Catch::Contains("has device = 'hip'; devices are cpu, cuda and twin"));
}

// The words alone, as text in code. What a strategy is tried on when it is loaded (library_trial.cpp) is a made-up
// campaign, whose device has to be called something.
TEST_CASE("no room but a device's own decides by the name of a kind of device") {
  namespace fs = std::filesystem;
  const std::regex names(R"re("(cpu|cuda:?)")re");
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(HARNESS_SOURCE_DIR) / "harness")) {
    const std::string path = entry.path().string();
    if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
    if (path.find("/harness/device/") != std::string::npos || path.ends_with("library_trial.cpp")) continue;
    if (path.find("/harness/adopt/") != std::string::npos) continue;  // it writes manifests, and reads the language
    if (path.find("flashinfer") != std::string::npos) continue;       // "cuda" is a language of its solutions
    if (path.ends_with("reply_text.cpp")) continue;                   // and of fences in a model's reply
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      const std::string code = line.substr(0, line.find("//"));
      if (std::regex_search(code, names)) FAIL_CHECK(path << " names a kind of device: " << line);
    }
  }
}

// A third kind of device has other warps, registers and names of architectures: such facts stand in gpus/*.lua, or a
// kind's probe says them in its DeviceInfo.
TEST_CASE("no room but a device's own has the numbers and names of one kind of GPU in its code") {
  namespace fs = std::filesystem;
  const std::map<std::string, std::string> allowed{
      {"predict/predicted_time.h", "a sector is the unit in which accesses are counted"},
      {"core/gpu.cpp", "what holds for a GPU without facts"},
      {"judge/random_words.h", "random words are made so many at a time"},
      {"store/read_only_sql.cpp", "megabytes that SQLite may take"},
      {"simulate/recorded_space.cpp", "values that 16 bits hold"},
      {"worker/processes/loaded_process.cpp", "pages of memory"},
      {"system/pipe.cpp", "bytes of a buffer"},
      {"fleet/mailbox.cpp", "bytes of a buffer"},
      {"fleet/transport.cpp", "bytes of a buffer"},
      {"script/space/blame.cpp", "values of a parameter that are worth trying"},
      {"script/strategy/library_trial.cpp", "a made-up campaign that scripts are tried on"},
      {"cli/profile.cpp", "how many blocks may be counted"},
      {"shipping/package_rebuild.cpp", "packages are written for nvcc, which takes such names"},
      {"package/origin.cpp", "packages are written for nvcc, which takes such names"}};
  const std::regex facts(
      R"re(\b(65536|0x10000)\b|"sm_[0-9"]|[/%*] ?32\b|\b32 ?[*/%]|([wW]arp|[lL]ane|[sS]ector)\w* ?=? ?[({]?32\b)re");
  const std::string root = std::string(HARNESS_SOURCE_DIR) + "/harness/";
  std::set<std::string> seen;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const std::string path = entry.path().string().substr(root.size());
    if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
    if (path.starts_with("device/") || path.starts_with("capture/injected/")) continue;
    if (path.starts_with("adopt")) continue;  // it reads the language, and its kernels' sizes are numbers, too
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      const std::string code = line.substr(0, line.find("//"));
      if (!std::regex_search(code, facts)) continue;
      seen.insert(path);
      if (!allowed.contains(path)) FAIL_CHECK(path << " has a fact of one kind of GPU: " << line);
    }
  }
  for (const auto& [path, why] : allowed) {
    INFO(path << " is allowed and need not be: " << why);
    CHECK(seen.contains(path));
  }
}
