#include "harness/campaign/proposal_request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "harness/campaign/proposal_reply.h"
#include "harness/core/utf8.h"

namespace harness {
namespace {

using Ordered = nlohmann::ordered_json;  // keys in the order in which they are written

constexpr double kBytesPerToken = 3.2;  // of code and JSON; prose has more
constexpr std::size_t kMostTried = 24, kLongestMessage = 400, kLongestPage = 6000, kLongestReply = 4000;
constexpr std::size_t kLongestHeader = 1600;

std::string shortened(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : valid_utf8(text.substr(0, most)) + " [...]";
}

template <typename T>
Ordered or_null(const std::optional<T>& value) {
  return value ? Ordered(*value) : Ordered();
}

Ordered contract_of(const RequestParts& parts) {
  const Problem& problem = parts.problem;
  Ordered arguments = Ordered::array();
  for (const Argument& each : problem.arguments) {
    Ordered argument = {{"name", each.name}, {"kind", std::string(name(each.kind))}};
    if (is_tensor(each.kind)) {
      argument["dtype"] = std::string(name(each.dtype));
      argument["shape"] = each.shape;
      if (each.align > 0) argument["align"] = each.align;
    }
    if (each.absent) argument["absent"] = true;
    arguments.push_back(std::move(argument));
  }
  Ordered sizes = Ordered::object();
  for (const auto& [size, value] : problem.workload.values) sizes[size] = to_text(value);
  Ordered wrappers = Ordered::array();
  for (const auto& [header, what] : parts.kernel.wrappers)
    wrappers.push_back(fmt::format("#include <{}>: {}", header, shortened(what, kLongestHeader)));
  return {{"words",
           "Write a CUDA C++ device source for this kernel. It must compute what the reference computes for every "
           "shape that the manifest calls valid, not only the timed one. It is judged on hidden inputs and sizes, for "
           "correctness, memory errors and determinism, and then timed. It may include the headers below and the "
           "toolkit's device headers, nothing else."},
          {"reference", parts.kernel.reference},
          {"domain", parts.kernel.domain},
          {"arguments", std::move(arguments)},
          {"workload", {{"name", parts.arm.workload}, {"sizes", std::move(sizes)}}},
          {"work",
           {{"bytes", problem.work.bytes}, {"flops", Ordered(json(problem.work.flops))}, {"exps", problem.work.exps}}},
          {"deterministic", problem.deterministic},
          {"headers", std::move(wrappers)}};
}

Ordered parent_of(const RequestParent& parent) {
  Ordered headers = Ordered::array();
  for (const auto& [header, text] : parent.texts.headers) headers.push_back({{"name", header}, {"text", text}});
  return {{"variant", parent.variant},          {"source", parent.texts.source},      {"headers", std::move(headers)},
          {"manifest", parent.texts.manifest},  {"config", Ordered(parent.config)},   {"outcome", parent.outcome},
          {"time_ns", or_null(parent.time_ns)}, {"speedup", or_null(parent.speedup)}, {"diagnosis", parent.diagnosis}};
}

Ordered try_of(const RequestTry& tried) {
  Ordered object = {{"variant", tried.variant}, {"outcome", tried.outcome}};
  if (tried.speedup) object["speedup"] = *tried.speedup;
  if (!tried.hypothesis.empty()) object["hypothesis"] = shortened(tried.hypothesis, kLongestMessage);
  if (!tried.fingerprint.empty()) object["fingerprint"] = tried.fingerprint;
  if (!tried.message.empty()) object["message"] = shortened(tried.message, kLongestMessage);
  return object;
}

std::string written(const RequestParts& parts, const std::vector<std::string>& left_out) {
  Ordered request = {{"schema", 1}, {"kernel", parts.arm.kernel}, {"contract", contract_of(parts)}};
  request["device"] = told_device(parts.device);
  request["reply"] = reply_form();
  request["floor_ns"] = or_null(parts.floor_ns);
  request["baseline_ns"] = or_null(parts.baseline_ns);
  request["technique"] = parts.arm.technique;
  request["pages"] = Ordered::array();
  for (const auto& [title, text] : parts.pages)
    request["pages"].push_back({{"title", title}, {"text", shortened(text, kLongestPage)}});
  request["parents"] = Ordered::array();
  for (const RequestParent& parent : parts.parents) request["parents"].push_back(parent_of(parent));
  request["tried"] = Ordered::array();
  for (const RequestTry& tried : parts.tried) request["tried"].push_back(try_of(tried));
  request["best_ns"] = or_null(parts.best_ns);
  request["ask"] = parts.ask;
  if (!parts.asked_beside.empty()) request["asked_beside"] = parts.asked_beside;
  if (!parts.problem_of_reply.empty())
    request["again"] = {{"wrong", parts.problem_of_reply},
                        {"outcome", parts.outcome_of_reply},
                        {"tokens_out", or_null(parts.tokens_of_reply)},
                        {"your_reply", shortened(parts.last_reply, kLongestReply)}};
  if (!left_out.empty()) request["left_out"] = left_out;
  request["budget"] = {{"left_s", or_null(parts.left_s)}, {"left_usd", or_null(parts.left_usd)}};
  request["id"] = parts.id;
  return request.dump(-1, ' ', false, Ordered::error_handler_t::replace);
}

/// Leaves out the least important part that is left, and says which; "" where nothing more can be.
std::string leave_out_one(RequestParts& parts) {
  if (parts.tried.size() > 4) {
    const std::size_t half = parts.tried.size() / 2;
    parts.tried.erase(parts.tried.begin(), parts.tried.begin() + static_cast<std::ptrdiff_t>(half));
    return "older tries";
  }
  if (!parts.pages.empty()) {
    parts.pages.pop_back();
    return "pages";
  }
  if (parts.parents.size() > 1) {
    parts.parents.pop_back();
    return "parents but the first";
  }
  if (!parts.parents.empty() && !parts.parents.front().texts.headers.empty()) {
    parts.parents.front().texts.headers.pop_back();
    return "headers of the parent";
  }
  if (!parts.tried.empty()) {
    parts.tried.erase(parts.tried.begin());
    return "older tries";
  }
  if (!parts.kernel.wrappers.empty()) {
    parts.kernel.wrappers.clear();
    return "headers that may be included";
  }
  return "";
}

}  // namespace

nlohmann::ordered_json told_device(const DeviceInfo& device) {
  return {{"name", device.name},
          {"architecture", device.architecture},
          {"emulation", device.emulation},
          {"multiprocessors", device.multiprocessors},
          {"max_threads_per_block", device.max_threads_per_block},
          {"max_shared_bytes", device.max_shared_bytes},
          {"l2_bytes", device.l2_bytes}};
}

std::int64_t estimated_tokens(std::string_view text) {
  return static_cast<std::int64_t>(static_cast<double>(text.size()) / kBytesPerToken) + 1;
}

std::string request_text(RequestParts parts, std::int64_t most_tokens) {
  std::vector<std::string> left_out;
  if (parts.tried.size() > kMostTried) {
    parts.tried.erase(parts.tried.begin(), parts.tried.end() - kMostTried);
    left_out.emplace_back("older tries");
  }
  for (;;) {
    std::string text = written(parts, left_out);
    if (estimated_tokens(text) <= most_tokens) return text;
    const std::string part = leave_out_one(parts);
    if (part.empty()) return text;
    if (std::find(left_out.begin(), left_out.end(), part) == left_out.end()) left_out.push_back(part);
  }
}

}  // namespace harness
