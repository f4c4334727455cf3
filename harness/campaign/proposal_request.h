#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/catalog.h"
#include "harness/core/ledger.h"
#include "harness/core/proposal.h"

namespace harness {

/// A variant that a proposer may begin with.
struct RequestParent {
  std::string variant;
  VariantTexts texts;
  json config;          // its fastest, or its first
  std::string outcome;  // of the last evaluation, or "not tried"
  std::optional<double> time_ns, speedup;
  std::vector<std::string> diagnosis;  // sentences: what was counted or measured, what went wrong
};

/// Something that was tried on the workload, newest last.
struct RequestTry {
  std::string variant, hypothesis, outcome, message, fingerprint;
  std::optional<double> speedup;
  std::string configs = {};  // "BLOCK=256: 1.41x, BLOCK=128: 1.2x"; "" where there is nothing to compare
};

struct RequestParts {
  std::string id, ask;
  ArmId arm;
  Problem problem;
  KernelTexts kernel;
  DeviceInfo device;
  std::vector<RequestParent> parents;  // the most important first
  std::vector<RequestTry> tried;       // of the record first, then of this campaign, the newest last
  std::size_t first_tried = 0;         // of this campaign
  std::vector<std::string> notes;      // what others learnt, newest first
  std::vector<std::pair<std::string, std::string>> pages;  // title and text
  std::string floor_terms;                                 // what the floor is made of
  std::optional<double> floor_ns, best_ns, baseline_ns, left_s, left_usd;
  std::vector<std::string> asked_beside;  // what was asked of requests that are still under way
  std::string problem_of_reply;           // of a second question: what was wrong with the first reply; "" else
  std::string last_reply, outcome_of_reply;
  std::optional<std::int64_t> tokens_of_reply;
};

/// A device as proposers and agents are told of it.
nlohmann::ordered_json told_device(const DeviceInfo& device);

/// "<harness/vec.cuh>: what it is for" of a header and its text, by its first comment; "" for one that nobody writes a
/// source by.
std::string header_line(const std::string& header, const std::string& what);

/// About what a text is in tokens of a language model: it may be a third off.
std::int64_t estimated_tokens(std::string_view text);

/// The request of CLI.md, one line of JSON. What is the same in every request of a kernel stands first, so that prompt
/// caches hold it, and what differs each time last. It is estimated at no more than `most_tokens`: what was tried,
/// pages and further parents are left out first, and `left_out` says what; the contract and the first parent never.
std::string request_text(RequestParts parts, std::int64_t most_tokens);

}  // namespace harness
