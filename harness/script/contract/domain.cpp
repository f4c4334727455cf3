#include "harness/script/contract/domain.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "harness/core/suggest.h"

namespace harness::script {
namespace {

std::int64_t bound(const Reader& entry, std::size_t position) {
  const auto& list = entry.node().list;
  const auto whole = position < list.size() ? list[position].integer() : std::nullopt;
  if (!whole) throw entry.error(fmt::format("needs a whole number as value {}", position + 1));
  return *whole;
}

std::vector<Value> listed_values(const Reader& entry) {
  std::vector<Value> values;
  for (const Node& item : entry.node().list) {
    const auto value = item.value();
    if (!value) throw entry.error("may list numbers, strings, true and false only");
    values.push_back(*value);
  }
  if (values.empty()) throw entry.error("lists no value");
  return values;
}

std::string list_text(const std::vector<Value>& values) {
  std::vector<std::string> texts;
  for (const Value& value : values) texts.push_back(to_text(value));
  return fmt::format("{}", fmt::join(texts, ", "));
}

FieldDomain read_field(const Reader& entry) {
  FieldDomain domain;
  const std::string& kind = entry.node().kind;
  if (kind == "one_of") {
    entry.only({}, entry.node().list.size());
    domain.values = listed_values(entry);
    domain.text = "one_of { " + list_text(domain.values) + " }";
  } else if (kind == "boolean") {
    domain.values = {Value(false), Value(true)};
    domain.text = "boolean()";
  } else if (kind == "range" || kind == "multiples_of") {
    const bool stepped = kind == "multiples_of";
    entry.only({}, stepped ? 3 : 2);
    if (stepped) domain.step = bound(entry, 0);
    domain.lo = bound(entry, stepped ? 1 : 0);
    domain.hi = bound(entry, stepped ? 2 : 1);
    domain.text = stepped ? fmt::format("multiples_of({}, {}, {})", domain.step, domain.lo, domain.hi)
                          : fmt::format("range({}, {})", domain.lo, domain.hi);
    const bool possible = domain.step > 0 && domain.lo >= 0 &&
                          (domain.hi / std::max<std::int64_t>(domain.step, 1)) * domain.step >= domain.lo;
    if (!possible) throw entry.error("is empty: give a step of at least 1 and 0 <= lo <= hi");
  } else {
    throw entry.error("must be range(lo, hi), multiples_of(n, lo, hi), one_of { ... } or boolean(), not " +
                      entry.node().described());
  }
  return domain;
}

}  // namespace

Domain read_domain(const Reader& kernel) {
  const Node& table = kernel.need("domain");
  if (!table.table) throw kernel.wrong("domain", "a table");
  Domain domain;
  for (const auto& [name, entry] : table.fields) {
    if (name == "where" && entry.function() != nullptr) domain.where = *entry.function();
    else domain.fields[name] = read_field(Reader(kernel.manifest(), entry, "domain of '" + name + "'"));
  }
  return domain;
}

bool contains(const FieldDomain& domain, const Value& value) {
  if (!domain.values.empty()) {
    return std::ranges::any_of(domain.values, [&](const Value& known) { return same_value(known, value); });
  }
  const auto* whole = std::get_if<std::int64_t>(&value);
  return whole != nullptr && *whole >= domain.lo && *whole <= domain.hi && *whole % domain.step == 0;
}

Value draw(const FieldDomain& domain, std::uint64_t choice) {
  if (!domain.values.empty()) return domain.values[choice % domain.values.size()];
  const std::int64_t first = (domain.lo + domain.step - 1) / domain.step;
  const auto count = static_cast<std::uint64_t>(domain.hi / domain.step - first + 1);
  const auto scales = static_cast<std::uint64_t>(std::bit_width(count));  // a magnitude first, then a value within it
  const std::uint64_t within = std::min(count, std::uint64_t{1} << ((choice >> 32) % scales + 1));
  return Value((first + static_cast<std::int64_t>((choice & 0xffffffff) % within)) * domain.step);
}

void check_in_domain(Manifest& manifest, const Domain& domain, const Workload& workload, int line) {
  std::vector<std::string> names;
  for (const auto& [name, value] : workload.values) names.push_back(name);
  for (const auto& [name, field] : domain.fields) {
    const auto found = workload.values.find(name);
    if (found == workload.values.end()) {
      throw manifest.error(line, fmt::format("workload '{}' misses '{}', which the domain names{}", workload.name, name,
                                             did_you_mean(name, names)));
    }
    if (!contains(field, found->second)) {
      throw manifest.error(line, fmt::format("workload '{}' has {} = {}, outside the domain {}", workload.name, name,
                                             to_text(found->second), field.text));
    }
  }
  if (!domain.where) return;
  const FactsTable w(manifest, "workload", Facts(workload.values.begin(), workload.values.end()));
  const Node allowed = manifest.call(*domain.where, {&w});
  const bool* truth = std::get_if<bool>(&allowed.leaf);
  if (truth == nullptr || allowed.table) throw manifest.error(domain.where->line, "'where' must return true or false");
  if (!*truth)
    throw manifest.error(line,
                         fmt::format("workload '{}' is outside the domain: its 'where' refuses it", workload.name));
}

}  // namespace harness::script
