#include <catch2/catch.hpp>

#include "harness/core/json.h"
#include "harness/propose/spec.h"
#include "tests/support/program.h"

// propose-openai against an endpoint on loopback that behaves in each way that endpoints do.
using namespace harness;
using harness::tests::Scratch;

namespace {

const std::string kRoot = HARNESS_SOURCE_DIR;

ProposerAnswer from_endpoint(const std::string& behaviours, double deadline_s = 30, std::size_t request_bytes = 1000) {
  const auto variable = [](const std::string& name) -> std::optional<std::string> {
    if (name == "PATH") return "/usr/bin:/bin";
    if (name == "MY_KEY") return "sk-very-secret";
    return std::nullopt;
  };
  const auto proposer = make_proposer("command:python3 " + kRoot + "/tests/proposers/endpoint.py " + behaviours +
                                          " -- python3 " + kRoot + "/proposers/propose-openai model URL MY_KEY",
                                      {{"MY_KEY"}, variable, {}});
  ProposalRecord record;
  record.request = std::string(request_bytes, 'x');
  proposer->begin(record, deadline_s);
  const auto answer = proposer->take(60, {});
  REQUIRE(answer);
  return *answer;
}

}  // namespace

TEST_CASE("an endpoint's answer is taken whole or as a stream, after rate limits and errors, with its usage") {
  for (const char* behaviours : {"whole", "streams", "breaks_off limits fails streams"}) {
    const ProposerAnswer answer = from_endpoint(behaviours);
    INFO(behaviours << answer.why << answer.log);
    REQUIRE(answer.end == ProposerAnswer::End::answered);
    const json reply = json::parse(answer.text);
    CHECK(json::parse(reply["text"].get<std::string>())["source"] == "x");
    CHECK(reply["usage"] == json::parse(R"({"model":"stub-1","tokens_in":500,"tokens_out":20,"tokens_cached":400})"));
  }
}

TEST_CASE("openai:MODEL@URL asks that endpoint") {
  const auto variable = [](const std::string& name) {
    return name == "PATH" ? std::optional<std::string>("/usr/bin:/bin") : std::nullopt;
  };
  const ProposerSetup setup{{}, variable, {kRoot + "/proposers"}};
  const auto proposer = make_proposer("openai:a/model@http://127.0.0.1:1/v1", setup);  // nobody listens there
  proposer->begin({}, 4);  // it tries again until then: an interpreter that starts late has had its try
  CHECK_THAT(proposer->take(60, {})->log, Catch::Contains("refused"));
  CHECK(proposer->spec() == "openai:a/model@http://127.0.0.1:1/v1");
  CHECK_THROWS_WITH(make_proposer("openai:@http://x", setup), Catch::Contains("names no model"));
}

TEST_CASE("an endpoint that denies, refuses, truncates, cuts the context or stalls is told apart") {
  const ProposerAnswer denied = from_endpoint("denies");
  CHECK_THAT(denied.why, Catch::Contains("refuses with status 401") && Catch::Contains("no such key"));
  CHECK_THAT(from_endpoint("refuses").text, Catch::Contains("\"refusal\": \"I cannot help with that\""));
  const ProposerAnswer truncated = from_endpoint("truncates");
  CHECK(json::parse(truncated.text)["end"] == "length");
  CHECK_THAT(from_endpoint("cuts_context").text, Catch::Contains("its context was cut silently"));
  CHECK(from_endpoint("stalls", 1).end == ProposerAnswer::End::timed_out);
}

TEST_CASE("what a model's tokens cost is read from the first list of prices that has it") {
  const Scratch own;
  own.write("prices.json", R"({"models": {"mine": {"in": 1, "out": 2}, "bad": {"in": 1}}})");
  const std::string folder = own.path("");
  const std::vector<std::string> folders{folder, kRoot + "/proposers"};
  CHECK(listed_price("openai:mine@http://127.0.0.1:1/v1 --effort low", folders)->out == 2);
  CHECK(listed_price("openai:mine", folders)->cached == 1);
  CHECK(listed_price("openai:vendor/mine-2025-08-07", folders)->in == 1);
  CHECK(listed_price("openai:gpt-4o", folders)->out == 10);
  CHECK(!listed_price("openai:mine-large", folders));
  CHECK(!listed_price("command:mine", folders));
  CHECK_THROWS_WITH(listed_price("openai:bad", folders), Catch::Contains("'bad' has no price 'out'"));
}
