#include "harness/worker/memory/watched_check.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>

#include "harness/device/cuda/memory/compute_sanitizer.h"
#include "tests/support/program.h"

// With a script in place of compute-sanitizer: how it is called, watched and believed.
using namespace harness;

namespace {

class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    const char* before = getenv(name);
    before_ = before ? before : "";
    setenv(name, value.c_str(), 1);
  }
  ~Environment() { setenv(name_, before_.c_str(), 1); }

 private:
  const char* name_;
  std::string before_;
};

struct FakeSanitizer {
  tests::Scratch scratch;
  Environment path{"PATH", scratch.path("bin") + ":" + getenv("PATH")};
  SharedMemory image{4096};
  Executable executable;

  /// The script knows $tool, $log and $job, the folder; `body` writes what a tool would.
  explicit FakeSanitizer(const std::string& body) {
    executable.layout.bytes = 4096;
    scratch.write(
        "bin/compute-sanitizer",
        "#!/bin/sh\nwhile [ $# -gt 2 ]; do\n  case $1 in --tool) tool=$2;; --log-file) log=$2;; esac\n  shift\n"
        "done\njob=$1\n" +
            body);
    chmod(scratch.path("bin/compute-sanitizer").c_str(), 0755);
  }
  std::vector<MemoryCheck> check(double deadline_s, const std::function<bool()>& stop = {}) {
    return check_memory_watched(cuda::ComputeSanitizer(), cuda::ComputeSanitizer().tools(),
                                {"cuda:0", "sm_90a", scratch.path("cache")}, executable, image, deadline_s, stop);
  }
};

constexpr const char* kFinish = "echo '{}' > $job/$tool.end\n";

}  // namespace

TEST_CASE("every tool of compute-sanitizer is run once on the job, and what it finds is told") {
  FakeSanitizer fake(std::string(kFinish) + R"(
test -s $job/job.json || exit 3
test $(wc -c < $job/image) = 4096 || exit 4
if [ $tool = memcheck ]; then
  echo '[{"name":"y","address":256,"bytes":16,"element_bytes":4}]' > $job/$tool.buffers
  printf '========= Invalid __global__ write of size 4 bytes\n=========     at k(int *)+0x10 in k.cu:1\n=========     Access at 0x110 is out of bounds\n' > $log
  echo '========= ERROR SUMMARY: 1 error' >> $log
  exit 86
fi
echo '========= ERROR SUMMARY: 0 errors' > $log
)");
  const auto checks = fake.check(60);
  REQUIRE(checks.size() == 4);
  CHECK(checks[0].tool == "memcheck");
  CHECK(checks[0].checked);
  REQUIRE(checks[0].findings.size() == 1);
  CHECK_THAT(checks[0].findings[0].message, Catch::Contains("0 bytes behind the end of 'y' of 16 bytes"));
  for (std::size_t i = 1; i < 4; ++i) {
    CAPTURE(checks[i].tool, checks[i].why);
    CHECK(checks[i].checked);
    CHECK(checks[i].findings.empty());
  }
}

TEST_CASE("a tool that does not work is not taken for one that found nothing") {
  FakeSanitizer silent("exit 0\n");
  for (const MemoryCheck& check : silent.check(60)) {
    CHECK_FALSE(check.checked);
    CHECK_THAT(check.why, Catch::Contains("did not finish its check"));
  }
  FakeSanitizer troubled(
      "echo '{\"trouble\":\"there is no cuda:0\"}' > $job/$tool.end\n"
      "echo '========= ERROR SUMMARY: 0 errors' > $log\nexit 1\n");
  CHECK_FALSE(troubled.check(60)[0].checked);
  CHECK_THAT(troubled.check(60)[0].why, Catch::Contains("there is no cuda:0"));
  FakeSanitizer unknown(std::string(kFinish) + "echo '========= ERROR SUMMARY: 2 errors' > $log\nexit 86\n");
  CHECK(unknown.check(60)[0].findings.size() == 1);
}

TEST_CASE("the deadline holds for all tools together, and an interrupt ends them") {
  FakeSanitizer slow("sleep 60\n");
  const auto start = std::chrono::steady_clock::now();
  const auto checks = slow.check(0.3);
  CHECK_FALSE(checks[0].checked);
  CHECK_THAT(checks[0].why, Catch::Contains("did not end within 0.3 s"));
  CHECK_THAT(checks[3].why, Catch::Contains("did not end within 0.3 s"));
  CHECK_THAT(slow.check(60, [] { return true; })[0].why, Catch::Contains("interrupted"));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(15));
}

TEST_CASE("a machine without compute-sanitizer says so") {
  const Environment nowhere("PATH", "/nonexistent");
  const Environment home("CUDA_HOME", ""), path("CUDA_PATH", "");
  if (!cuda::ComputeSanitizer().find_program().empty()) return;  // it is in the toolkit's bin folder
  const auto checks = check_memory_watched(cuda::ComputeSanitizer(), cuda::ComputeSanitizer().tools(), {}, {},
                                           SharedMemory(4096), 1, {});
  REQUIRE(checks.size() == 4);
  for (const MemoryCheck& check : checks) {
    CHECK_FALSE(check.checked);
    CHECK(check.why == "compute-sanitizer was not found in PATH or the toolkit's bin folder");
  }
}
