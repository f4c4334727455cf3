#include "harness/cli/proposals.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/report/events.h"
#include "harness/report/format.h"
#include "harness/report/out.h"
#include "harness/report/table.h"

namespace harness {
namespace {

constexpr std::size_t kLongestShown = 60;

std::string shown_cell(const json& value, bool whole) {
  std::string text = value.is_null() ? (whole ? "" : "-") : report::cell(value);
  if (!whole && text.size() > kLongestShown) text = report::clean(text.substr(0, kLongestShown)) + "...";
  return whole ? text : report::clean(text);
}

void print_part(const char* title, const std::string& text) {
  if (!text.empty()) report::out("--- %s\n%s\n", title, text.c_str());
}

}  // namespace

int print_proposals(Archive& archive, std::optional<std::int64_t> campaign, std::int64_t limit,
                    const std::string& format) {
  const SqlAnswer answer = archive.history().proposal_table(campaign, limit);
  if (format == "json") {
    json rows = json::array();
    for (const json& row : answer.rows) {
      json object = json::object();
      for (std::size_t i = 0; i < answer.columns.size(); ++i) object[answer.columns[i]] = row[i];
      rows.push_back(std::move(object));
    }
    report::out_json(rows);
    return 0;
  }
  report::Table table{answer.columns, {}};
  for (const json& row : answer.rows) {
    auto& cells = table.rows.emplace_back();
    for (const json& value : row) cells.push_back(shown_cell(value, format == "csv"));
  }
  const std::string text = format == "csv"        ? report::csv(table)
                           : format == "markdown" ? report::markdown(table)
                                                  : report::aligned(table);
  report::out("%s", text.c_str());
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
    report::tell("proposal %lld of campaign %lld by %s: %s%s\n", static_cast<long long>(record.number),
                 static_cast<long long>(record.campaign), report::clean(record.proposer).c_str(),
                 std::string(name(record.outcome)).c_str(),
                 record.variant.empty() ? "" : (", " + record.variant).c_str());
    report::tell("asked for %s on %s, technique %s: %s\n", record.arm.kernel.c_str(), record.arm.workload.c_str(),
                 report::clean(record.arm.technique).c_str(), report::clean(record.ask).c_str());
    if (!record.message.empty()) report::tell("%s\n", report::clean(record.message).c_str());
    if (!record.hypothesis.empty()) report::tell("hypothesis: %s\n", report::clean(record.hypothesis).c_str());
    if (record.predict_lo && record.predict_hi)
      report::tell("predicted: %.3gx to %.3gx over the baseline\n", *record.predict_lo, *record.predict_hi);
    const ProposalUsage& usage = record.usage;
    const auto count = [](const std::optional<std::int64_t>& tokens) { return tokens ? std::to_string(*tokens) : "?"; };
    report::tell("model %s, tokens %s in (%s cached), %s out, %s, %s\n",
                 report::clean(usage.model.value_or("unknown")).c_str(), count(usage.tokens_in).c_str(),
                 count(usage.tokens_cached).c_str(), count(usage.tokens_out).c_str(),
                 usage.usd ? fmt::format("${:.4f} by {}", *usage.usd, usage.usd_source).c_str() : "cost unknown",
                 report::seconds(record.latency_s).c_str());
    print_part("request", record.request);
    print_part("reply", record.reply);
    print_part("log", record.log);
    print_part("source", record.source);
    print_part("manifest", record.manifest);
  }
  return 0;
}

}  // namespace harness
