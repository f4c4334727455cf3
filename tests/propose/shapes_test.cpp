#include <catch2/catch.hpp>

#include "harness/campaign/proposal_reply.h"
#include "harness/core/json.h"
#include "tests/support/program.h"

// What harness makes of every shape that servers send: propose-openai against each on loopback, its lines read as a
// campaign reads them. The table is tests/fixtures/reply_shapes.py.
using namespace harness;
using namespace harness::tests;

namespace {

struct ReadShape {
  std::string made;  // the source, or "OUTCOME: MESSAGE"
  json usage;
};

ReadShape read_shape(const json& shape) {
  if (shape.contains("ended")) return {shape["ended"].get<std::string>(), nullptr};
  ProposalUsage usage;
  const auto read = read_reply(shape["printed"].get<std::string>(), usage);
  json billed = json::object();
  if (usage.model) billed["model"] = *usage.model;
  if (usage.tokens_in) billed["tokens_in"] = *usage.tokens_in;
  if (usage.tokens_out) billed["tokens_out"] = *usage.tokens_out;
  if (usage.tokens_cached) billed["tokens_cached"] = *usage.tokens_cached;
  if (usage.usd) billed["usd"] = *usage.usd;
  if (const auto* problem = std::get_if<ReplyProblem>(&read))
    return {std::string(name(problem->outcome)) + ": " + problem->message, billed};
  return {std::get<ProposalReply>(read).source.value_or("edits"), billed};
}

}  // namespace

TEST_CASE("what servers send is read in every shape, and what they billed is in the books") {
  const Finished finished = run_program({"python3", "tests/propose/endpoint_shapes.py"}, HARNESS_SOURCE_DIR);
  INFO(finished.err);
  REQUIRE(finished.status == 0);
  const std::vector<json> shapes = finished.lines();
  CHECK(shapes.size() >= 80);
  for (const json& shape : shapes) {
    const ReadShape read = read_shape(shape);
    INFO(shape["name"] << " is read as " << read.made);
    const auto want = shape["want"].get<std::string>();
    const std::size_t colon = want.find(": ");
    const bool is_problem = colon != std::string::npos && read.made.rfind(want.substr(0, colon), 0) == 0;
    if (is_problem) CHECK_THAT(read.made, Catch::Contains(want.substr(colon + 2)));
    else CHECK_THAT(read.made, Catch::Contains(want));
    CHECK(read.usage == shape["usage"]);
  }
}
