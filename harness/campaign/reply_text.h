#pragma once
#include <string>
#include <variant>

#include "harness/core/json.h"
#include "harness/core/proposal.h"

namespace harness {

/// Why nothing can be made of a reply.
struct ReplyProblem {
  ProposalOutcome outcome = ProposalOutcome::unparsable;
  std::string message;
};

/// What a model said, in whatever form, as one object with the keys of docs/proposers.md: source or edits, manifest,
/// hypothesis, label, predict, lesson, usage, refusal. Understood are JSON (with words, fences and a model's slips
/// around it), fenced CUDA with a fenced manifest, SEARCH/REPLACE blocks, unified diffs, calls of tools as models write
/// them, lists of parts, and a bare .cu file; thoughts before it are left out. tests/campaign/reply_text_test.cpp and
/// tests/fixtures/reply_shapes.py have a row for each.
std::variant<json, ReplyProblem> reply_object(const std::string& text);

}  // namespace harness
