#include "harness/script/strategy/prompt.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "harness/core/error.h"

using namespace harness;
using script::PromptTemplate;

namespace {

std::string rendered(const std::string& text, const json& request = {{"kernel", "softmax"}}) {
  return PromptTemplate({"prompt.md", text}).render(request);
}

/// Keeps what it is sent, and answers at once.
struct KeepingProposer : Proposer {
  explicit KeepingProposer(json& sent) : kept(sent) {}
  std::string spec() const override { return "command:p"; }
  void begin(const ProposalRecord& record, double) override {
    kept = json::parse(record.request);
    number = record.number;
  }
  std::optional<ProposerAnswer> take(double, const std::function<bool()>&) override {
    if (number == 0) return std::nullopt;
    ProposerAnswer answer;
    answer.end = ProposerAnswer::End::answered;
    answer.number = number;
    answer.log = "its own log";
    return answer;
  }
  void cancel() override {}
  json& kept;
  std::int64_t number = 0;
};

ProposalRecord a_request() {
  ProposalRecord record;
  record.number = 3;
  record.request = R"({"schema":1,"kernel":"softmax","id":"1-3"})";
  return record;
}

}  // namespace

TEST_CASE("a hole of a prompt leaves a value, and statements leave nothing") {
  CHECK(rendered("Kernel {{ request.kernel }}{{ request.absent }}.") == "Kernel softmax.");
  CHECK(rendered("a\n  {% for _, name in ipairs({ 'x', 'y' }) do %}\n- {{ name }}\n{% end %}\nb") == "a\n- x\n- y\nb");
  CHECK(rendered("one{% local a = 1 %}line \"{{ a }}\" \\") == "oneline \"1\" \\");
  CHECK(rendered("") == "");
  CHECK(rendered("{% if true then %}\nlast\n{% end %}") == "last\n");
  CHECK(rendered("{{ inline(request.t) }}", {{"t", {{"a", {1, 2}}, {"b", {{"c", "d"}}}}}}) == "a=[1, 2], b={c=d}");
  CHECK(rendered("{{ fence('a ``` b', 'cuda') }}") == "````cuda\na ``` b\n````");
}

TEST_CASE("what is wrong with a prompt is told with its file and line") {
  CHECK_THROWS_WITH(rendered("one\ntwo {{ request.kernel"), Catch::StartsWith("prompt.md:2: a hole begins here"));
  CHECK_THROWS_WITH(rendered("one\n{% local = 1 %}\n"), Catch::Contains("prompt.md:2:"));
  CHECK_THROWS_WITH(rendered("one\n\n{{ request.kernel.name.first }}"), Catch::Contains("prompt.md:3:"));
  CHECK_THROWS_AS(rendered("{% while true do end %}"), Error);
  CHECK_THROWS_WITH(rendered("{{ os.getenv('HOME') }}"), Catch::Contains("prompt.md:1:"));
}

TEST_CASE("a proposer gets the prompt beside the request, and the record has it in the log") {
  json sent;
  const auto proposer = script::with_prompt(std::make_unique<KeepingProposer>(sent),
                                            PromptTemplate({"prompt.md", "Do {{ request.kernel }}"}));
  proposer->begin(a_request(), 10);
  CHECK(sent["prompt"] == "Do softmax");
  CHECK(sent["id"] == "1-3");
  const auto answer = proposer->take(1, {});
  REQUIRE(answer);
  CHECK(answer->log == "its own log\nthe prompt, by prompt.md:\nDo softmax");
}

TEST_CASE("a prompt that fails is told of as the request's end, and the proposer is not asked") {
  json sent;
  const auto proposer =
      script::with_prompt(std::make_unique<KeepingProposer>(sent), PromptTemplate({"prompt.md", "{{ nobody.there }}"}));
  proposer->begin(a_request(), 10);
  CHECK(sent.is_null());
  const auto answer = proposer->take(1, {});
  REQUIRE(answer);
  CHECK(answer->number == 3);
  CHECK(answer->end == ProposerAnswer::End::unavailable);
  CHECK_THAT(answer->why, Catch::StartsWith("prompt.md:1:"));
}

TEST_CASE("the prompt that comes with the program tells all parts of a request, and needs none of them") {
  const auto prompt = script::find_prompt({"/no/such/folder", std::string(HARNESS_SOURCE_DIR) + "/proposers"});
  REQUIRE(prompt);
  CHECK_THAT(prompt->render({{"schema", 1}, {"kernel", "softmax"}}), Catch::StartsWith("# Kernel softmax"));
  const json request = {{"kernel", "k"},
                        {"contract",
                         {{"words", "THE WORDS"},
                          {"reference", "THE REFERENCE"},
                          {"domain", "THE DOMAIN"},
                          {"arguments", {{{"name", "THE ARGUMENT"}}}},
                          {"workload", {{"name", "THE WORKLOAD"}}},
                          {"headers", {"THE HEADER"}}}},
                        {"device", {{"name", "THE DEVICE"}}},
                        {"reply", "THE FORM"},
                        {"floor_ns", 12.5},
                        {"floor", "THE FLOOR"},
                        {"technique", "THE TECHNIQUE"},
                        {"pages", {{{"title", "THE TITLE"}, {"text", "THE PAGE"}}}},
                        {"parents",
                         {{{"variant", "THE VARIANT"},
                           {"source", "THE SOURCE"},
                           {"manifest", "THE MANIFEST"},
                           {"headers", {{{"name", "h"}, {"text", "ITS HEADER"}}}},
                           {"outcome", "passed"},
                           {"time_ns", 100.0},
                           {"speedup", 2.0},
                           {"diagnosis", {"THE DIAGNOSIS"}}}}},
                        {"tried", {{{"variant", "THE TRY"}}}},
                        {"notes", {"THE NOTE"}},
                        {"asked_beside", {"THE OTHER"}},
                        {"ask", "THE ASK"},
                        {"again", {{"wrong", "THE MISTAKE"}, {"outcome", "unparsable"}, {"your_reply", "THE REPLY"}}}};
  const std::string text = prompt->render(request);
  for (const char* part : {"WORDS", "REFERENCE", "DOMAIN", "ARGUMENT", "WORKLOAD", "HEADER", "DEVICE",   "FORM",
                           "FLOOR", "TECHNIQUE", "TITLE",  "PAGE",     "VARIANT",  "SOURCE", "MANIFEST", "DIAGNOSIS",
                           "TRY",   "NOTE",      "OTHER",  "ASK",      "MISTAKE",  "REPLY"}) {
    INFO(part << "\n" << text);
    CHECK(text.find(std::string("THE ") + part) != std::string::npos);
  }
  CHECK(text.find("ITS HEADER") != std::string::npos);
}
