#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <iterator>

#include "tests/support/program.h"

// What a machine without walls does: the program runs below a filter that knows neither Landlock nor namespaces, as in
// many containers.
using namespace harness;
using namespace harness::tests;

namespace {

void forbid_walls() {
  constexpr unsigned kFails = SECCOMP_RET_ERRNO | ENOSYS;
  constexpr unsigned kLandlock = 444;
  sock_filter filter[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                          BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kLandlock, 1, 0),
                          BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 0, 1), BPF_STMT(BPF_RET | BPF_K, kFails),
                          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program{std::size(filter), filter};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

struct Ended {
  int status = 0;
  std::string out, err;
};

Ended run_without_walls(const Scratch& scratch, std::vector<std::string> words) {
  words.insert(words.begin(), HARNESS_BINARY);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::string out = scratch.path("out"), err = scratch.path("err");
  const pid_t child = fork();
  if (child == 0) {
    if (freopen(out.c_str(), "w", stdout) == nullptr || freopen(err.c_str(), "w", stderr) == nullptr) _exit(99);
    forbid_walls();
    execv(argv[0], argv.data());
    _exit(98);
  }
  Ended ended{wait_for(child), "", ""};
  const auto text = [](const std::string& path) {
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  ended.out = text(out);
  ended.err = text(err);
  return ended;
}

const std::vector<std::string> kEval{"eval",
                                     "faulty",
                                     "00_good",
                                     "--no-record",
                                     "--json",
                                     "--kernels",
                                     HARNESS_SOURCE_DIR "/tests/fixtures/faulty",
                                     "--device",
                                     "cpu",
                                     "--emulated"};

}  // namespace

TEST_CASE("where a machine has no walls, untrusted source is refused with a sentence") {
  const Scratch scratch;
  const Ended refused = run_without_walls(scratch, kEval);
  INFO(refused.err);
  CHECK(refused.status == 3);
  CHECK(refused.err.find("neither Landlock nor namespaces") != std::string::npos);
  CHECK(refused.err.find("--trust-source") != std::string::npos);
  CHECK(refused.out.empty());
  CHECK(std::count(refused.err.begin(), refused.err.end(), '\n') == 1);  // one process says it, once
}

TEST_CASE("--trust-source runs it there, and the record says so") {
  const Scratch scratch;
  std::vector<std::string> words = kEval;
  words.push_back("--trust-source");
  const Ended ended = run_without_walls(scratch, words);
  INFO(ended.err << ended.out);
  REQUIRE(ended.status == 0);
  const json gates = parse_json(ended.out)["gates"];
  CHECK(gates[0]["name"] == "confinement");
  CHECK(gates[0]["detail"].get<std::string>().find("--trust-source") != std::string::npos);
  const Finished confined = run_harness(kEval);
  for (const json& gate : confined.lines()[0]["gates"]) CHECK(gate["name"] != "confinement");
}
