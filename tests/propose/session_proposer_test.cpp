#include <catch2/catch.hpp>

#include "harness/propose/spec.h"
#include "tests/support/program.h"

// A program that stays for all requests of a campaign.
using namespace harness;
using namespace harness::tests;
using End = ProposerAnswer::End;

namespace {

struct StayingProgram {
  explicit StayingProgram(const std::string& script) {
    scratch.write("program.py", "import json, sys, time, os\n" + script);
    const auto variable = [](const std::string& name) {
      return name == "PATH" ? std::optional<std::string>("/usr/bin:/bin") : std::nullopt;
    };
    proposer = make_proposer("session:python3 " + scratch.path("program.py"), {{}, variable, {}});
  }
  void ask(std::int64_t number, double deadline_s = 30) {
    ProposalRecord record;
    record.number = number;
    record.request = json{{"id", "1-" + std::to_string(number)}}.dump();
    proposer->begin(record, deadline_s);
  }
  ProposerAnswer answer() {
    const auto taken = proposer->take(30, {});
    REQUIRE(taken);
    return *taken;
  }
  Scratch scratch;
  std::unique_ptr<Proposer> proposer;
};

}  // namespace

TEST_CASE("a program that stays remembers, and is told all requests on one input") {
  StayingProgram program(
      "seen = 0\nfor line in sys.stdin:\n  seen += 1\n  print('log', seen, file=sys.stderr, flush=True)\n"
      "  print(json.dumps({'id': json.loads(line)['id'], 'source': str(seen), 'pid': os.getpid()}), flush=True)\n");
  program.ask(1);
  const ProposerAnswer first = program.answer();
  CHECK(first.end == End::answered);
  CHECK(first.number == 1);
  program.ask(2);
  const ProposerAnswer second = program.answer();
  CHECK(json::parse(second.text)["source"] == "2");
  CHECK(json::parse(second.text)["pid"] == json::parse(first.text)["pid"]);
  CHECK(second.log == "log 2\n");
  CHECK(!program.proposer->take(0, {}));
}

TEST_CASE("its replies may come in any order, and one that is late answers nothing") {
  StayingProgram program(
      "lines = [sys.stdin.readline() for _ in range(3)]\nfor line in reversed(lines):\n"
      "  print(json.dumps({'id': json.loads(line)['id']}), flush=True)\ntime.sleep(60)\n");
  program.ask(1, 0.05);
  CHECK(program.answer().end == End::timed_out);
  program.ask(2);
  program.ask(3);
  CHECK(program.answer().number == 3);
  CHECK(program.answer().number == 2);
  CHECK(!program.proposer->take(0.1, {}));
}

TEST_CASE("a program that ends fails what was asked of it, and the next request starts it anew") {
  StayingProgram program("line = sys.stdin.readline()\nsys.exit(3)\n");
  for (int time = 0; time < 2; ++time) {
    program.ask(time);
    const ProposerAnswer failed = program.answer();
    CHECK(failed.end == End::failed);
    CHECK(failed.why == "the program ended with status 3");
  }
  StayingProgram deaf("time.sleep(60)\n");
  ProposalRecord large;
  large.request = std::string(4 << 20, 'x');
  deaf.proposer->begin(large, 0.2);  // what reads nothing holds nobody up
  CHECK(deaf.answer().end == End::timed_out);
  deaf.proposer->cancel();
  CHECK(!deaf.proposer->take(0, {}));
}
