#include "harness/cli/proposals.h"

#include <fmt/format.h>

#include "harness/cli/asking.h"
#include "harness/core/error.h"
#include "harness/report/events.h"
#include "harness/report/format.h"
#include "harness/report/out.h"
#include "harness/report/table.h"

namespace harness {
namespace {

constexpr std::size_t kLongestShown = 60;

void print_part(const char* title, const std::string& text) {
  if (!text.empty()) report::out("--- {}\n{}\n", title, text);
}

}  // namespace

int print_proposals(Archive& archive, std::optional<std::int64_t> campaign, std::int64_t limit,
                    const std::string& format) {
  SqlAnswer answer = archive.history().proposal_table(campaign, limit);
  if (format == "table" || format == "markdown")
    for (json& row : answer.rows)
      for (json& value : row)
        if (value.is_string() && value.get_ref<const std::string&>().size() > kLongestShown)
          value = value.get_ref<const std::string&>().substr(0, kLongestShown) + "...";
  print_answer(answer, format);
  return 0;
}

int print_proposal(Archive& archive, std::int64_t proposal, bool as_json) {
  const std::optional<std::int64_t> campaign = archive.history().campaign_of_proposal(proposal);
  if (!campaign) throw bad_input(fmt::format("there is no proposal {}; see harness history --proposals", proposal));
  for (const ProposalRecord& record : archive.ledger().proposals(*campaign)) {
    if (record.id != proposal) continue;
    if (as_json) {
      json object = report::proposal_json(record);
      object.erase("event");
      for (const auto& [key, text] : {std::pair{"request", record.request},
                                      {"reply", record.reply},
                                      {"log", record.log},
                                      {"source", record.source},
                                      {"manifest", record.manifest}})
        object[key] = text;
      report::out_json(object);
      return 0;
    }
    report::tell("proposal {} of campaign {} by {}: {}{}\n", record.number, record.campaign,
                 report::clean(record.proposer), name(record.outcome),
                 record.variant.empty() ? "" : (", " + record.variant));
    report::tell("asked for {} on {}, technique {}: {}\n", record.arm.kernel, record.arm.workload,
                 report::clean(record.arm.technique), report::clean(record.ask));
    if (!record.message.empty()) report::tell("{}\n", report::clean(record.message));
    if (!record.hypothesis.empty()) report::tell("hypothesis: {}\n", report::clean(record.hypothesis));
    if (record.predict_lo && record.predict_hi)
      report::tell("predicted: {:.3g}x to {:.3g}x over the baseline\n", *record.predict_lo, *record.predict_hi);
    const ProposalUsage& usage = record.usage;
    const auto count = [](const std::optional<std::int64_t>& tokens) { return tokens ? std::to_string(*tokens) : "?"; };
    report::tell("model {}, tokens {} in ({} cached), {} out, {}, {}\n", report::clean(usage.model.value_or("unknown")),
                 count(usage.tokens_in), count(usage.tokens_cached), count(usage.tokens_out),
                 usage.usd ? fmt::format("${:.4f} by {}", *usage.usd, usage.usd_source).c_str() : "cost unknown",
                 report::seconds(record.latency_s));
    print_part("request", record.request);
    print_part("reply", record.reply);
    print_part("log", record.log);
    print_part("source", record.source);
    print_part("manifest", record.manifest);
  }
  return 0;
}

}  // namespace harness
