#define CATCH_CONFIG_RUNNER
#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

// Besides Catch's own report, writes "passed failed skipped" test cases to $HARNESS_TEST_COUNTS, so that the set-up
// script can close with one count over all programs. A test case that called skip() (skip.h) is counted apart.
// In CI ($HARNESS_TEST_CI is set) a program whose room has $HARNESS_TEST_SLICE=N takes every N-th of its cases, the
// same ones in every run, and counts the others as skipped. To $HARNESS_TEST_COSTS it appends a line a test case:
// processor seconds, those of waited-for children among them, seconds, and its name.
namespace {

double processor_seconds() {
  double seconds = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    getrusage(who, &used);
    for (const timeval& time : {used.ru_utime, used.ru_stime})
      seconds += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  }
  return seconds;
}

struct Counts {
  int passed = 0, failed = 0;
} counts;

class Counter : public Catch::TestEventListenerBase {
 public:
  using TestEventListenerBase::TestEventListenerBase;
  void testCaseStarting(const Catch::TestCaseInfo&) override {
    began_ = std::chrono::steady_clock::now();
    processor_began_ = processor_seconds();
  }
  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    if (const char* path = std::getenv("HARNESS_TEST_COSTS")) {
      std::filesystem::create_directories(std::filesystem::absolute(path).parent_path());
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began_;
      std::ofstream(path, std::ios::app) << processor_seconds() - processor_began_ << ' ' << took.count() << ' '
                                         << stats.testInfo.name << '\n';
    }
    if (stats.totals.assertions.failed > 0) ++counts.failed;
    else ++counts.passed;
  }

 private:
  std::chrono::steady_clock::time_point began_;
  double processor_began_ = 0;
};

}  // namespace

CATCH_REGISTER_LISTENER(Counter)

namespace harness::tests {
int& skipped() {
  static int count = 0;
  return count;
}
}  // namespace harness::tests

namespace {

/// As Catch's filter takes a name literally.
std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) {
    if (c == '\\' || c == '"' || c == ',') text += '\\';
    text += c;
  }
  return text + '"';
}

/// The cases of the slice, as one filter; "" where all are taken.
std::string slice(Catch::Session& session) {
  const char* const of_text = std::getenv("HARNESS_TEST_SLICE");
  if (of_text == nullptr || std::getenv("HARNESS_TEST_CI") == nullptr || std::getenv("HARNESS_TEST_ALL") != nullptr)
    return "";
  if (!session.configData().testsOrTags.empty()) return "";  // somebody asked for certain ones
  const std::size_t of = std::stoul(of_text);
  std::string filter;
  std::size_t index = 0;
  for (const Catch::TestCase& test : Catch::getAllTestCasesSorted(session.config())) {
    if (test.isHidden()) continue;
    if (index++ % of == 0) filter += (filter.empty() ? "" : ",") + quoted(test.name);
    else ++harness::tests::skipped(), ++counts.passed;
  }
  return filter;
}

}  // namespace

int main(int argc, char** argv) {
  Catch::Session session;
  if (const int wrong = session.applyCommandLine(argc, argv)) return wrong;
  if (const std::string filter = slice(session); !filter.empty()) {
    Catch::ConfigData configuration = session.configData();
    configuration.testsOrTags = {filter};
    session.useConfigData(configuration);
  }
  const int status = session.run();
  if (const char* path = std::getenv("HARNESS_TEST_COUNTS")) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << counts.passed - harness::tests::skipped() << ' ' << counts.failed << ' '
                        << harness::tests::skipped() << '\n';
  }
  return status;
}
