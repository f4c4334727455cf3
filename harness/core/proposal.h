#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/enum_text.h"
#include "harness/core/json.h"
#include "harness/core/strategy.h"

// Variants that a program outside proposes: a model, a script, a person. Several may be asked for at once; what it
// answers is text, and what is made of the text is judged like any other variant.
namespace harness {

/// What became of one request. All but `accepted` leave nothing to evaluate.
///   twin: the same source as a known variant or an earlier proposal   unparsable: no reply of the form that was asked
///   unappliable: an edit does not fit its parent                      unusable: source or manifest make no variant
///   refused: the proposer says that it will not                       truncated: the reply breaks off
///   too_long: more than is read of a reply                            timed_out, failed: of the program
///   unavailable: it could not be asked                                interrupted: by the user
enum class ProposalOutcome {
  accepted,
  twin,
  unparsable,
  unappliable,
  unusable,
  refused,
  truncated,
  too_long,
  timed_out,
  failed,
  unavailable,
  interrupted
};

/// What a request cost, as far as it is known. `usd_source`: "proposer" (it said so), "token price" (tokens times the
/// campaign's price); "": unknown.
struct ProposalUsage {
  std::optional<std::string> model;
  std::optional<std::int64_t> tokens_in, tokens_out, tokens_cached;
  std::optional<double> usd;
  std::string usd_source;
};

/// US dollars for a million tokens.
struct TokenPrice {
  double in = 0, out = 0, cached = 0;
};

/// Whoever is asked: a SPEC, "NAME=" before it where it shall have that name.
struct AskedProposer {
  std::string spec;
  std::optional<TokenPrice> price;
};
/// NAME of "NAME=KIND:REST"; without one the whole SPEC is the name.
std::string proposer_name(const std::string& spec);
/// The SPEC without its name.
std::string unnamed(const std::string& spec);

/// The `proposer` of a variant that a campaign took over from the record.
inline constexpr const char* kFromRecord = "record";

/// One request and all that came of it, as it is recorded.
struct ProposalRecord {
  std::int64_t id = 0, campaign = 0, decision = 0;
  std::int64_t number = 0;                // within the campaign, from 1
  std::optional<std::int64_t> second_to;  // the number of the proposal whose reply was unusable, which this one mends
  ArmId arm;                              // what the strategy wanted more of
  std::string ask;                        // in words: "a new variant", "a fix of a failure"
  std::vector<std::string> parents;       // variants; edits apply to the first
  std::string proposer;                   // its SPEC
  std::string request, reply, log;        // texts; `log`: what a program wrote to its standard error
  ProposalUsage usage;
  double latency_s = 0;
  double asked_unix = 0;
  ProposalOutcome outcome = ProposalOutcome::failed;
  std::string message;  // why it was not accepted, a sentence
  std::string hypothesis;
  std::optional<std::string> label;
  std::optional<double> predict_lo, predict_hi;  // speedup over the baseline
  std::string twin;                              // the variant that it repeats
  std::optional<std::int64_t> twin_iteration;    // of this campaign, where that one was evaluated
  std::string variant;                           // its name, where it was accepted
  std::string source, manifest;                  // texts of that variant; the manifest is whole
  std::string normal_hash;  // of the source without comments and spaces, and the manifest's changes
};

/// What came back of one request.
struct ProposerAnswer {
  enum class End { answered, timed_out, too_long, failed, unavailable };
  End end = End::failed;
  std::string text, log;
  std::string why;  // of all but `answered`, a sentence
  double latency_s = 0;
  std::int64_t number = 0;  // of the request that it answers
  /// A replay's: what was recorded, to be taken as it is.
  std::optional<ProposalRecord> recorded;
};

/// Port to whatever proposes. Several requests may be under way; each is known by its record's number.
class Proposer {
 public:
  virtual ~Proposer() = default;
  /// As the user named it; holds no secret.
  virtual std::string spec() const = 0;
  /// False: nothing more will be answered, and begin() must not be called.
  virtual bool ready() { return true; }
  /// Sends a request, which is given up after `deadline_s`. `record` says what it is for; a replay answers by that, and
  /// needs no text.
  virtual void begin(const ProposalRecord& record, double deadline_s) = 0;
  virtual bool needs_request() const { return true; }
  /// An answer to any request under way, once one is there. Waits up to so many seconds for it, or until `stop` says
  /// so.
  virtual std::optional<ProposerAnswer> take(double patience_s, const std::function<bool()>& stop) = 0;
  /// Ends all requests that are under way; their answers never come.
  virtual void cancel() = 0;
};

void to_json(json& to, const ProposalUsage& value);
void from_json(const json& from, ProposalUsage& value);
void to_json(json& to, const ProposalRecord& value);
void from_json(const json& from, ProposalRecord& value);
void to_json(json& to, const AskedProposer& value);
void from_json(const json& from, AskedProposer& value);
void to_json(json& to, const TokenPrice& value);
void from_json(const json& from, TokenPrice& value);
HARNESS_ENUM_TEXT(ProposalOutcome);

}  // namespace harness
