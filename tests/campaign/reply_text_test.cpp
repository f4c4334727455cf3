#include "harness/campaign/reply_text.h"

#include <catch2/catch.hpp>

#include "harness/campaign/proposal_reply.h"
#include "harness/core/json.h"

// Replies as models write them. Shapes of servers are in tests/fixtures/reply_shapes.py.
using namespace harness;

namespace {

const std::string kFile = "#include <cuda_fp16.h>\n__global__ void k(float* y) {\n  y[0] = 1;\n}\n";
const std::string kEdit = "<<<<<<< SEARCH\n  y[0] = 1;\n=======\n  y[0] = 2;\n>>>>>>> REPLACE\n";
const std::string kFenced = "```cuda\n" + kFile + "```\n";

std::string as_json(const std::string& text) {
  return json{{"source", text}, {"hypothesis", "h"}}.dump();
}

/// `want`: the source, "edits SEARCH -> REPLACE", or the outcome where nothing can be made of it.
struct Shape {
  const char* name;
  std::string text, want;
};

std::string made_of(const std::string& text) {
  ProposalUsage usage;
  const auto read = read_reply(text, usage);
  if (const auto* problem = std::get_if<ReplyProblem>(&read))
    return std::string(name(problem->outcome)) + ": " + problem->message;
  const auto& reply = std::get<ProposalReply>(read);
  std::string made = reply.source.value_or("");
  for (const SourceEdit& edit : reply.edits) made += "edits " + edit.search + " -> " + edit.replace;
  if (!reply.manifest.empty()) made += " manifest " + reply.manifest.dump();
  return made;
}

const std::string kEdits = "edits   y[0] = 1; ->   y[0] = 2;";
const std::string kLua = "params = { B = { values = { 32 }, bind = \"define\" } }";

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all{
      {"one object", as_json(kFile), kFile},
      {"an object after words", "Here it is:\n" + as_json(kFile), kFile},
      {"an object before words with a brace", as_json(kFile) + "\nThis works since {x} is even.", kFile},
      {"a fenced object", "```json\n" + as_json(kFile) + "\n```", kFile},
      {"a fenced object before words with a brace", "```json\n" + as_json(kFile) + "\n```\nNote that {x} holds.",
       kFile},
      {"fenced with capitals", "```JSON\n" + as_json(kFile) + "\n```", kFile},
      {"thoughts before an object", "<think>if {x} then {y}</think>\n" + as_json(kFile), kFile},
      {"thoughts whose opening mark the server took", "so {x}...</think>\n" + as_json(kFile), kFile},
      {"thoughts of Magistral", "[THINK]{x}[/THINK]" + as_json(kFile), kFile},
      {"thoughts of Kimi", "◁think▷{x}◁/think▷" + as_json(kFile), kFile},
      {"channels of gpt-oss",
       "<|channel|>analysis<|message|>{x}<|end|><|start|>assistant<|channel|>final<|message|>" + as_json(kFile) +
           "<|return|>",
       kFile},
      {"thoughts that never end", "<think>what if {x}", "truncated: the reply ends within the model's thoughts"},
      {"thoughts and nothing behind them", "<think>{x}</think>\n", "truncated: the reply ends within the model's"},
      {"raw newlines in a string", "{\"source\": \"" + kFile + "\", \"hypothesis\": \"h\"}", kFile},
      {"a backslash that JSON does not know", R"({"source": "__global__ \d"})", R"(__global__ \d)"},
      {"a trailing comma", R"({"source": "x", "edits": null,})", "x"},
      {"comments in JSON", "{\"source\": \"x\", // the file\n \"label\": \"l\"}", "x"},
      {"a dictionary of Python", "{'source': 'x \"y\"', 'edits': None}", "x \"y\""},
      {"a text in triple quotes", "{\"source\": \"\"\"" + kFile + "\"\"\"}", kFile},
      {"a text in backticks", "{\"source\": `" + kFile + "`}", kFile},
      {"fenced CUDA", kFenced, kFile},
      {"fenced CUDA between words", "It was slow.\n\n" + kFenced + "\nIt is fast since {x}.", kFile},
      {"fenced as C++", "```cpp\n" + kFile + "```", kFile},
      {"fenced without a language", "```\n" + kFile + "```", kFile},
      {"fenced by tildes", "~~~cuda\n" + kFile + "~~~", kFile},
      {"fenced with a file name", "```cuda:kernel.cu\n" + kFile + "```", kFile},
      {"fenced with lines of Windows", "```cuda\r\n__global__ a\r\n```\r\n", "__global__ a\n"},
      {"a piece and then the whole", "```cuda\ny[0] = 1;\n```\nso:\n" + kFenced, kFile},
      {"thoughts before fenced CUDA", "<think>```cuda\n{x}\n```</think>\n" + kFenced, kFile},
      {"CUDA with a manifest in Lua", kFenced + "```lua\n" + kLua + "\n```",
       kFile + " manifest " + json{{"lua", kLua}}.dump()},
      {"CUDA with a manifest in JSON", kFenced + "```json\n{\"manifest\": {\"std\": \"c++20\"}}\n```",
       kFile + R"( manifest {"std":"c++20"})"},
      {"CUDA with JSON that is the manifest", kFenced + "```json\n{\"std\": \"c++20\"}\n```",
       kFile + R"( manifest {"std":"c++20"})"},
      {"a manifest alone", "```lua\n" + kLua + "\n```", " manifest " + json{{"lua", kLua}}.dump()},
      {"a bare file", kFile, kFile},
      {"search and replace", "I change one line.\n" + kEdit, kEdits},
      {"search and replace in a fence", "```\n" + kEdit + "```", kEdits},
      {"search and replace in a fence of CUDA", "```cuda\n" + kEdit + "```\n", kEdits},
      {"search and replace beside a piece of code", kEdit + "```cuda\n__global__ v;\n```", kEdits},
      {"a whole file in a replacement", "<<<<<<< SEARCH\n=======\n" + kFile + ">>>>>>> REPLACE\n", kFile + ""},
      {"a unified diff", "```diff\n--- a/k.cu\n+++ b/k.cu\n@@ -3,1 +3,1 @@\n-  y[0] = 1;\n+  y[0] = 2;\n```", kEdits},
      {"a call of a tool", R"({"name": "reply", "arguments": {"source": "x"}})", "x"},
      {"a call with arguments as text", R"({"name": "reply", "arguments": "{\"source\": \"x\"}"})", "x"},
      {"a call of Hermes and Qwen",
       "<tool_call>\n{\"name\": \"reply\", \"arguments\": {\"source\": \"x\"}}\n</tool_call>", "x"},
      {"a call of Mistral", R"([TOOL_CALLS][{"name": "reply", "arguments": {"source": "x"}}])", "x"},
      {"a call of Llama", R"(<|python_tag|>{"name": "reply", "parameters": {"source": "x"}})", "x"},
      {"a call of Qwen3-Coder", "<function=reply>\n<parameter=source>\nx\n</parameter>\n</function>", "x\n"},
      {"marks as in ShinkaEvolve", "<NAME>n</NAME><CODE>\n```cpp\n" + kFile + "```\n</CODE>", kFile},
      {"a list of parts", R"([{"type": "text", "text": "{\"source\": \"x\"}"}])", "x"},
      {"edits in JSON", R"({"edits": [{"search": "a", "replace": "b"}]})", "edits a -> b"},
      {"a refusal", R"({"refusal": "no"})", "refused: it says that it will not: no"},
      {"nothing", " \n", "unparsable: the reply is empty"},
      {"words", "I cannot see how.", "unparsable: the reply holds no source"},
      {"a fence that breaks off", "```cuda\n__global__ void", "truncated: the reply breaks off within a block"},
      {"an object that breaks off", R"({"source": "__global__ vo)", "truncated: the reply breaks off before its JSON"},
      {"an edit that breaks off", "<<<<<<< SEARCH\na\n=======\nb", "truncated: the reply breaks off within a block"},
      {"an object of other things", R"({"answer": 42})", "unparsable: the reply has neither"},
      {"a broken object", R"({"source": "x" "y"})", "unparsable: the reply's JSON object cannot be read"},
  };
  return all;
}

}  // namespace

TEST_CASE("a reply is read in every shape that models write") {
  CHECK(shapes().size() >= 40);
  for (const Shape& shape : shapes()) {
    INFO(shape.name);
    const std::string made = made_of(shape.text);
    CHECK(made.substr(0, shape.want.size()) == shape.want);
  }
}

TEST_CASE("words beside the code say why, what to call it, what was learnt and what is expected") {
  ProposalUsage usage;
  const auto read = read_reply(
      "**Hypothesis:** fewer loads\nLabel: wide\nLesson: BLOCK=512 spills\nPredict: 1.2 to 1.6x\n" + kFenced, usage);
  const auto& reply = std::get<ProposalReply>(read);
  CHECK(reply.hypothesis == "fewer loads");
  CHECK(reply.label == "wide");
  CHECK(reply.lesson == "BLOCK=512 spills");
  CHECK(reply.predict_lo == 1.2);
  CHECK(reply.predict_hi == 1.6);
  const auto plain = read_reply("It loads less.\nMuch less.\n\nAnd so on.\n" + kFenced, usage);
  CHECK(std::get<ProposalReply>(plain).hypothesis == "It loads less.\nMuch less.");
}

TEST_CASE("what a server billed counts whatever the text is, and a cut by length is told as such") {
  const auto sent = [](const std::string& text, const std::string& end) {
    return json{{"text", text}, {"end", end}, {"usage", {{"tokens_in", 9000}, {"tokens_out", 16000}}}}.dump();
  };
  ProposalUsage usage;
  CHECK(made_of(sent(kFenced, "stop")) == kFile);
  CHECK(std::holds_alternative<ReplyProblem>(read_reply(sent("words", "stop"), usage)));
  CHECK(usage.tokens_out == 16000);
  CHECK_THAT(made_of(sent("", "length")),
             Catch::StartsWith("truncated: the reply was cut off by its length after 16000"));
  CHECK_THAT(made_of(sent("", "stop")), Catch::StartsWith("unparsable: the reply is empty"));
}

TEST_CASE("an edit fits where only blanks at the ends of lines differ, and only in one place") {
  const std::string parent = "a {\n    b;  \n    c;\n}\nd;\n";
  const auto edited = edited_source(parent, {{"b;\n  c;", "  e;"}});
  CHECK(std::get<std::string>(edited) == "a {\n  e;\n}\nd;\n");
  const auto twice = edited_source("x; \n x;\n", {{"  x;  ", "y;"}});
  CHECK_THAT(std::get<ReplyProblem>(twice).message, Catch::Contains("more than one place"));
}

TEST_CASE("a hostile reply costs little") {
  CHECK_THAT(made_of(std::string(1 << 20, '{')), Catch::StartsWith("unparsable"));
  std::string keys;
  for (int i = 0; i < 200000; ++i) keys += "{\"";
  CHECK_THAT(made_of(keys), Catch::StartsWith("truncated"));
  std::string calls;
  for (int i = 0; i < 60; ++i) calls += R"({"arguments":)";
  CHECK_THAT(made_of(calls + "1" + std::string(60, '}')), Catch::StartsWith("unparsable"));
}
