#include <SQLiteCpp/SQLiteCpp.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <thread>

#include "tests/support/program.h"
#include "tests/support/skip.h"
#include "tests/support/turns.h"

// What may happen to the processes, the disk and the store while a campaign runs, tried for real.
using namespace harness;
using namespace harness::tests;

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

void sleep_s(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

bool is_alive(int process) {
  return kill(process, 0) == 0;
}

std::vector<int> children_of(int process) {
  std::vector<int> found;
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator("/proc", gone)) {
    std::ifstream file(entry.path() / "stat");
    std::string line;
    if (!std::getline(file, line)) continue;
    std::istringstream fields(line.substr(std::min(line.size(), line.rfind(')') + 1)));
    std::string state;
    int parent = 0;
    if (fields >> state >> parent && parent == process) found.push_back(std::atoi(entry.path().filename().c_str()));
  }
  return found;
}

std::vector<int> descendants_of(int process) {
  std::vector<int> found = children_of(process);
  for (std::size_t i = 0; i < found.size(); ++i)
    for (const int child : children_of(found[i])) found.push_back(child);
  return found;
}

// "builder", "runner" or "judge".
std::string kind_of_worker(int process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/cmdline");
  std::string word, kind;
  while (std::getline(file, word, '\0')) kind = word;
  return kind;
}

std::int64_t count(const std::string& db, const std::string& what) {
  SQLite::Database database(db, SQLite::OPEN_READONLY, 5000);
  return database.execAndGet("SELECT count(*) FROM " + what).getInt64();
}

std::string integrity(const std::string& db) {
  SQLite::Database database(db, SQLite::OPEN_READONLY, 5000);
  return database.execAndGet("PRAGMA integrity_check").getString();
}

// The faulty fixture with one more variant.
struct FaultyKernel {
  Scratch scratch;

  explicit FaultyKernel(const std::string& source) {
    const fs::path fixture = fs::path(HARNESS_SOURCE_DIR) / "tests/fixtures/faulty/faulty";
    fs::create_directories(scratch.path("kernels/faulty/variants"));
    for (const char* file : {"kernel.lua", "reference.cu", "variants/00_good.lua", "variants/00_good.cu"})
      fs::copy_file(fixture / file, scratch.path("kernels/faulty/") + file);
    fs::copy_file(fixture / "variants/00_good.lua", scratch.path("kernels/faulty/variants/50_new.lua"));
    scratch.write("kernels/faulty/variants/50_new.cu", source);
  }
  json eval() {
    static const Scratch known;  // one store for all, so that the kernel's gates are tried once
    const Finished finished = run_harness({"eval", "faulty", "50_new", "--device", "cpu", "--emulated", "--db",
                                           known.db(), "--json", "--kernels", scratch.path("kernels")});
    INFO(finished.err);
    REQUIRE(finished.lines().size() == 1);
    return finished.lines()[0];
  }
};

std::string body(const std::string& statements, const std::string& before = "") {
  return before +
         "\ntemplate <typename T> __global__ void f(const T* x, T* y, int n) {\n  const int i = blockIdx.x * "
         "blockDim.x + threadIdx.x;\n  if (i < n) y[i] = x[i] + x[i];\n" +
         statements + "\n}\n";
}

}  // namespace

TEST_CASE("a source without the plan's entry is a compile error that names it") {
  const json iteration = FaultyKernel("__global__ void g() {}").eval();
  CHECK(iteration["outcome"] == "compile_error");
  CHECK(iteration["error"]["message"].get<std::string>().find("no kernel 'f<float>'") != std::string::npos);
}

TEST_CASE("a flood of printf costs nobody's memory and no verdict") {
  const json iteration =
      FaultyKernel(body("  for (int k = 0; k < 40 && i < 1024; ++k) printf(\"%500d\\n\", k);")).eval();
  CHECK(iteration["outcome"] == "passed");
  CHECK(json_text(iteration).size() < 100000);
}

TEST_CASE("endless recursion ends the candidate alone") {
  const json iteration =
      FaultyKernel(body("  if (i == 0) y[0] += deep(n);",
                        "__device__ __attribute__((noinline)) int deep(int n) { volatile char pad[4096]; pad[n % 4096] "
                        "= 1; return n < -1 ? 0 : deep(n + 1) + pad[(n + 1) % 4096]; }"))
          .eval();
  CHECK(iteration["outcome"] == "crashed");
}

TEST_CASE("kill -9 of workers at random moments: the campaign goes on and nobody is blamed") {
  const Scratch scratch;
  setenv("HARNESS_CACHE", scratch.path("cache").c_str(), 1);  // so that something is built
  const char* seconds = std::getenv("HARNESS_FAULTS_S");      // longer by hand
  const double campaign_s = seconds != nullptr ? std::atof(seconds) : 8;
  const int process =
      start_harness({"run", "softmax", "vector_scale", "--device", "cpu", "--emulated", "--budget",
                     std::to_string(static_cast<int>(campaign_s)) + "s", "--db", scratch.db(), "--json"},
                    scratch.path("out"));
  std::mt19937 random(static_cast<unsigned>(process));
  const std::vector<std::string> kinds{"builder", "judge", "runner"};
  std::size_t turn = 0;
  std::map<std::string, int> killed;
  const auto begin = Clock::now();
  while (Clock::now() - begin < std::chrono::duration<double>(campaign_s * 0.9)) {
    sleep_s(0.5 + static_cast<double>(random() % 1000) / 1000);
    const std::string kind = kinds[turn++ % kinds.size()];
    for (const int worker : children_of(process)) {
      if (kind_of_worker(worker) != kind || kill(worker, SIGKILL) != 0) continue;
      ++killed[kind];
      break;
    }
  }
  const int status = wait_for(process);
  unsetenv("HARNESS_CACHE");
  std::ifstream out(scratch.path("out")), err(scratch.path("out.err"));
  const std::string told{std::istreambuf_iterator<char>(err), {}};
  std::string line, last;
  int others = 0;
  while (std::getline(out, line)) {
    const json event = parse_json(line);
    last = line;
    if (event["event"] != "iteration") continue;
    const std::string outcome = event["outcome"];
    INFO(line);
    ++others;
    CHECK((outcome == "passed" || outcome == "no_effect" || outcome == "abandoned" || outcome == "screened"));
  }
  INFO(told << "\n" << last);
  WARN("killed " << killed["builder"] << " builders, " << killed["runner"] << " runners, " << killed["judge"]
                 << " judges; " << others << " iterations in order");
  CHECK(status == 0);
  CHECK(others > 0);
  CHECK(integrity(scratch.db()) == "ok");
  CHECK(count(scratch.db(), "attempt WHERE id NOT IN (SELECT attempt FROM iteration)") == 0);
}

TEST_CASE("when the supervisor is killed its workers and their compilers disappear") {
  const Scratch scratch;
  setenv("HARNESS_CACHE", scratch.path("cache").c_str(), 1);
  const int process = start_harness(
      {"run", "softmax", "--device", "cpu", "--emulated", "--budget", "60s", "--db", scratch.db(), "--json"},
      scratch.path("out"));
  unsetenv("HARNESS_CACHE");
  std::vector<int> workers;
  for (int i = 0; i < 400 && workers.size() < 6; ++i) {  // a builder, its compiler, a judge, a runner
    sleep_s(0.01);
    workers = descendants_of(process);
  }
  REQUIRE(workers.size() >= 3);
  kill(process, SIGKILL);
  wait_for(process);
  const auto any_alive = [&] { return std::any_of(workers.begin(), workers.end(), is_alive); };
  for (int i = 0; i < 300 && any_alive(); ++i) sleep_s(0.01);
  CHECK_FALSE(any_alive());
}

TEST_CASE("a full disk under the store ends the campaign with one sentence, and the store is whole") {
  const Scratch scratch;
  scratch.write("full.sh", "set -e\nmount -t tmpfs -o size=600k tmpfs " + scratch.path("disk") +
                               "\nset +e\n" HARNESS_BINARY
                               " run vector_scale --device cpu --emulated --budget 60s --strategy "
                               "exhaustive --search exhaustive --db " +
                               scratch.path("disk/x.db") + " > " + scratch.path("out") + " 2> " + scratch.path("err") +
                               "\necho $? > " + scratch.path("status") + "\ncp " + scratch.path("disk") + "/* " +
                               scratch.path("kept") + "\n");
  fs::create_directories(scratch.path("disk"));
  fs::create_directories(scratch.path("kept"));
  if (std::system(("unshare -rm sh " + scratch.path("full.sh") + " 2>/dev/null").c_str()) != 0 ||
      !fs::exists(scratch.path("status")))
    return skip("no small file system can be mounted here (unshare -rm)");
  const auto text = [&](const std::string& name) {
    std::ifstream file(scratch.path(name));
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string err = text("err");
  INFO(text("out") << err);
  CHECK(text("status") == "3\n");
  CHECK(err.find("is full") != std::string::npos);
  CHECK(err.find("harness: the disk") ==
        err.rfind("harness: "));  // one may have waited for the device before  // told once
  CHECK(integrity(scratch.path("kept/x.db")) == "ok");
}

TEST_CASE("a store that another process has locked is waited for, and not for ever") {
  const Scratch scratch;
  const std::vector<std::string> eval{
      "eval",     "faulty", "00_good",   "--db", scratch.db(), "--kernels", HARNESS_SOURCE_DIR "/tests/fixtures/faulty",
      "--device", "cpu",    "--emulated"};
  REQUIRE(run_harness(eval).status == 0);
  SQLite::Database other(scratch.db(), SQLite::OPEN_READWRITE, 5000);
  other.exec("BEGIN EXCLUSIVE");
  std::thread releases([&] {
    sleep_s(3);
    other.exec("COMMIT");
  });
  const Finished waited = run_harness(eval);
  releases.join();
  INFO(waited.err);
  CHECK(waited.status == 0);
  other.exec("BEGIN EXCLUSIVE");
  const Finished refused = run_harness(eval);
  INFO(refused.err);
  CHECK(refused.status == 3);
  CHECK(refused.err.find("is locked by another process") != std::string::npos);
  CHECK(std::count(refused.err.begin(), refused.err.end(), '\n') == 1);
}

TEST_CASE("kill -9 of everything at random moments loses no row, blames nobody, and the costs say what it took") {
  if (is_nightly()) return;  // what it took is held against the clock, which a busy machine bends
  const char* kills = std::getenv("HARNESS_KILLS");  // 1000 by hand
  const Finished finished =
      run_program({HARNESS_SOURCE_DIR "/bench/kills.py", "--harness", HARNESS_BINARY, "--kills",
                   kills != nullptr ? kills : "12", "--pause", "0.7", "--seed", "7", "vector_scale"},
                  HARNESS_SOURCE_DIR);
  INFO(finished.out << finished.err);
  CHECK(finished.status == 0);
}

TEST_CASE("what a machine does not give is said in one sentence, with status 3") {
  const Scratch scratch;
  const auto run = [&](const std::string& limit, const std::string& db) {
    return run_program(
        {"/bin/bash", "-c",
         limit + "; exec " HARNESS_BINARY " run vector_scale --device cpu --emulated --budget 2s --quiet --db " +
             scratch.path(db)},
        HARNESS_SOURCE_DIR);
  };
  const auto [limit, said] = GENERATE(table<std::string, std::string>({
      {"ulimit -n 20", "ulimit -n"},
      {"ulimit -f 4", "disk"},
      {"ulimit -v 100000", "this machine"},
      {"export HARNESS_CACHE=/proc/none", "HARNESS_CACHE"},
  }));
  const Finished finished = run(limit, "x.db");
  INFO(limit << "\n" << finished.err);
  CHECK(finished.status == 3);
  CHECK(finished.err.find("harness: ") == finished.err.rfind("harness: "));
  CHECK(finished.err.find(said) != std::string::npos);
}

TEST_CASE("a pipe in the place of a file is refused and not waited for") {
  const Scratch scratch;
  const Finished made = run_program({"/usr/bin/mkfifo", scratch.path("pipe")}, "/");
  REQUIRE(made.status == 0);
  const Finished store = run_harness({"history", "--db", scratch.path("pipe")});
  CHECK(store.status == 2);
  CHECK(store.err.find("no plain file") != std::string::npos);
  FaultyKernel kernel("#include \"more.cuh\"\n" + body(""));
  REQUIRE(run_program({"/usr/bin/mkfifo", kernel.scratch.path("kernels/faulty/variants/more.cuh")}, "/").status == 0);
  const Finished included = run_harness({"eval", "faulty", "50_new", "--device", "cpu", "--emulated", "--no-record",
                                         "--kernels", kernel.scratch.path("kernels")});
  CHECK(included.status == 2);
  CHECK(included.err.find("no plain file") != std::string::npos);
}
