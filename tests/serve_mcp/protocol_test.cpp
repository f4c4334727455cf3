#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "harness/serve_mcp/agent_adopt.h"
#include "harness/serve_mcp/arguments.h"
#include "harness/serve_mcp/era.h"
#include "harness/serve_mcp/lists.h"
#include "harness/serve_mcp/times.h"
#include "harness/serve_mcp/tool_table.h"
#include "harness/serve_mcp/veil.h"
#include "harness/serve_mcp/workshop.h"

namespace harness::mcp {
namespace {

template <typename T>
T read_as(const std::string& line) {
  const auto read = read_message(line);
  REQUIRE(std::holds_alternative<T>(read));
  return std::get<T>(read);
}

}  // namespace

TEST_CASE("a message is one object with a method; its id is a string or a number") {
  const auto message = read_as<RpcMessage>(R"({"jsonrpc":"2.0","id":"a","method":"ping"})");
  CHECK(message.id == "a");
  CHECK(message.method == "ping");
  CHECK(read_as<RpcMessage>(R"({"jsonrpc":"2.0","method":"notifications/initialized"})").notification());
  CHECK(std::holds_alternative<std::monostate>(read_message(R"({"jsonrpc":"2.0","id":1,"result":{}})")));
  CHECK(read_as<BadMessage>("{").error.code == kParseError);
  CHECK(read_as<BadMessage>(R"({"jsonrpc":"2.0","id":true,"method":"ping"})").error.code == kInvalidRequest);
  const auto bad = read_as<BadMessage>(R"({"jsonrpc":"2.0","id":7,"method":3})");
  CHECK(bad.id == 7);
}

TEST_CASE("initialize gets the version that it asks for, or the newest of its era") {
  const ServerIdentity identity{"harness", "1", ""};
  CHECK(initialize_result({{"protocolVersion", "2025-06-18"}}, identity)["protocolVersion"] == "2025-06-18");
  CHECK(initialize_result({{"protocolVersion", "2024-11-05"}}, identity)["protocolVersion"] == "2025-11-25");
}

TEST_CASE("the stateless era says how long a result holds, and which versions there are") {
  const Answer result = stateless_era().result({{"tools", 1}}, kKeptLong);
  CHECK(result["resultType"] == "complete");
  CHECK(result["ttlMs"] == 3'600'000);
  CHECK(result["cacheScope"] == "private");
  CHECK_FALSE(handshake_era().result({{"tools", 1}}, kKeptLong).contains("ttlMs"));
  const auto refused = refused_version("2031-01-01");
  REQUIRE(refused);
  CHECK(refused->code == kUnsupportedVersion);
  CHECK(refused->data["supported"] == json::array({"2026-07-28"}));
  CHECK_FALSE(stateless_era().has("ping"));
}

TEST_CASE("an answer of any size is cut to 8 kB, and says so") {
  Answer answer = {{"ok", true}, {"rows", Answer::array()}, {"next", "ask"}};
  for (int i = 0; i < 2000; ++i) answer["rows"].push_back({{"number", i}, {"text", std::string(20, 'x')}});
  answer["source"] = std::string(50'000, 'y');
  const Answer cut = bounded(answer);
  CHECK(text_of(cut).size() <= kLongestAnswer);
  CHECK(cut["ok"] == true);
  CHECK(cut.contains("cut"));
  CHECK(cut["next"] == "ask");
  CHECK(!cut["rows"].empty());
  CHECK(text_of(bounded({{"ok", true}, {"next", ""}})) == R"({"ok":true,"next":""})");
}

TEST_CASE("pages of a text are the whole text") {
  std::string text, read;
  for (int i = 0; i < 500; ++i) text += "line " + std::to_string(i) + "\n";
  std::optional<std::size_t> offset = 0;
  while (offset) {
    const Page page = page_of(text, *offset, 700);
    CHECK(page.text.size() <= 700);
    read += page.text;
    offset = page.next_offset;
  }
  CHECK(read == text);
}

TEST_CASE("what an agent is told holds no seed, no tolerance and no element of a hidden launch") {
  const json shown = {
      {"outcome", "wrong_answer"},
      {"fingerprint", "rows >= 64"},
      {"seeds", {1, 2}},
      {"gates",
       {{{"name", "finite"}, {"passed", true}, {"detail", "seed 12"}},
        {{"name", "form:few spikes"}, {"passed", false}, {"detail", "0.5 > 0.125"}}}},
      {"error",
       {{"stage", "gates"},
        {"class", "relative_l2"},
        {"message", "y is off by 0.5 > 0.125, seed 1234, tolerance 0.125; a row has 0.6, more than 1.25e-06"},
        {"first_bad", {{"argument", "y"}, {"index", {3}}, {"expected", 1.5}, {"got", 2.5}}}}}};
  const std::string told = text_of(veiled_iteration(shown));
  for (const char* secret : {"1234", "0.125", "1.25e-06", "seeds", "1.5", "detail"}) {
    INFO(told);
    CHECK(told.find(secret) == std::string::npos);
  }
  CHECK_THAT(told,
             Catch::Contains("\"passed\":false") && Catch::Contains("rows >= 64") && Catch::Contains("few spikes"));
  json visible = shown;
  visible["gates"][1]["name"] = "relative-l2";
  CHECK(veiled_iteration(visible)["error_of_candidate"]["first_bad"]["got"] == 2.5);
}

TEST_CASE("times are named by what they are: measured, emulated or predicted") {
  const json row = {{"outcome", "passed"}, {"time_ns", 5.0}, {"time_ci95_ns", {4.0, 6.0}}, {"baseline_ns", 10.0}};
  const auto on = [&](const char* device, bool emulation) {
    json of = row;
    of["device"] = device;
    of["emulation"] = emulation;
    return veiled_iteration(of);
  };
  const Answer measured = on("cuda:0", false), emulated = on("cpu", true), predicted = on("cpu:H200", true);
  CHECK(measured["time_ns"] == 5.0);
  CHECK_FALSE(measured.contains("times"));
  CHECK(emulated["emulated_ns"] == 5.0);
  CHECK(emulated["emulated_baseline_ns"] == 10.0);
  CHECK(predicted["predicted_ns"] == 5.0);
  CHECK(predicted["predicted_ci95_ns"] == Answer({4.0, 6.0}));
  CHECK(predicted["times"] == "predicted for H200 by counting, not measured");
  for (const Answer& other : {emulated, predicted})
    for (const char* key : {"time_ns", "time_ci95_ns", "baseline_ns"}) CHECK_FALSE(other.contains(key));
  CHECK(common_time(predicted, predicted) == "predicted_ns");
  for (const auto& [one, other] :
       {std::pair(measured, emulated), {emulated, predicted}, {predicted, on("cpu:A100", true)}})
    CHECK(common_time(one, other) == "");
}

TEST_CASE("every tool has a schema, annotations and a place in the list that never changes") {
  const json list = listed(tool_table())["tools"];
  CHECK(list.size() == 20);
  CHECK(list.dump().size() <= 8'900);  // 2,500 tokens of 3.6 bytes, which each client pays in each conversation
  for (const json& tool : list) {
    CHECK(tool["inputSchema"]["type"] == "object");
    CHECK(tool["annotations"]["openWorldHint"] == false);
    CHECK_FALSE(tool["description"].get<std::string>().empty());
  }
  CHECK(listed(tool_table())["tools"] == list);
}

TEST_CASE("arguments are held against the tool's schema") {
  const Tool& evaluate = find_tool("evaluate");
  CHECK_THROWS_WITH(Arguments(evaluate, {{"kernl", "x"}}), Catch::Contains("kernel"));
  CHECK_THROWS_WITH(Arguments(evaluate, json::object()), Catch::Contains("needs 'kernel'"));
  CHECK_THROWS_WITH(Arguments(evaluate, {{"kernel", 3}}), Catch::Contains("type string"));
  CHECK_THROWS_AS(Arguments(evaluate, {{"kernel", "k"}, {"parameters", {{"A", {1}}}}}).config("parameters"), Error);
  const Arguments fine(evaluate, {{"kernel", "k"}, {"parameters", {{"BLOCK", 128}}}, {"source", nullptr}});
  CHECK(fine.config("parameters").size() == 1);
  CHECK_FALSE(fine.has("source"));
}

TEST_CASE("an agent may say what arrays and sizes a program has, and names no files, programs or devices") {
  CHECK(unfit_adopt_options({}).empty());
  CHECK(unfit_adopt_options({"--size", "n=4096", "--arg", "out[n] f32"}).empty());
  for (const char* word :
       {"--reference", "--reference=command:id", "--include", "--host", "--device", "--kernels", "--db"})
    CHECK_THAT(unfit_adopt_options({word, "x"}), Catch::Contains(word));
  CHECK_THAT(unfit_adopt_options({"n=4096"}), Catch::Contains("not 'n=4096'"));
}

TEST_CASE("a judge that changed since a session began is named") {
  const json begun = {{"program", "p"}, {"kernels", {{"softmax", "1"}, {"scale", "2"}}}};
  json now = begun;
  CHECK(judge_changed(begun, now, "softmax", "s").empty());
  now["kernels"]["softmax"] = "other";
  CHECK_THAT(judge_changed(begun, now, "softmax", "s"), Catch::Contains("reference") && Catch::Contains("softmax"));
  CHECK(judge_changed(begun, now, "scale", "s").empty());
  now["program"] = "q";
  CHECK_THAT(judge_changed(begun, now, "scale", "s"), Catch::Contains("program"));
}

}  // namespace harness::mcp
