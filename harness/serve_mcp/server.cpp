#include "harness/serve_mcp/server.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "harness/core/error.h"
#include "harness/serve_mcp/lists.h"

namespace harness::mcp {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::size_t kLongestLine = 8 << 20;
constexpr int kLookMs = 25;             // between two looks at the jobs that calls wait for
constexpr double kProgressS = 1;        // between two words of progress
constexpr double kProgressGapS = 0.15;  // before an answer: some clients lose progress that comes right before it

double since(Clock::time_point moment) {
  return Seconds(Clock::now() - moment).count();
}

}  // namespace

struct Server::Pending {
  json id, token;  // token: of progress; null: nobody asked
  const Era* era = nullptr;
  std::int64_t job = 0;
  bool began = false;
  double wait_s = 0;
  Clock::time_point since = Clock::now(), told{};
  int words = 0;
  std::optional<Answer> found;  // it only waits for the gap
};

Server::Server(ServerIdentity identity, Toolbox& toolbox, int input, int output)
    : identity_(std::move(identity)), toolbox_(toolbox), input_(input), output_(output) {}

Server::~Server() = default;

void Server::write(const std::string& line) {
  const std::string whole = line + "\n";
  for (std::size_t done = 0; done < whole.size();) {
    const ssize_t count = ::write(output_, whole.data() + done, whole.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      open_ = false;  // nobody reads any more
      return;
    }
    done += static_cast<std::size_t>(count);
  }
}

void Server::serve() {
  std::string unread;
  bool skipping = false;  // the rest of a line that was too long
  std::vector<char> bytes(1 << 16);
  while (open_) {
    pollfd waiting{input_, POLLIN, 0};
    const int ready = poll(&waiting, 1, pending_.empty() ? -1 : kLookMs);
    if (ready < 0 && errno != EINTR) return;
    if (ready > 0) {
      const ssize_t count = read(input_, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return;
      unread.append(bytes.data(), static_cast<std::size_t>(count));
    }
    for (std::size_t end = 0; open_ && (end = unread.find('\n')) != std::string::npos;) {
      const std::string line = unread.substr(0, end);
      unread.erase(0, end + 1);
      if (!std::exchange(skipping, false) && line.find_first_not_of(" \t\r") != std::string::npos) take(line);
    }
    if (unread.size() > kLongestLine) {
      if (!skipping) write(error_line(nullptr, {kInvalidRequest, "a message has 8 MiB at most", nullptr}));
      skipping = true;
      unread.clear();
    }
    look_at_pending();
  }
}

void Server::take(const std::string& line) {
  const auto read = read_message(line);
  if (const auto* bad = std::get_if<BadMessage>(&read)) write(error_line(bad->id, bad->error));
  else if (const auto* message = std::get_if<RpcMessage>(&read)) handle(*message);
}

void Server::handle(const RpcMessage& message) {
  if (message.notification()) {
    notify(message);
    return;
  }
  const auto version = stated_version(message.params);
  if (version)
    if (const auto refused = refused_version(*version)) {
      write(error_line(message.id, *refused));
      return;
    }
  const Era& era = version || message.method == "server/discover" ? stateless_era() : handshake_era();
  try {
    answer(message, era);
  } catch (const Error& error) {
    write(error_line(message.id, {kInvalidParams, error.what(), nullptr}));
  } catch (const std::exception& error) {
    write(error_line(message.id, {kInternalError, error.what(), nullptr}));
  }
}

void Server::answer(const RpcMessage& message, const Era& era) {
  const auto reply = [&](Answer result, Keeping keeping) {
    write(result_line(message.id, era.result(std::move(result), keeping)));
  };
  const std::string& method = message.method;
  if (!era.has(method)) write(error_line(message.id, {kMethodNotFound, "no method '" + method + "'", nullptr}));
  else if (method == "initialize") reply(initialize_result(message.params, identity_), kNotKept);
  else if (method == "server/discover") write(result_line(message.id, discover_result(identity_)));
  else if (method == "ping") reply(json::object(), kNotKept);
  else if (method == "tools/list") reply(listed(toolbox_.tools()), kKeptLong);
  else if (method == "tools/call") call_tool(message, era);
  else if (method == "resources/list") reply(listed(toolbox_.resources()), kKeptBriefly);
  else if (method == "resources/templates/list") reply(listed_templates(toolbox_.resource_templates()), kKeptLong);
  else if (method == "resources/read") read_resource(message, era);
  else if (method == "prompts/list") reply(listed(toolbox_.prompts()), kKeptLong);
  else if (method == "prompts/get") get_prompt(message, era);
  else write(error_line(message.id, {kMethodNotFound, "no method '" + method + "'", nullptr}));
}

Answer Server::tool_result(const Answer& answer) {
  return {{"content", Answer::array({{{"type", "text"}, {"text", text_of(answer)}}})},
          {"structuredContent", answer},
          {"isError", !answer.value("ok", false)}};
}

void Server::call_tool(const RpcMessage& message, const Era& era) {
  const json name = message.params.value("name", json());
  const auto& tools = toolbox_.tools();
  if (!name.is_string() ||
      std::none_of(tools.begin(), tools.end(), [&](const Tool& each) { return each.name == name; })) {
    write(error_line(message.id, {kInvalidParams, fmt::format("no tool {}", json_text(name)), nullptr}));
    return;
  }
  Pending pending;
  pending.id = message.id;
  pending.era = &era;
  const json meta = message.params.value("_meta", json::object());
  if (meta.is_object()) pending.token = meta.value("progressToken", json());
  try {
    const ToolStep step = toolbox_.call(name, message.params.value("arguments", json::object()));
    pending.job = step.job;
    pending.began = step.began;
    pending.wait_s = step.wait_s;
    if (step.job == 0) finish(pending, step.answer);
    else pending_.push_back(std::move(pending));
  } catch (const Error& error) {
    const bool input = error.kind() == Error::Kind::bad_input;
    finish(pending, failure(input ? "bad_input" : "environment", error.what(),
                            input ? "mend the arguments and call again" : "tell whoever runs this server"));
  }
}

void Server::finish(const Pending& pending, Answer found) {
  write(result_line(pending.id, pending.era->result(tool_result(bounded(std::move(found))), kNotKept)));
}

void Server::read_resource(const RpcMessage& message, const Era& era) {
  const json uri = message.params.value("uri", json());
  const auto text = uri.is_string() ? toolbox_.read_resource(uri) : std::nullopt;
  if (!text) {
    write(error_line(message.id, {kInvalidParams, "no resource " + json_text(uri), {{"uri", uri}}}));
    return;
  }
  const auto contents = Answer::array({{{"uri", uri}, {"mimeType", "text/plain"}, {"text", *text}}});
  write(result_line(message.id, era.result({{"contents", contents}}, kKeptBriefly)));
}

void Server::get_prompt(const RpcMessage& message, const Era& era) {
  const json name = message.params.value("name", json());
  const auto text =
      name.is_string() ? toolbox_.prompt_text(name, message.params.value("arguments", json::object())) : std::nullopt;
  if (!text) {
    write(error_line(message.id, {kInvalidParams, "no prompt " + json_text(name), nullptr}));
    return;
  }
  const auto said = Answer::array({{{"role", "user"}, {"content", {{"type", "text"}, {"text", *text}}}}});
  write(result_line(message.id, era.result({{"messages", said}}, kNotKept)));
}

void Server::notify(const RpcMessage& message) {
  if (message.method != "notifications/cancelled") return;
  const json id = message.params.value("requestId", json());
  const auto found = std::find_if(pending_.begin(), pending_.end(), [&](const Pending& each) { return each.id == id; });
  if (found == pending_.end()) return;
  if (found->began) toolbox_.cancel(found->job);
  pending_.erase(found);  // nothing further is sent for it
}

void Server::look_at_pending() {
  for (std::size_t at = 0; open_ && at < pending_.size();) {
    Pending& each = pending_[at];
    if (!each.found) {
      JobLook look = toolbox_.look(each.job);
      if (look.ended || since(each.since) >= each.wait_s) each.found = std::move(look.answer);
      else if (!each.token.is_null() && since(each.told) >= kProgressS) {
        write(notification_line("notifications/progress",
                                {{"progressToken", each.token}, {"progress", ++each.words}, {"message", look.doing}}));
        each.told = Clock::now();
      }
    }
    if (each.found && (each.words == 0 || since(each.told) >= kProgressGapS)) {
      finish(each, std::move(*each.found));
      pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(at));
    } else ++at;
  }
}

}  // namespace harness::mcp
