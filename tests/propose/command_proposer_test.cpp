#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/propose/spec.h"
#include "harness/system/files.h"
#include "harness/system/temporary_folder.h"

// Programs that propose: what they are given, and what becomes of those that misbehave.
using namespace harness;
using End = ProposerAnswer::End;

namespace {

const std::map<std::string, std::string> kVariables{{"PATH", "/usr/bin:/bin"}, {"MY_KEY", "sk-very-secret"}};

ProposerSetup setup(std::vector<std::string> variables = {}) {
  return {std::move(variables),
          [](const std::string& name) {
            return kVariables.contains(name) ? std::optional(kVariables.at(name)) : std::nullopt;
          },
          {}};
}

ProposerAnswer answer(const std::string& script, double deadline_s = 30, std::vector<std::string> variables = {}) {
  const auto proposer = make_proposer("command:sh -c '" + script + "'", setup(std::move(variables)));
  ProposalRecord record;
  record.request = "{\"id\":\"1-1\"}";
  proposer->begin(record, deadline_s);
  const auto taken = proposer->take(60, {});
  REQUIRE(taken);
  return *taken;
}

}  // namespace

TEST_CASE("The request is its standard input, the reply its standard output, and standard error its log") {
  const ProposerAnswer taken = answer("cat; echo said >&2");
  CHECK(taken.end == End::answered);
  CHECK(taken.text == "{\"id\":\"1-1\"}\n");
  CHECK(taken.log == "said\n");
}

TEST_CASE("It gets the variables that are named and a few usual ones, and a secret that it writes is struck out") {
  setenv("HARNESS_NOT_ITS_BUSINESS", "1", 1);
  const ProposerAnswer taken = answer("env; echo $MY_KEY >&2", 30, {"MY_KEY"});
  CHECK(taken.text.find("HARNESS_NOT_ITS_BUSINESS") == std::string::npos);
  CHECK(taken.text.find("MY_KEY=[removed]") != std::string::npos);
  CHECK(taken.log == "[removed]\n");
}

TEST_CASE("A program that does not end is killed at its deadline, with what it started") {
  const ProposerAnswer taken = answer("sleep 100 & sleep 100", 0.1);
  CHECK(taken.end == End::timed_out);
  CHECK_THAT(taken.why, Catch::Contains("no reply within"));
}

TEST_CASE("A program that dies or fails says how, with the last line of its log") {
  CHECK_THAT(answer("kill -SEGV $$").why, Catch::Contains("signal 11"));
  const ProposerAnswer failed = answer("echo first >&2; echo the key is missing >&2; exit 3");
  CHECK(failed.end == End::failed);
  CHECK_THAT(failed.why, Catch::Contains("status 3: the key is missing"));
}

TEST_CASE("A reply without end is cut off") {
  const ProposerAnswer taken = answer("yes");
  CHECK(taken.end == End::too_long);
  CHECK(taken.text.size() <= 64 << 10);
}

TEST_CASE("Nothing waits for it: an answer is there when it is there") {
  const auto proposer = make_proposer("command:sh -c 'sleep 0.2; echo done'", setup());
  proposer->begin({}, 30);
  CHECK(!proposer->take(0, {}));
  CHECK(proposer->take(60, {})->text == "done\n");
  CHECK(!proposer->take(60, {}));  // once
}

TEST_CASE("A SPEC may have a name, which is its proposer's") {
  CHECK(proposer_name("fast=command:sh x=1") == "fast");
  CHECK(unnamed("fast=command:sh x=1") == "command:sh x=1");
  CHECK(proposer_name("command:sh x=1") == "command:sh x=1");
  CHECK(unnamed("command:sh x=1") == "command:sh x=1");
  CHECK(make_proposer("fast=command:sh -c true", setup())->spec() == "fast=command:sh -c true");
}

TEST_CASE("An endpoint whose key is named gets that key alone, and what harness gives to every proposer") {
  const TemporaryFolder folder("endpoint");
  write_file(folder.path("propose-openai"), "#!/bin/sh\necho $@\nenv\n");
  std::filesystem::permissions(folder.path("propose-openai"), std::filesystem::perms::owner_all);
  ProposerSetup given{{"MY_KEY", "HARNESS_TOOLS=[]"},
                      [](const std::string& name) {
                        return name == "PATH" ? std::optional<std::string>("/usr/bin:/bin") : "value of " + name;
                      },
                      {folder.path("")}};
  const auto proposer = make_proposer("a=openai:m@http://h/v1 --key OTHER_KEY --effort low", given);
  ProposalRecord record;
  proposer->begin(record, 30);
  const auto taken = proposer->take(60, {});
  REQUIRE(taken);
  CHECK_THAT(taken->text, Catch::Contains("m http://h/v1 OTHER_KEY --effort low\n"));
  CHECK_THAT(taken->text, Catch::Contains("OTHER_KEY=[removed]") && !Catch::Contains("MY_KEY"));
  CHECK_THAT(taken->text, Catch::Contains("HARNESS_TOOLS=[]"));
  CHECK_THROWS_WITH(make_proposer("openai:m --key", given), Catch::Contains("names no variable"));
}

TEST_CASE("A wrong SPEC is refused with what is wrong") {
  CHECK_THROWS_WITH(make_proposer("python3 x.py", setup()), Catch::Contains("write 'command:PROGRAM ARGS'"));
  CHECK_THROWS_WITH(make_proposer("command:", setup()), Catch::Contains("names no program"));
  CHECK_THROWS_WITH(make_proposer("command:no-such-program", setup()), Catch::Contains("no program 'no-such-program'"));
  CHECK_THROWS_WITH(make_proposer("command:sh 'x", setup()), Catch::Contains("not closed"));
  CHECK_THROWS_WITH(make_proposer("command:sh", setup({"NOT_SET"})), Catch::Contains("'NOT_SET' is not set"));
  CHECK(words_of(" a 'b c' d\"e f\" ") == std::vector<std::string>{"a", "b c", "de f"});
}
