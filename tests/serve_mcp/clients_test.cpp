#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "harness/system/run_program.h"
#include "tests/support/program.h"
#include "tests/support/skip.h"
#include "tests/support/turns.h"

// The protocol as others speak it: the official clients, and an agent that has a shell.
namespace fs = std::filesystem;

namespace harness::tests {
namespace {

/// Where ./bootstrap test put the packages of clients/package.json; "" where it could not.
std::string packages() {
  const std::string folder = std::string(HARNESS_SOURCE_DIR) + "/build/mcp_clients";
  return fs::is_directory(folder + "/node_modules/@modelcontextprotocol/client") ? folder : "";
}

/// Runs a script of clients/ and shows what it printed where something did not hold.
void run_script(const std::string& name) {
  if (packages().empty()) {
    skip("the official MCP clients are not here (build/mcp_clients): ./bootstrap test installs them where npm is");
    return;
  }
  const Scratch scratch;
  const std::string script = std::string(HARNESS_SOURCE_DIR) + "/tests/serve_mcp/clients/" + name;
  const Finished run = run_program({"node", script, packages(), HARNESS_BINARY, scratch.db()}, HARNESS_SOURCE_DIR,
                                   {"HARNESS_CACHE=" + build_cache()});
  INFO(run.out << run.err);
  CHECK(run.status == 0);
  CHECK_THAT(run.out, Catch::Contains("all is well"));
}

}  // namespace

TEST_CASE("the official clients use every tool in both eras, with progress, cancelling and errors") {
  if (is_nightly()) return;
  run_script("clients.mjs");
}

// They are no part of ./bootstrap test: npm has them (@anthropic-ai/claude-code, @openai/codex).
TEST_CASE("real coding agents, led by a scripted model, evaluate and propose") {
  for (const char* agent : {"claude", "codex"}) {
    if (find_program(agent).empty()) {
      skip(std::string(agent) + " is not in PATH");
      continue;
    }
    const Scratch scratch;
    const std::string script = std::string(HARNESS_SOURCE_DIR) + "/tests/serve_mcp/clients/agents.mjs";
    const Finished run = run_program({"node", script, agent, HARNESS_BINARY, scratch.db()}, HARNESS_SOURCE_DIR,
                                     {"HARNESS_CACHE=" + build_cache()});
    INFO(run.out << run.err);
    CHECK(run.status == 0);
    CHECK_THAT(run.out, Catch::Contains("all is well"));
  }
}

TEST_CASE("an agent with a shell changes no verdict unnoticed") {
  run_script("hostile.mjs");
}

}  // namespace harness::tests
