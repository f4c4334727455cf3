#include "harness/worker/processes/builders.h"

#include <fmt/format.h>
#include <signal.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "tests/support/program.h"

// Builders with their real processes.
using namespace harness;
using namespace harness::tests;

namespace {

using Clock = std::chrono::steady_clock;

struct Shop {
  Scratch scratch;
  Builders builders;

  explicit Shop(int processes, CompileLimits limits = {}) : builders(target(scratch, limits), processes) {}

  static Target target(const Scratch& scratch, CompileLimits limits) {
    Process::set_program(HARNESS_BINARY);
    Target target;
    target.device = "cpu";
    target.architecture = "x86-64";
    target.cache_folder = scratch.path("cache");
    target.headers = HARNESS_SOURCE_DIR "/harness/device/cpu/guest";
    target.native = true;
    target.compile = limits;
    return target;
  }
  Builders::Result submit(const std::string& source, bool demanded = true) {
    BuildSpec spec;
    spec.source_name = "x.cu";
    spec.source = fmt::format("{}\n__global__ void k(int* p) {{ *p = 1; }}", source);
    spec.entries.push_back("k");
    return builders.submit(spec, demanded);
  }
};

// Child processes of this one, by /proc.
std::vector<pid_t> children() {
  std::ifstream list("/proc/self/task/" + std::to_string(getpid()) + "/children");
  std::vector<pid_t> found;
  for (pid_t child; list >> child;) found.push_back(child);
  // Those that other threads forked.
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream more(task.path() / "children");
    for (pid_t child; more >> child;)
      if (std::find(found.begin(), found.end(), child) == found.end()) found.push_back(child);
  }
  return found;
}

constexpr const char* kBomb =
    "constexpr int f(int n) { int s = 0; for (int i = 0; i < 1000; ++i) s += n ? i : 1; return s; }"
    "\ntemplate <int N, int M> struct B { static constexpr int v = B<N - 1, 2 * M>::v + B<N - 1, 2 * M "
    "+ 1>::v + f(N); };\ntemplate <int M> struct B<0, M> { static constexpr int v = 1; };\n"
    "constexpr int x = B<26, 0>::v;";

}  // namespace

TEST_CASE("a build that takes too long is its own failure; the builder and the other builds go on") {
  Shop shop(2, {4, 4ll << 30});
  const auto bomb = shop.submit(kBomb), good = shop.submit("");
  CHECK(std::holds_alternative<Artifact>(good.get()));
  const auto* failure = std::get_if<CompileFailure>(&bomb.get());
  REQUIRE(failure != nullptr);
  CHECK(failure->log.find("x.cu: error: the compiler gave up after 4 s") != std::string::npos);
  CHECK(failure->compile_s >= 4);
  CHECK(std::holds_alternative<Artifact>(shop.submit("// next").get()));
  CHECK_FALSE(shop.builders.confinement().empty());
}

TEST_CASE(
    "a builder that is killed is replaced, and its source is not blamed; several in a row are the machine's doing") {
  Shop shop(1, {20, 4ll << 30});
  CHECK(std::holds_alternative<Artifact>(shop.submit("// first").get()));
  REQUIRE(children().size() == 1);
  kill(children()[0], SIGKILL);  // while it waits
  CHECK(std::holds_alternative<Artifact>(shop.submit("// second").get()));
  const auto slow = shop.submit(kBomb);
  for (int killed = 0; killed < kWorkerTries; ++killed) {
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    for (const pid_t child : children()) kill(child, SIGKILL);
  }
  CHECK_THROWS_AS(slow.get(), Error);
  CHECK(std::holds_alternative<Artifact>(shop.submit("// third").get()));
}

TEST_CASE("a worker knows nothing of its parent's environment but where tools are") {
  setenv("HARNESS_TEST_TOKEN", "swordfish", 1);
  Shop shop(1);
  CHECK(std::holds_alternative<Artifact>(shop.submit("").get()));
  unsetenv("HARNESS_TEST_TOKEN");
  REQUIRE(children().size() == 1);
  std::ifstream file("/proc/" + std::to_string(children()[0]) + "/environ", std::ios::binary);
  const std::string environment{std::istreambuf_iterator<char>(file), {}};
  CHECK(environment.find("PATH=") != std::string::npos);
  CHECK(environment.find("swordfish") == std::string::npos);
}

TEST_CASE("while speculation is paused only demanded builds are begun") {
  Shop shop(1);
  Builders::Result ahead;
  {
    const auto pause = shop.builders.pause_speculative(0.1);
    ahead = shop.submit("// ahead", false);
    CHECK(std::holds_alternative<Artifact>(shop.submit("// wanted").get()));
    CHECK(ahead.wait_for(std::chrono::milliseconds(300)) == std::future_status::timeout);
    shop.submit("// ahead", true);  // now it is wanted
    CHECK(std::holds_alternative<Artifact>(ahead.get()));
    ahead = shop.submit("// later", false);
  }
  CHECK(std::holds_alternative<Artifact>(ahead.get()));
}

TEST_CASE("a demanded build finds a free process among speculative ones that last") {
  Shop shop(4, {60, 4ll << 30});
  std::vector<Builders::Result> lasting;
  for (int i = 0; i < 4; ++i) lasting.push_back(shop.submit(fmt::format("// {}\n{}", i, kBomb), false));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // as many as may are under way
  CHECK(std::holds_alternative<Artifact>(shop.submit("// wanted").get()));
  for (const Builders::Result& each : lasting)
    CHECK(each.wait_for(std::chrono::seconds(0)) == std::future_status::timeout);
}
