#include <sys/inotify.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "harness/system/descriptor.h"
#include "tests/problem/pytorch.h"
#include "tests/support/program.h"
#include "tests/support/turns.h"

// Starting PyTorch takes seconds: how often an evaluation does it.
using namespace harness;
using namespace harness::tests;

namespace {

/// Folders made in a folder whose names begin like this, since the first call.
class Made {
 public:
  explicit Made(const std::string& folder) : watch_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    REQUIRE(inotify_add_watch(watch_.get(), folder.c_str(), IN_CREATE | IN_ONLYDIR) >= 0);
  }
  int with(const std::string& begin) {
    int count = 0;
    alignas(inotify_event) char events[1 << 16];
    for (ssize_t bytes; (bytes = read(watch_.get(), events, sizeof events)) > 0;)
      for (const char* at = events; at < events + bytes;) {
        inotify_event event;
        std::memcpy(&event, at, sizeof event);
        count += static_cast<int>(std::string(at + sizeof event).starts_with(begin));
        at += sizeof event + event.len;
      }
    return count;
  }

 private:
  Descriptor watch_;
};

}  // namespace

TEST_CASE("an evaluation of PyTorch starts it twice: one process calls it, one says what is right") {
  if (!has_pytorch() || is_nightly()) return;
  const Scratch scratch;
  const std::string project = scratch.path("mine");
  scratch.write("tmp/keep", "");
  const std::vector<std::string> environment{"TMPDIR=" + scratch.path("tmp"), "HARNESS_CACHE=" + build_cache()};
  const auto run = [&](std::vector<std::string> words, const std::string& folder) {
    words.insert(words.begin(), HARNESS_BINARY);
    const Finished finished = run_program(words, folder, environment);
    INFO(finished.out << finished.err);
    CHECK(finished.status != 2);
  };
  run({"init", "mine"}, scratch.path(""));
  run({"new", "kernel", "soft", "--from", std::string(HARNESS_SOURCE_DIR) + "/examples/problems/row_softmax.py"},
      project);
  Made made(scratch.path("tmp"));
  run({"eval", "soft", "00_eager", "--device", "cpu", "--json"}, project);
  CHECK(made.with("harness-python") == 2);
}
