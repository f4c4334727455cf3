#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "harness/campaign/reply_text.h"
#include "harness/core/catalog.h"
#include "harness/core/proposal.h"

// What a proposer answered, read with distrust: text in, plain values or a sentence out.
namespace harness {

struct SourceEdit {
  std::string search, replace;
};

struct ProposalReply {
  std::optional<std::string> source;  // a whole file; else `edits`
  std::vector<SourceEdit> edits;
  json manifest = json::object();  // the changed parts
  std::string hypothesis;
  std::string lesson;  // what was learnt from what was tried, a sentence; "": nothing was said
  std::optional<std::string> label;
  std::optional<double> predict_lo, predict_hi;
};

/// Reads the reply's usage into `usage`, also where the rest is unusable. A program that asks a server may hand on what
/// it said as {"text", "end", "usage"}: `end` is "length" where a limit cut it. The text is read by reply_object.
std::variant<ProposalReply, ReplyProblem> read_reply(const std::string& text, ProposalUsage& usage);

/// What a model said, of a reply as a program handed it on.
std::string said_in(const std::string& reply);

/// Why these are no changed parts of a manifest (an object by name, of a bounded size; functions as texts).
std::optional<ReplyProblem> manifest_problem(const json& parts);

/// The source after the edits, each of which must fit exactly one place of what the one before left.
std::variant<std::string, ReplyProblem> edited_source(const std::string& parent, const std::vector<SourceEdit>& edits);

/// The manifest of a proposed variant, Lua text over its parent's.
struct ManifestChange {
  std::string technique;
  double speedup_lo = 1, speedup_hi = 1, probability = 0.5;
  json parts = json::object();  // checked by read_reply
};
std::string changed_manifest(const std::string& parent, const ManifestChange& change);
/// A recorded manifest of that kind as a variant of another campaign: its technique by that campaign's name, and what
/// it is expected to do, by what it did.
std::string recalled_manifest(const std::string& manifest, const std::string& technique, double speedup);
/// The manifest with this configuration as the one that a search begins with.
std::string manifest_started_at(const std::string& manifest, const Config& config);

/// A device source without its comments and spaces: what a proposal is recognized by.
std::string normal_source(const std::string& text);
/// Of a variant whose manifest changes nothing of its parent's, and of one that changes `parts` of `parent`'s.
std::string normal_hash(const std::string& source, const std::string& parent, const json& parts);

/// The form of a reply, in words, for the request.
std::string reply_form();

/// What a manifest may say, with an example of each part.
std::string manifest_form();

}  // namespace harness
