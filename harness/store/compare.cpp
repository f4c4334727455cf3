#include "harness/store/compare.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "harness/core/error.h"
#include "harness/core/gpu.h"
#include "harness/core/suggest.h"
#include "harness/store/campaigns.h"
#include "harness/store/figures.h"
#include "harness/store/history.h"

namespace harness::store {
namespace {

using KernelWorkload = std::pair<std::string, std::string>;  // kernel, workload

struct Side {
  json row = json::object();  // of `campaigns`; empty for a device
  json facts = json::object();
  std::map<KernelWorkload, json> bests;
};

void take_bests(Side& side, const json& bests) {
  for (const json& best : bests)
    side.bests[{best.at("kernel").get<std::string>(), best.at("workload").get<std::string>()}] = best;
}

Side read_side(Store& store, const ComparedSide& wanted) {
  Side side;
  if (!wanted.campaign) {
    json bests = best(store, {.limit = -1, .device = wanted.device_name});
    // Where nothing of it counts as evidence, what was imported is compared all the same.
    if (bests.empty()) bests = best(store, {.limit = -1, .device = wanted.device_name, .since_unix = 0});
    take_bests(side, bests);
    side.row["name"] = side.row["device_name"] = wanted.device_name;
    return side;
  }
  const json rows = campaigns(store, {.campaign = *wanted.campaign});
  if (rows.empty())
    throw bad_input(
        fmt::format("campaign {} is a single eval, which is not compared; see harness diff", *wanted.campaign));
  side.row = rows.at(0);
  side.facts = environment_facts(store, *wanted.campaign);
  take_bests(side, bests_of(store, *wanted.campaign));
  return side;
}

json fact_of(const json& object, const char* key) {
  return object.is_object() ? object.value(key, json()) : json();
}

json environment(const Side& a, const Side& b) {
  json rows = json::array();
  const auto add = [&](const char* what, const json& left, const json& right) {
    if (!left.is_null() || !right.is_null()) rows.push_back({{"what", what}, {"a", left}, {"b", right}});
  };
  for (const char* key : {"name", "device", "device_name", "begun", "strategy", "reason"})
    add(key, fact_of(a.row, key), fact_of(b.row, key));
  add("driver", fact_of(fact_of(a.facts, "device"), "driver"), fact_of(fact_of(b.facts, "device"), "driver"));
  add("driver_release", fact_of(a.facts, "driver_release"), fact_of(b.facts, "driver_release"));
  add("compiler", fact_of(fact_of(a.facts, "device"), "compiler"), fact_of(fact_of(b.facts, "device"), "compiler"));
  for (const char* key : {"host", "system", "harness", "revision"})
    add(key, fact_of(a.facts, key), fact_of(b.facts, key));
  return rows;
}

std::optional<double> number(const json& row, const char* key) {
  const json value = fact_of(row, key);
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

/// "H200" of a best that was predicted for one.
std::string predicted_for(const json& best) {
  const json device = fact_of(best, "device");
  return device.is_string() ? predicted_gpu(device) : "";
}

/// Two predictions that differ by less are the same, as in a campaign (evaluate/predicted_timing.cpp).
constexpr double kClearly = 0.01;

json quotient(const json& a, const json& b) {
  json row{{"a_ns", fact_of(a, "time_ns")},
           {"b_ns", fact_of(b, "time_ns")},
           {"a_ci95_ns", {fact_of(a, "time_lo_ns"), fact_of(a, "time_hi_ns")}},
           {"b_ci95_ns", {fact_of(b, "time_lo_ns"), fact_of(b, "time_hi_ns")}},
           {"ratio", nullptr},
           {"ratio_ci95", nullptr},
           {"verdict", nullptr},
           {"same_contract", fact_of(a, "contract_hash") == fact_of(b, "contract_hash")},
           {"emulation", fact_of(a, "emulation") == true || fact_of(b, "emulation") == true},
           {"a_variant", fact_of(a, "variant")},
           {"b_variant", fact_of(b, "variant")},
           {"a_config", fact_of(a, "config")},
           {"b_config", fact_of(b, "config")},
           {"a_confirmed", fact_of(a, "confirmed")},
           {"b_confirmed", fact_of(b, "confirmed")},
           {"a_iteration", fact_of(a, "iteration")},
           {"b_iteration", fact_of(b, "iteration")}};
  const auto a_ns = number(a, "time_ns"), b_ns = number(b, "time_ns");
  const std::string gpu = predicted_for(a);
  row["times"] = row["emulation"] == false ? "measured" : gpu.empty() ? "emulated" : "predicted";
  if (!a_ns || !b_ns || !(*a_ns > 0) || fact_of(a, "emulation") != fact_of(b, "emulation") || gpu != predicted_for(b))
    return row;
  row["ratio"] = *b_ns / *a_ns;
  if (!gpu.empty()) {  // both are off by what the model is off, in the same direction
    const double ratio = *b_ns / *a_ns;
    row["verdict"] = ratio < 1 - kClearly ? "faster" : ratio > 1 + kClearly ? "slower" : "same";
    return row;
  }
  const auto a_lo = number(a, "time_lo_ns"), a_hi = number(a, "time_hi_ns");
  const auto b_lo = number(b, "time_lo_ns"), b_hi = number(b, "time_hi_ns");
  if (!a_lo || !a_hi || !b_lo || !b_hi || !(*a_lo > 0) || !(*a_hi > 0)) return row;
  const double lo = *b_lo / *a_hi, hi = *b_hi / *a_lo;
  row["ratio_ci95"] = {lo, hi};
  row["verdict"] = hi < 1 ? "faster" : lo > 1 ? "slower" : "same";
  return row;
}

json cost_of(const Side& side) {
  return {{"score", fact_of(side.row, "score")},
          {"spent_s", fact_of(side.row, "spent_s")},
          {"cost_usd", fact_of(side.row, "cost_usd")},
          {"iterations", fact_of(side.row, "iterations")}};
}

ComparedSide side_called(Store& store, const std::string& text) {
  if (const auto ids = campaigns_called(store, text); !ids.empty()) return {ids.front(), ""};
  std::vector<std::string> known{"latest"};
  Statement query(store.connection(),
                  "SELECT DISTINCT name FROM campaign WHERE name IS NOT NULL UNION SELECT DISTINCT device_name FROM "
                  "campaign");
  while (query.next()) {
    known.push_back(query.text(0));
    if (known.back() == text) return {std::nullopt, text};
  }
  throw bad_input(fmt::format("no campaign and no device '{}' is recorded{}", text, did_you_mean(text, known)));
}

/// Of a campaign on several cards; empty lists else.
json cards_of(Store& store, const ComparedSide& side) {
  json found{{"cards", json::array()}, {"across_cards", json::array()}, {"calibrations", json::array()}};
  if (!side.campaign) return found;
  json cards = figure_objects(store, "card_records", *side.campaign);
  if (cards.size() < 2) return found;
  found["cards"] = std::move(cards);
  found["across_cards"] = figure_objects(store, "across_cards", *side.campaign);
  found["calibrations"] = figure_objects(store, "card_calibrations", *side.campaign);
  return found;
}

json name_of(const ComparedSide& side) {
  return side.campaign ? json(*side.campaign) : json(side.device_name);
}

}  // namespace

std::pair<ComparedSide, ComparedSide> compared_sides(Store& store, const std::string& a, const std::string& b) {
  if (a != b) return {side_called(store, a), side_called(store, b)};
  const auto same = campaigns_called(store, a);
  if (same.size() < 2) return {side_called(store, a), side_called(store, b)};
  return {{same[1], ""}, {same[0], ""}};
}

json compare(Store& store, const ComparedSide& a, const ComparedSide& b) {
  const Read read(store.connection());
  const Side left = read_side(store, a), right = read_side(store, b);
  json answer{{"a", name_of(a)},
              {"b", name_of(b)},
              {"environment", environment(left, right)},
              {"workloads", json::array()},
              {"only_a", json::array()},
              {"only_b", json::array()},
              {"cost", {{"a", cost_of(left)}, {"b", cost_of(right)}}}};
  const json a_cards = cards_of(store, a), b_cards = cards_of(store, b);
  for (const char* key : {"cards", "across_cards", "calibrations"})
    answer[key] = {{"a", a_cards.at(key)}, {"b", b_cards.at(key)}};
  double logs = 0;
  int counted = 0;
  for (const auto& [place, best] : left.bests) {
    const json where{{"kernel", place.first}, {"workload", place.second}};
    const auto other = right.bests.find(place);
    if (other == right.bests.end()) {
      answer["only_a"].push_back(where);
      continue;
    }
    json row = quotient(best, other->second);
    row.update(where);
    if (row["ratio"].is_number()) {
      logs -= std::log(row["ratio"].get<double>());
      ++counted;
    }
    answer["workloads"].push_back(std::move(row));
  }
  for (const auto& [place, best] : right.bests)
    if (!left.bests.contains(place)) answer["only_b"].push_back({{"kernel", place.first}, {"workload", place.second}});
  answer["score"] = counted > 0 ? json(std::exp(logs / counted)) : json();
  return answer;
}

}  // namespace harness::store
