#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <csignal>
#include <memory>

#include "harness/cli/command.h"
#include "harness/core/error.h"
#include "harness/serve_mcp/agent_job.h"
#include "harness/serve_mcp/harness_tools.h"
#include "harness/serve_mcp/server.h"
#include "harness/serve_mcp/shell_workshop.h"
#include "harness/serve_mcp/socket.h"
#include "harness/serve_mcp/tool_table.h"

// mcp: the harness as a tool of agents.
namespace harness {
namespace {

struct McpArguments {
  std::string session = "agents", budget, device = "auto", listen, connect, allow;
  AskedTimes times;
  double max_cost_usd = 0, usd_per_hour = 0;
  std::int64_t job = 0;
};

void refuse_preloads() {
  for (const char* name : {"LD_PRELOAD", "LD_AUDIT"})
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0')
      throw bad_input(fmt::format("{} is set: what it loads could change how candidates are judged; unset it", name));
}

std::vector<unsigned> allowed_users(const std::string& text) {
  if (text.empty()) return {getuid()};
  std::vector<unsigned> users;
  for (const std::string& word : split_commas(text)) {
    const bool number = word.find_first_not_of("0123456789") == std::string::npos;
    const passwd* const found = number ? nullptr : getpwnam(word.c_str());
    if (!number && found == nullptr) throw bad_input(fmt::format("--allow: there is no user '{}' here", word));
    users.push_back(number ? static_cast<unsigned>(std::stoul(word)) : found->pw_uid);
  }
  return users;
}

CampaignRecord session_record(const McpArguments& arguments, const Shell& shell) {
  CampaignRecord record;
  record.name = arguments.session;
  if (!arguments.budget.empty()) record.budget_s = parse_duration(arguments.budget);
  if (arguments.max_cost_usd > 0) record.max_cost_usd = arguments.max_cost_usd;
  if (arguments.usd_per_hour > 0) record.usd_per_hour = arguments.usd_per_hour;
  if (record.max_cost_usd && !record.usd_per_hour)
    throw bad_input("--max-cost needs the device's price; give --usd-per-hour too");
  record.environment = {{"revision", shell.rooms.program.revision}};
  return record;
}

void serve(const McpArguments& arguments, int input, int output, Shell& shell) {
  signal(SIGPIPE, SIG_IGN);
  mcp::HarnessTools tools(mcp::workshop_of(shell, arguments.device, arguments.times, session_record(arguments, shell)));
  const mcp::ServerIdentity identity{"harness", shell.rooms.program.number, mcp::kInstructions};
  mcp::Server(identity, tools, input, output).serve();
}

int run_mcp(const McpArguments& arguments, Shell& shell) {
  if (!arguments.connect.empty()) {
    signal(SIGPIPE, SIG_IGN);
    mcp::connect_to(arguments.connect);
    return 0;
  }
  refuse_preloads();
  if (arguments.job > 0) return do_agent_job(arguments.job, mcp::program_hash(), shell);
  session_record(arguments, shell);  // a wrong limit is told before a client waits
  if (arguments.listen.empty()) serve(arguments, STDIN_FILENO, STDOUT_FILENO, shell);
  else
    mcp::listen_at(arguments.listen, allowed_users(arguments.allow),
                   [&](int input, int output) { serve(arguments, input, output, shell); });
  return 0;
}

}  // namespace

void define_mcp(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<McpArguments>();
  app.add_option("--session", arguments->session,
                 "The name that all clients with one budget give; it lies in the store and outlives this server")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--budget", arguments->budget,
                 "Seconds of the device for the whole session; can only lower what it has")
      ->type_name("30m");
  app.add_option("--max-cost", arguments->max_cost_usd, "US dollars for the whole session; needs --usd-per-hour")
      ->check(CLI::PositiveNumber);
  app.add_option("--usd-per-hour", arguments->usd_per_hour, "The device's price")->check(CLI::PositiveNumber);
  app.add_option("--device", arguments->device, shell.rooms.device_words)->capture_default_str();
  add_times_options(app, arguments->times);
  auto* listen = app.add_option("--listen", arguments->listen, "Serve clients at this socket instead of standard input")
                     ->type_name("SOCKET");
  app.add_option("--allow", arguments->allow, "Whose processes may connect to it (default: this user's alone)")
      ->type_name("USER,...")
      ->needs(listen);
  app.add_option("--connect", arguments->connect, "Carry standard input and output to the server at this socket")
      ->type_name("SOCKET")
      ->excludes(listen);
  app.add_option("--job", arguments->job)->group("");  // what a server starts: does one job and ends
  add_shared_options(app, shell);
  action = [arguments, &shell] { return run_mcp(*arguments, shell); };
}

}  // namespace harness
