#include <catch2/catch.hpp>
#include <filesystem>

#include "harness/propose/spec.h"
#include "tests/support/program.h"

// The shipped adapters, with programs in the agents' places that answer as the agents do.
using namespace harness;
using namespace harness::tests;

namespace {

/// What the adapter makes of an agent that is this shell script.
ProposerAnswer with_agent(const std::string& name, const std::string& script, const std::string& arguments = "") {
  const Scratch scratch;
  scratch.write(name, "#!/bin/sh\n" + script);
  std::filesystem::permissions(scratch.path(name), std::filesystem::perms::owner_all);
  const std::string path = std::filesystem::path(scratch.path(name)).parent_path().string() + ":/usr/bin:/bin";
  const auto variable = [&](const std::string& variable) {
    return variable == "PATH" ? std::optional(path) : std::nullopt;
  };
  const auto proposer = make_proposer("command:propose-agent " + name + " " + arguments,
                                      {{}, variable, {std::string(HARNESS_SOURCE_DIR) + "/proposers"}});
  ProposalRecord record;
  record.request = R"({"id":"1-1","ask":"one change"})";
  proposer->begin(record, 30);
  const auto answer = proposer->take(60, {});
  REQUIRE(answer);
  return *answer;
}

const char* const kClaude = R"SH(
grep -q '"ask":"one change"' || exit 9
echo "$@" >&2
cat <<'END'
{"type":"result","is_error":false,"result":"Here it is:\n```json\n{\"id\":\"1-1\",\"source\":\"x\"}\n```","total_cost_usd":0.02,
 "usage":{"input_tokens":10,"cache_creation_input_tokens":100,"cache_read_input_tokens":1000,"output_tokens":50},
 "modelUsage":{"claude-opus":{}}}
END
)SH";

const char* const kCodex = R"SH(
grep -q '"ask":"one change"' || exit 9
echo "$@" >&2
cat <<'END'
{"type":"thread.started","thread_id":"t"}
{"type":"item.completed","item":{"type":"reasoning","text":"hm"}}
{"type":"item.completed","item":{"type":"agent_message","text":"{\"id\":\"1-1\",\"source\":\"x\"}"}}
{"type":"turn.completed","usage":{"input_tokens":2000,"cached_input_tokens":1500,"output_tokens":70}}
END
)SH";

}  // namespace

TEST_CASE("claude gets the request as its prompt, has no tools, and its usage is told") {
  const ProposerAnswer answer = with_agent("claude", kClaude, "--model opus");
  INFO(answer.why << answer.log);
  REQUIRE(answer.end == ProposerAnswer::End::answered);
  const json reply = json::parse(answer.text);
  CHECK_THAT(reply["text"].get<std::string>(), Catch::Contains("\"source\":\"x\""));
  CHECK(reply["usage"] == json::parse(R"({"model":"claude-opus","tokens_in":1110,"tokens_out":50,"tokens_cached":1000,
                                          "usd":0.02})"));
  CHECK_THAT(answer.log, Catch::Contains("--system-prompt You write") && Catch::Contains("--tools  --") &&
                             Catch::Contains("--model opus"));
}

TEST_CASE("codex runs in its read-only sandbox, and its usage is told without a price") {
  const ProposerAnswer answer = with_agent("codex", kCodex);
  INFO(answer.why << answer.log);
  REQUIRE(answer.end == ProposerAnswer::End::answered);
  const json reply = json::parse(answer.text);
  CHECK_THAT(reply["text"].get<std::string>(), Catch::Contains("\"source\":\"x\""));
  CHECK(reply["usage"]["model"] == "codex");
  CHECK(reply["usage"]["tokens_cached"] == 1500);
  CHECK(!reply["usage"].contains("usd"));
  CHECK_THAT(answer.log, Catch::Contains("--sandbox read-only"));
}

TEST_CASE("an agent that fails is a failure with its words, and one that only talks is handed on") {
  CHECK(json::parse(with_agent("claude", R"(echo '{"is_error":true,"result":"Invalid API key"}')").text)["error"] ==
        "claude: Invalid API key");
  CHECK_THAT(with_agent("codex", R"(echo '{"type":"turn.failed","error":{"message":"rate limit"}}')").text,
             Catch::Contains("rate limit"));
  CHECK_THAT(with_agent("codex", "exit 3").why, Catch::Contains("codex ended with status 3"));
  CHECK(json::parse(with_agent("claude", R"(echo '{"result":"I cannot do that"}')").text)["text"] ==
        "I cannot do that");
}
