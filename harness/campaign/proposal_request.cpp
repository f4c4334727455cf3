#include "harness/campaign/proposal_request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/campaign/proposal_reply.h"
#include "harness/core/gpu.h"
#include "harness/core/secrets.h"
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

bool includes(const RequestParts& parts, const std::string& header) {
  return std::ranges::any_of(parts.parents, [&](const RequestParent& parent) {
    return parent.texts.source.find("<" + header + ">") != std::string::npos;
  });
}

/// "tma" of "harness/tma.cuh" is in the technique "tma-pipeline".
bool is_wanted(const RequestParts& parts, const std::string& header) {
  const std::size_t from = header.rfind('/') + 1;
  const std::string stem = header.substr(from, header.rfind('.') - from);
  return !stem.empty() && parts.arm.technique.find(stem) != std::string::npos;
}

/// Headers that the parents include and that the technique is named after with their texts, of the others a line each.
Ordered headers_of(const RequestParts& parts) {
  Ordered headers = Ordered::array();
  std::set<std::string> variants_told;
  for (const auto& [header, what] : parts.kernel.wrappers) {
    if (!variants_told.insert(header).second) continue;
    if (includes(parts, header) || is_wanted(parts, header))
      headers.push_back(fmt::format("#include <{}>: {}", header, shortened(what, kLongestHeader)));
    else if (const std::string line = header_line(header, what); !line.empty()) headers.push_back(line);
  }
  return headers;
}

Ordered contract_of(const RequestParts& parts) {
  const Problem& problem = parts.problem;
  Ordered arguments = Ordered::array();
  for (const Argument& input : problem.arguments) {
    Ordered argument = {{"name", input.name}, {"kind", std::string(name(input.kind))}};
    if (is_tensor(input.kind)) {
      argument["dtype"] = std::string(name(input.dtype));
      argument["shape"] = input.shape;
      if (input.align > 0) argument["align"] = input.align;
    }
    if (input.absent) argument["absent"] = true;
    arguments.push_back(std::move(argument));
  }
  Ordered sizes = Ordered::object();
  for (const auto& [size, value] : problem.workload.values) sizes[size] = to_text(value);
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
          {"batch_invariant", problem.batch_invariant},
          {"headers", headers_of(parts)}};
}

Ordered parent_of(const RequestParent& parent) {
  Ordered headers = Ordered::array();
  for (const auto& [header, text] : parent.texts.headers) headers.push_back({{"name", header}, {"text", text}});
  return {{"variant", parent.variant},          {"source", parent.texts.source},      {"headers", std::move(headers)},
          {"manifest", parent.texts.manifest},  {"config", Ordered(parent.config)},   {"outcome", parent.outcome},
          {"time_ns", or_null(parent.time_ns)}, {"speedup", or_null(parent.speedup)}, {"diagnosis", parent.diagnosis}};
}

Ordered try_of(const RequestTry& attempt) {
  Ordered object = {{"variant", attempt.variant}, {"outcome", attempt.outcome}};
  if (attempt.speedup) object["speedup"] = *attempt.speedup;
  if (!attempt.configs.empty()) object["configurations"] = attempt.configs;
  if (!attempt.hypothesis.empty()) object["hypothesis"] = shortened(attempt.hypothesis, kLongestMessage);
  if (!attempt.fingerprint.empty()) object["fingerprint"] = attempt.fingerprint;
  // A compiler's words are its own; those of gates may hold seeds and tolerances.
  if (!attempt.message.empty())
    object["message"] = shortened(
        attempt.outcome == "compile_error" ? attempt.message : without_secrets(attempt.message), kLongestMessage);
  return object;
}

std::string written(const RequestParts& parts, const std::vector<std::string>& left_out) {
  Ordered request = {{"schema", 1}, {"kernel", parts.arm.kernel}, {"contract", contract_of(parts)}};
  request["device"] = told_device(parts.device);
  request["reply"] = reply_form();
  request["floor_ns"] = or_null(parts.floor_ns);
  if (!parts.floor_terms.empty()) request["floor"] = parts.floor_terms;
  request["baseline_ns"] = or_null(parts.baseline_ns);
  request["technique"] = parts.arm.technique;
  request["pages"] = Ordered::array();
  for (const auto& [title, text] : parts.pages)
    request["pages"].push_back({{"title", title}, {"text", shortened(text, kLongestPage)}});
  request["parents"] = Ordered::array();
  for (const RequestParent& parent : parts.parents) request["parents"].push_back(parent_of(parent));
  request["tried"] = Ordered::array();
  for (const RequestTry& attempt : parts.tried) request["tried"].push_back(try_of(attempt));
  request["notes"] = Ordered::array();
  for (const std::string& note : parts.notes) request["notes"].push_back(shortened(note, kLongestMessage));
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

/// The oldest of this campaign.
void leave_out_tries(RequestParts& parts, std::size_t count) {
  const auto from = parts.tried.begin() + static_cast<std::ptrdiff_t>(std::min(parts.first_tried, parts.tried.size()));
  parts.tried.erase(from, from + static_cast<std::ptrdiff_t>(count));
}

/// Leaves out the least important part that is left, and says which; "" where nothing more can be.
std::string leave_out_one(RequestParts& parts) {
  // The record's tries are few and the best: those of this campaign go first.
  const std::size_t own = parts.tried.size() - std::min(parts.first_tried, parts.tried.size());
  if (own > 4) {
    leave_out_tries(parts, own / 2);
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
    parts.tried.pop_back();
    parts.first_tried = std::min(parts.first_tried, parts.tried.size());
    return "older tries";
  }
  if (!parts.notes.empty()) {
    parts.notes.pop_back();
    return "notes";
  }
  if (!parts.kernel.wrappers.empty()) {
    parts.kernel.wrappers.clear();
    return "headers that may be included";
  }
  return "";
}

}  // namespace

std::string header_line(const std::string& header, const std::string& what) {
  constexpr std::size_t kLongestLine = 160;
  // Made for sources that an adoption took over: nobody writes by them.
  const std::size_t from = header.rfind('/') + 1;
  if (header.compare(from, 5, "wide_") == 0 || what.find("adopt") != std::string::npos) return "";
  // Of a long one its first comment comes first, without slashes; a short one is its text.
  const bool is_text = what.starts_with("#") || what.starts_with("//");
  std::string text;
  for (std::size_t at = 0; at < what.size();) {
    const std::size_t end = std::min(what.find('\n', at), what.size());
    std::string_view line = std::string_view(what).substr(at, end - at);
    at = end + 1;
    const bool is_words = is_text ? line.starts_with("//") : !line.empty();
    if (is_text && is_words) line.remove_prefix(std::min(line.find_first_not_of('/'), line.size()));
    if (is_words) text += (line.starts_with(" ") ? "" : " ") + std::string(line);
    else if (!text.empty()) break;
  }
  const std::size_t sentence = text.find(". ");
  text = text.substr(0, sentence == std::string::npos ? text.size() : sentence);
  return fmt::format("<{}>{}{}", header, text.empty() ? "" : ":", shortened(text, kLongestLine));
}

nlohmann::ordered_json told_device(const DeviceInfo& device) {
  const DeviceInfo gpu = written_for(device);
  Ordered device_facts = {{"name", device.name},
                          {"architecture", gpu.architecture},
                          {"emulation", device.emulation},
                          {"multiprocessors", gpu.multiprocessors},
                          {"max_threads_per_block", device.max_threads_per_block},
                          {"max_shared_bytes", device.max_shared_bytes},
                          {"l2_bytes", gpu.l2_bytes}};
  if (gpu.peak_bytes_per_s > 0) device_facts["bytes_per_s"] = gpu.peak_bytes_per_s;
  for (const auto& [dtype, flops] : gpu.peak_flops)
    if (flops > 0) device_facts["flops"][dtype] = flops;
  if (gpu.peak_exps_per_s > 0) device_facts["exps_per_s"] = gpu.peak_exps_per_s;
  return device_facts;
}

std::int64_t estimated_tokens(std::string_view text) {
  return static_cast<std::int64_t>(static_cast<double>(text.size()) / kBytesPerToken) + 1;
}

std::string request_text(RequestParts parts, std::int64_t most_tokens) {
  std::vector<std::string> left_out;
  if (parts.tried.size() > parts.first_tried + kMostTried) {
    leave_out_tries(parts, parts.tried.size() - parts.first_tried - kMostTried);
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
