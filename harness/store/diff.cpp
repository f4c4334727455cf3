#include "harness/store/diff.h"

#include <fmt/format.h>

#include <set>

#include "harness/core/line_diff.h"
#include "harness/store/columns.h"
#include "harness/store/history.h"

namespace harness::store {
namespace {

json member(const json& object, const std::string& name) {
  return object.is_object() ? object.value(name, json(nullptr)) : json(nullptr);
}

json parameters_diff(const json& a, const json& b) {
  std::set<std::string> names;
  for (const json* side : {&a, &b})
    for (const auto& item : side->items()) names.insert(item.key());
  json rows = json::array();
  for (const std::string& name : names) {
    const json left = member(a, name), right = member(b, name);
    if (left != right) rows.push_back({{"name", name}, {"a", left}, {"b", right}});
  }
  return rows;
}

json numbers_diff(const json& a, const json& b, const std::vector<std::string>& names) {
  json rows = json::object();
  for (const std::string& name : names) {
    const json left = member(a, name), right = member(b, name);
    const bool both = left.is_number() && right.is_number() && left.get<double>() != 0;
    rows[name] = {
        {"a", left}, {"b", right}, {"ratio", both ? json(right.get<double>() / left.get<double>()) : json(nullptr)}};
  }
  return rows;
}

/// In the order of the side that checked more; a gate that was checked on several draws counts as its worst.
json gates_diff(const std::vector<GateResult>& a, const std::vector<GateResult>& b) {
  const auto worst = [](const std::vector<GateResult>& gates, const std::string& name) {
    json passed = nullptr;
    for (const GateResult& gate : gates)
      if (gate.name == name) passed = gate.passed && (passed.is_null() || passed.get<bool>());
    return passed;
  };
  json rows = json::array();
  std::set<std::string> seen;
  for (const auto* side : {a.size() >= b.size() ? &a : &b, a.size() >= b.size() ? &b : &a}) {
    for (const GateResult& gate : *side) {
      if (!seen.insert(gate.name).second) continue;
      rows.push_back({{"name", gate.name}, {"a", worst(a, gate.name)}, {"b", worst(b, gate.name)}});
    }
  }
  return rows;
}

json source_diff(const RecordedIteration& a, const RecordedIteration& b) {
  if (!a.row.source || !b.row.source) return nullptr;
  const auto title = [](const RecordedIteration& side) {
    return fmt::format("iteration {} ({} {})", side.identity.iteration, side.identity.candidate.kernel,
                       side.identity.candidate.variant);
  };
  return unified_diff(*a.row.source, *b.row.source, title(a), title(b));
}

json side(Store& store, const RecordedIteration& recorded) {
  json shown = iteration_json(recorded.identity, recorded.row, Detail::full);
  shown.erase("samples");
  shown.erase("log");
  if (imported(store, recorded.identity.campaign)) shown["imported"] = true;
  return shown;
}

/// The numbers that either of two profiles has; nothing where neither iteration was profiled.
json profile_diff(Store& store, std::int64_t a, std::int64_t b) {
  json sides[2] = {json::object(), json::object()};
  std::vector<std::string> names;
  for (const int side : {0, 1})
    if (const auto profile = read_profile(store.connection(), side == 0 ? a : b))
      for (const ProfileNumber& number : profile->numbers) sides[side][number.name] = number.value;
  for (const ProfileMetric& metric : profile_metrics())
    if (sides[0].contains(metric.name) || sides[1].contains(metric.name)) names.emplace_back(metric.name);
  for (json& side : sides)
    for (const std::string& name : names)
      if (!side.contains(name)) side[name] = nullptr;
  return numbers_diff(sides[0], sides[1], names);
}

std::string device_name(Store& store, std::int64_t campaign) {
  Statement query(store.connection(), "SELECT device_name FROM campaign WHERE id = ?", campaign);
  return query.next() ? query.text(0) : "";
}

bool comparable(Store& store, const IterationIdentity& a, const IterationIdentity& b) {
  return a.candidate.kernel == b.candidate.kernel && a.workload == b.workload && a.contract_hash == b.contract_hash &&
         device_name(store, a.campaign) == device_name(store, b.campaign);
}

}  // namespace

json diff(Store& store, std::int64_t a, std::int64_t b) {
  const RecordedIteration left = read_iteration(store.connection(), a, Texts::all);
  const RecordedIteration right = read_iteration(store.connection(), b, Texts::all);
  const json left_shown = side(store, left), right_shown = side(store, right);
  return {{"a", left_shown},
          {"b", right_shown},
          {"parameters", parameters_diff(left_shown["config"], right_shown["config"])},
          {"times", numbers_diff(left_shown, right_shown,
                                 {"time_ns", "cold_time_ns", "warm_time_ns", "baseline_ns", "speedup"})},
          {"resources", numbers_diff(left_shown["resources"], right_shown["resources"],
                                     {"registers", "shared_bytes", "spill_bytes", "local_bytes"})},
          {"profile", profile_diff(store, a, b)},
          {"gates", gates_diff(left.row.gates, right.row.gates)},
          {"source", source_diff(left, right)},
          {"comparable", comparable(store, left.identity, right.identity)}};
}

}  // namespace harness::store
