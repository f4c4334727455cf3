#include "harness/cli/proposals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/cli/asking.h"
#include "harness/core/error.h"
#include "harness/core/secrets.h"
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

/// A request is one JSON object; of an older form, its text.
json request_object(const std::string& text) {
  json request = json::parse(text, nullptr, false);
  return request.is_discarded() ? json(text) : request;
}

/// What a reply was worth: 0 where nothing of it ran or passed, else the logarithm of its best speedup over the best of
/// the time when it was asked; null where it was not the model's doing, or nobody has judged it.
json reward_of(const ProposalRecord& record, const json& request, const json& became, const json& speedup) {
  switch (record.outcome) {
    case ProposalOutcome::unavailable:
    case ProposalOutcome::interrupted:
    case ProposalOutcome::failed:
    case ProposalOutcome::timed_out:
      return nullptr;
    case ProposalOutcome::accepted:
      break;
    default:
      return 0.0;
  }
  if (became.is_null()) return nullptr;
  if (!speedup.is_number()) return 0.0;
  double before = 1;  // the best was so many times as fast as the baseline
  const json best = request.is_object() ? request.value("best_ns", json()) : json();
  const json baseline = request.is_object() ? request.value("baseline_ns", json()) : json();
  if (best.is_number() && baseline.is_number() && best.get<double>() > 0)
    before = baseline.get<double>() / best.get<double>();
  return std::max(0.0, std::log(speedup.get<double>() / std::max(1.0, before)));
}

/// The columns of a row by their names.
json named_row(const SqlAnswer& answer, const json& row) {
  json named = json::object();
  for (std::size_t i = 0; i < answer.columns.size(); ++i) named[answer.columns[i]] = row.at(i);
  return named;
}

}  // namespace

int print_proposers(Archive& archive, std::optional<std::int64_t> campaign, const Asking& asking) {
  json rows = archive.history().proposer_table(campaign);
  double usd = 0;
  for (const json& row : rows)
    if (row.at("usd").is_number()) usd += row.at("usd").get<double>();
  for (json& row : rows)
    row["of_usd"] = usd > 0 && row.at("usd").is_number() ? json(row.at("usd").get<double>() / usd) : json();
  print_rows(report::proposer_view(), rows, asking);
  return 0;
}

int print_episodes(Archive& archive, std::optional<std::int64_t> campaign, std::int64_t limit) {
  const SqlAnswer answer = archive.history().proposal_table(campaign, limit);
  for (auto row = answer.rows.rbegin(); row != answer.rows.rend(); ++row) {  // the oldest first
    const json shown = named_row(answer, *row);
    const std::int64_t id = shown.at("proposal");
    for (const ProposalRecord& record : archive.ledger().proposals(shown.at("campaign"))) {
      if (record.id != id || record.request.empty()) continue;  // a winner of the record was asked of nobody
      const json request = request_object(record.request);
      const json became = shown.value("became", json()), speedup = shown.value("best_speedup", json());
      report::out_json({{"proposal", id},
                        {"campaign", record.campaign},
                        {"kernel", record.arm.kernel},
                        {"workload", record.arm.workload},
                        {"request", request},
                        {"reply", record.reply},
                        {"verdict",
                         {{"outcome", std::string(name(record.outcome))},
                          {"became", became},
                          {"speedup", speedup},
                          {"message", without_secrets(record.message)}}},
                        {"reward", reward_of(record, request, became, speedup)},
                        {"model", record.usage.model ? json(*record.usage.model) : json()},
                        {"usd", record.usage.usd ? json(*record.usage.usd) : json()}});
    }
  }
  return 0;
}

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
