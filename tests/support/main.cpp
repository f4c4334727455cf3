#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

// Besides Catch's own report, writes "passed failed skipped" test cases to $HARNESS_TEST_COUNTS, so that the set-up
// script can close with one count over all programs. A test case that called skip() (skip.h) is counted apart.
namespace {

struct Counts {
  int passed = 0, failed = 0;
} counts;

class Counter : public Catch::TestEventListenerBase {
 public:
  using TestEventListenerBase::TestEventListenerBase;
  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    if (stats.totals.assertions.failed > 0) ++counts.failed;
    else ++counts.passed;
  }
};

}  // namespace

CATCH_REGISTER_LISTENER(Counter)

namespace harness::tests {
int& skipped() {
  static int count = 0;
  return count;
}
}  // namespace harness::tests

int main(int argc, char** argv) {
  const int status = Catch::Session().run(argc, argv);
  if (const char* path = std::getenv("HARNESS_TEST_COUNTS")) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << counts.passed - harness::tests::skipped() << ' ' << counts.failed << ' '
                        << harness::tests::skipped() << '\n';
  }
  return status;
}
