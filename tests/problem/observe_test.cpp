#include "harness/problem/observe.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/system/files.h"
#include "harness/system/temporary_folder.h"
#include "tests/problem/pytorch.h"
#include "tests/support/turns.h"

namespace harness {
namespace {

using problem::observe;

/// What observe() refuses it with; "" where it does not.
std::string refusal(const std::string& name, const std::string& text, const problem::Answers& answers = {}) {
  const TemporaryFolder folder("problem");
  write_file(folder.path(name), text);
  try {
    observe(folder.path(name), answers);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

json observed(const std::string& name, const std::string& text) {
  const TemporaryFolder folder("problem");
  write_file(folder.path(name), text);
  return observe(folder.path(name), {});
}

std::string shape(const json& contract, const std::string& argument) {
  for (const json& each : contract.at("arguments"))
    if (each.at("name") == argument) return each.at("shape").dump();
  return "absent";
}

json definition(const json& changes) {
  json made = {{"name", "scale"},
               {"axes",
                {{"rows", {{"type", "var"}}},
                 {"half", {{"type", "const"}, {"value", 8}}},
                 {"columns", {{"type", "expr"}, {"expression", "2 * half"}}}}},
               {"inputs", {{"x", {{"shape", {"rows", "columns"}}, {"dtype", "bfloat16"}}}}},
               {"outputs", {{"y", {{"shape", {"rows", "columns"}}, {"dtype", "bfloat16"}}}}},
               {"reference", "import torch\n\ndef run(x):\n    return (x.to(torch.float32) * 2).to(torch.bfloat16)\n"}};
  made.merge_patch(changes);
  return made;
}

}  // namespace

TEST_CASE("what is no problem's file is refused before Python starts") {
  CHECK(refusal("kernel.cu", "").ends_with("is neither a definition (.json) nor a Python file (.py)"));
  CHECK(refusal("definition.json", "{").find("it is no JSON") != std::string::npos);
  CHECK(refusal("definition.json", "[]").ends_with("it has no 'name', which each definition has"));
  CHECK_THROWS_WITH(observe("/nowhere/at/all.py", {}), "--from: there is no file '/nowhere/at/all.py'");
}

TEST_CASE("an axis of a definition may be a formula of others", "[pytorch]") {
  if (!has_pytorch()) return;
  const json contract = observed("definition.json", definition(json::object()).dump());
  CHECK(shape(contract, "x") == R"x(["w.rows","(2 * 8)"])x");
  CHECK(contract.at("policy").size() == 1);  // the last cast is the result's, and is compared before it is rounded
}

TEST_CASE("a definition that cannot be taken is refused with one sentence", "[pytorch]") {
  if (!has_pytorch()) return;
  const auto refused = [](const json& changes) { return refusal("definition.json", definition(changes).dump()); };
  const auto formula = [](const char* text) { return json{{"type", "expr"}, {"expression", text}}; };
  CHECK(refused({{"axes", {{"half", formula("columns // 2")}}}}).ends_with("follow from each other"));
  CHECK(refused({{"axes", {{"columns", formula("wide + 1")}}}}) ==
        "scale: the formula of axis 'columns' names 'wide', which is no axis");
  CHECK(refused({{"axes", {{"columns", formula("min(half, 3)")}}}}) ==
        "scale: axis 'columns': 'min(half, 3)' has more than whole numbers, axes, + - * / // % ** and parentheses");
  if (!tests::takes_all()) return;  // each starts PyTorch
  CHECK(refused({{"inputs", {{"x", {{"dtype", "float4_e2m1"}}}}}}) ==
        "scale: 'x' has the type 'float4_e2m1', which no contract has");
  CHECK(refused({{"reference", "def run(x):\n    raise ValueError('no')\n"}}).ends_with("ValueError in line 2: no"));
  CHECK(refused({{"reference", "def run(x):\n    return x[:, :3]\n"}}).find("of the shape [") != std::string::npos);
}

TEST_CASE("what whole numbers say is found by asking the reference, and small sizes keep to the conditions",
          "[pytorch]") {
  if (!has_pytorch()) return;
  const json axes{
      {"pages", {{"type", "var"}}}, {"least", {{"type", "var"}}}, {"size", {{"type", "const"}, {"value", 4}}}};
  const json changes{
      {"axes", axes},
      {"constraints", {"pages >= 5 * least"}},
      {"inputs", {{"x", {{"shape", {"pages", "size"}}}}, {"places", {{"shape", {"rows"}}, {"dtype", "int32"}}}}},
      {"outputs", {{"y", {{"shape", {"rows"}}}}}},
      {"reference", "def run(places, x):\n    return x.reshape(-1)[places.long()]\n"}};
  const json contract = observed("definition.json", definition(changes).dump());
  for (const json& argument : contract.at("arguments"))
    if (argument.at("name") == "places") {
      CHECK(argument.at("gen") == "integers { lo = 0, hi = function(w) return w.pages * 4 - 1 end }");
      CHECK(argument.at("why") == "the reference takes what is below w.pages * 4, and not that number");
    }
  const json& small = contract.at("small");
  CHECK(small.at("pages").get<int>() >= 5 * small.at("least").get<int>());
  if (!tests::takes_all()) return;  // each starts PyTorch
  json never = changes;
  never["reference"] = "def run(places, x):\n    return places * x.sum()\n";
  CHECK(refusal("definition.json", definition(never).dump()) ==
        "nothing says which whole numbers 'places' holds; say it with --set places=0..LAST");
}

TEST_CASE("the sizes of a module are found by running it with others", "[pytorch]") {
  if (!has_pytorch()) return;
  const json contract = observed("model.py", R"(
import torch
import torch.nn as nn

class Model(nn.Module):
    """A linear layer and a pooling."""
    def __init__(self, features, hidden):
        super().__init__()
        self.linear = nn.Linear(features, hidden)
        self.pool = nn.AvgPool1d(2)
        self.unused = nn.Parameter(torch.ones(3))

    def forward(self, x):
        return self.pool(self.linear(x))

batch = 64
features = 32 * 2
hidden = 96

def get_inputs():
    return [torch.rand(batch, features)]

def get_init_inputs():
    return [features, hidden]
)");
  CHECK(shape(contract, "x") == R"(["w.batch","w.features"])");
  CHECK(shape(contract, "linear_weight") == R"(["96","w.features"])");
  CHECK(shape(contract, "unused") == "absent");
  CHECK(shape(contract, "out") == R"(["w.batch","48"])");
  CHECK(contract.at("workloads") == json::parse(R"([{"batch": 64, "features": 64}])"));
  CHECK(contract.at("terms") == "w.features");
}

TEST_CASE("a program that has no one right answer is refused", "[pytorch]") {
  if (!has_pytorch()) return;
  const auto refused = [](const std::string& body) {
    return refusal("ref.py",
                   "import torch\ndef inputs(n = 32):\n    return [torch.randn(n)]\ndef reference(x):\n" + body);
  };
  CHECK(refused("    return torch.dropout(x, 0.5, True)\n").find("gives two results for one input") !=
        std::string::npos);
  CHECK(refused("    return torch.log(-x.abs() - 1)\n") == "ref.py returns NaN for the inputs that it makes itself");
  if (!tests::takes_all()) return;  // each starts PyTorch
  CHECK(refused("    return x +\n").find("line 5 is no Python") != std::string::npos);
  CHECK(refused("    open('/etc/shadow')\n    return x\n").find("No such file") != std::string::npos);
  CHECK(refused("    import socket\n    socket.socket()\n    return x\n").find("PermissionError") != std::string::npos);
}

namespace {

/// Eight bytes of length, a header, and as many bytes as four s32 take: 0 1 2 3.
std::string recorded_file(const std::string& header) {
  std::string text;
  for (int i = 0; i < 8; ++i) text += static_cast<char>(header.size() >> (8 * i));
  text += header;
  for (const char value : {0, 1, 2, 3}) text += std::string{value, 0, 0, 0};
  return text;
}

json with_rows(const std::string& header, const std::string& path = "rows.safetensors") {
  const TemporaryFolder folder("problem");
  const json changes{{"inputs", {{"rows_of", {{"shape", {"rows"}}, {"dtype", "int32"}}}}},
                     {"reference", "import torch\n\ndef run(x, rows_of):\n    return x[rows_of.long()]\n"}};
  write_file(folder.path("definition.json"), definition(changes).dump());
  write_file(folder.path("rows.safetensors"), recorded_file(header));
  const json given{{"axes", {{"rows", 4}}},
                   {"inputs", {{"rows_of", {{"type", "safetensors"}, {"path", path}, {"tensor_key", "r"}}}}}};
  write_file(folder.path("workload.jsonl"), given.dump() + "\n");
  return observe(folder.path("definition.json"), {});
}

std::string refused_rows(const std::string& header, const std::string& path = "rows.safetensors") {
  try {
    with_rows(header, path);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("recorded inputs say how their like is drawn, and what lies in such a file is not believed", "[pytorch]") {
  if (!has_pytorch()) return;
  const json found = with_rows(R"({"r":{"dtype":"I32","shape":[4],"data_offsets":[0,16]}})");
  CHECK(found.at("arguments").at(0).at("gen") == "integers { lo = 0, hi = function(w) return w.rows - 1 end }");
  CHECK(refused_rows(R"({"r":{"dtype":"I32","shape":[5],"data_offsets":[0,16]}})") ==
        "scale: rows.safetensors, the recorded 'rows_of': 'r' of the shape [5] has 16 bytes and not 20");
}

TEST_CASE("no part of a recorded file is believed", "[pytorch]") {
  if (!has_pytorch() || tests::is_nightly()) return;
  const std::string asked = "nothing says which whole numbers 'rows_of' holds; say it with --set rows_of=0..LAST";
  CHECK(refused_rows(R"({"r":{"dtype":"I32","shape":[4],"data_offsets":[0,16]}})", "../../../etc/passwd") == asked);
  CHECK(refused_rows(R"({"r":{"dtype":"I32","shape":[4],"data_offsets":[8,24]}})")
            .ends_with("behind the end of the file"));
  CHECK(refused_rows(R"({"r":{"dtype":"I32","shape":[2,2],"data_offsets":[0,16]}})")
            .ends_with("the definition says s32 [4]"));
  CHECK(refused_rows(std::string(20000, '[')).ends_with("its header is no JSON"));
}

TEST_CASE("what has no one result, needs too much, or prints without end is one sentence, or comes in", "[pytorch]") {
  if (!has_pytorch() || tests::is_nightly()) return;
  const std::string begin = "import torch\ndef inputs(n = 32):\n    return [torch.randn(n)]\ndef reference(x):\n";
  CHECK(refusal("ref.py", begin + "    return x[x > 0]\n").find("follows from the values of its inputs") !=
        std::string::npos);
  CHECK(refusal("ref.py", begin + "    reference.n = getattr(reference, 'n', 0) + 1\n    return x * reference.n\n")
            .find("when it is called again") != std::string::npos);
  CHECK(refusal("ref.py", begin + "    return 'done'\n") ==
        "ref.py returns a str among its results; it must return tensors");
  CHECK(refusal("ref.py", begin + "    return x @ torch.zeros(100000, 100000)\n").find("more memory than one run") !=
        std::string::npos);
  CHECK(refusal("ref.py", "print('y' * 50000000)\n" + begin + "    print('x' * 3000000)\n    return 2 * x\n").empty());
  CHECK(refusal("ref.py", begin + "    while True: pass\n").find("does not end at its smallest sizes") !=
        std::string::npos);
  const std::string odd = "    return x.new_zeros(int(x.shape[0] ** 1.37) + x.shape[0] * 2654435761 % 7) + x.sum()\n";
  const TemporaryFolder folder("problem");
  write_file(folder.path("ref.py"), begin + odd);
  const json found = observe(folder.path("ref.py"), {});
  CHECK(found.at("sizes").empty());  // no formula holds: one point
}

// PyTorch 1.13 has no square root, GELU or maximum of fp16 on a CPU.
TEST_CASE("a program in fp16 comes in where PyTorch lacks its operations for a CPU", "[pytorch]") {
  if (!has_pytorch()) return;
  const json found = observed("half.py",
                              "import torch\ndef inputs(rows = 12, columns = 20):\n"
                              "    return [torch.randn(rows, columns, dtype=torch.float16)]\n"
                              "def reference(x):\n    y = torch.sqrt(torch.nn.functional.gelu(x) + 1)\n"
                              "    return torch.max(y, dim=1)[0]\n");
  CHECK(found.at("arguments").at(0).at("dtype") == "f16");
  const std::string apart = found.at("policy").back();
  INFO(apart);
  CHECK(apart.find("in its own types (f16) differs from it by ") != std::string::npos);
}

}  // namespace harness
