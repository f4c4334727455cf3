#include "harness/script/contract/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "harness/core/admission.h"
#include "harness/core/generators.h"
#include "harness/core/suggest.h"
#include "harness/script/contract/arguments.h"

namespace harness::script {
namespace {

constexpr std::int64_t kSmallExtent = 4;
constexpr std::int64_t kTinyExtent = 8;  // so many values that five sizes can all differ
constexpr int kTries = 1000;             // a `where` may refuse most points
constexpr const char* kReserved[] = {"name", "sets", "devices", "weight"};
constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;

/// SplitMix64.
std::uint64_t scrambled(std::uint64_t state) {
  state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9;
  state = (state ^ (state >> 27)) * 0x94d049bb133111eb;
  return state ^ (state >> 31);
}

/// policy = { NAME = "reason" }, accept = { ["PIECE OF A LINE"] = "reason" }
std::map<std::string, std::string> read_reasons(const Reader& kernel, const std::string& field,
                                                const std::string& form) {
  std::map<std::string, std::string> reasons;
  const Node* const table = kernel.find(field);
  if (table == nullptr) return reasons;
  const Reader reader(kernel.manifest(), *table, field);
  if (!table->table || !table->list.empty()) throw kernel.wrong(field, "a table of " + form);
  for (const auto& [name, reason] : table->fields) {
    reasons[name] = reader.text(name);
    if (reasons[name].empty()) throw reader.wrong(name, "the reason, in words");
  }
  return reasons;
}

/// forms = { except = { "shifted" }, because = "E[x^2] - E[x]^2 by contract" }
ExcludedForms read_forms(const Reader& kernel) {
  const Node* const table = kernel.find("forms");
  if (table == nullptr) return {};
  if (!table->table) throw kernel.wrong("forms", "{ except = { \"shifted\" }, because = \"why\" }");
  const Reader reader(kernel.manifest(), *table, "forms");
  reader.only({"except", "because"});
  ExcludedForms forms{reader.texts("except"), reader.text("because")};
  if (forms.except.empty()) throw reader.wrong("except", "a list of forms of the inputs");
  if (forms.because.empty()) throw reader.wrong("because", "the reason, in words");
  std::vector<std::string> hostile = draw_form_names();
  std::erase(hostile, "nominal");
  for (const std::string& form : forms.except)
    if (std::ranges::find(hostile, form) == hostile.end())
      throw reader.error(fmt::format("excepts '{}', which is no hostile form; they are: {}{}", form,
                                     fmt::join(hostile, ", "), did_you_mean(form, hostile)));
  return forms;
}

/// adopted = { file = "softmax.cu", entry = "softmax_kernel", digest = "..." }: where an adopted kernel came from.
std::optional<AdoptedFrom> read_adopted(const Reader& kernel) {
  const Node* const table = kernel.find("adopted");
  if (table == nullptr) return std::nullopt;
  if (!table->table) throw kernel.wrong("adopted", "{ file = \"kernel.cu\", entry = \"name\", digest = \"sha256\" }");
  const Reader reader(kernel.manifest(), *table, "adopted");
  reader.only({"file", "entry", "digest", "path", "original", "options"});
  const auto if_any = [&](const char* field) { return reader.find(field) != nullptr ? reader.text(field) : ""; };
  return AdoptedFrom{reader.text("file"), reader.text("entry"), reader.text("digest"),
                     if_any("path"),      if_any("original"),   reader.texts("options")};
}

void check_contract(const Reader& kernel, const std::string& folder_name) {
  if (kernel.need("contract").integer() != 1) throw kernel.wrong("contract", "1, the version of this contract");
  const std::string name = kernel.text("name");
  if (name != folder_name)
    throw kernel.error(fmt::format("is named '{}' in a folder named '{}'; they must agree", name, folder_name));
}

/// Near `size`, a multiple of `step`: three times in four off by an odd number of steps or at a tile's edge.
std::int64_t moved_size(std::int64_t size, std::int64_t step, bool beyond, std::uint64_t choice) {
  const auto pick = [&choice](std::uint64_t n) {
    const std::uint64_t taken = choice % n;
    choice /= n;
    return static_cast<std::int64_t>(taken);
  };
  const std::int64_t odd = 2 * pick(16) + 1, tile = std::int64_t{16} << pick(7), beside = pick(3) - 1;
  const bool at_edge = pick(2) == 0, down = pick(2) == 0;
  std::int64_t place = size;
  if (beyond) place += 1 + pick(static_cast<std::uint64_t>(std::clamp<std::int64_t>(size, 1, 1 << 30)));
  if (at_edge) place = (place / tile + (beyond || !down ? 1 : 0)) * tile + beside;
  else place += odd * step * (down && !beyond ? -1 : 1);
  return place / step * step;
}

std::optional<double> positive_number(const std::string& text) {
  const Value value = parse_value(text);
  double number = 0;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) number = static_cast<double>(*whole);
  else if (const auto* real = std::get_if<double>(&value)) number = *real;
  return std::isfinite(number) && number > 0 ? std::optional(number) : std::nullopt;
}

}  // namespace

KernelManifest::KernelManifest(std::filesystem::path folder, const std::string& shown,
                               std::vector<std::filesystem::path> include_dirs, std::vector<std::string> device_kinds)
    : folder_(std::move(folder)),
      include_dirs_(std::move(include_dirs)),
      device_kinds_(std::move(device_kinds)),
      manifest_(folder_ / "kernel.lua", shown + "/kernel.lua", "kernel") {
  const Reader kernel(manifest_, manifest_.root(), "kernel");
  kernel.only({"contract", "name", "summary", "domain", "workloads", "arguments", "reference", "work", "deterministic",
               "policy", "accept", "forms", "adopted", "models", "properties"});
  check_contract(kernel, folder_.filename().string());
  name_ = kernel.text("name");
  summary_ = kernel.text("summary");
  domain_ = read_domain(kernel);
  read_properties(kernel);
  policy_ = read_reasons(kernel, "policy", "NAME = \"reason\"");
  accept_ = read_reasons(kernel, "accept", "[\"PIECE OF A LINE\"] = \"reason\"");
  forms_ = read_forms(kernel);
  adopted_ = read_adopted(kernel);
  read_workloads(kernel);
  for (const Workload& workload : workloads_) problems_[workload.name] = make_problem(workload);
}

/// properties = { "deterministic", { "batch_invariant", over = "B" } }
void KernelManifest::read_properties(const Reader& kernel) {
  const Node* const list = kernel.find("properties");
  if (list == nullptr) return;
  const std::string form = R"(a list of "deterministic" and { "batch_invariant", over = "SIZE" })";
  if (!list->table || !list->fields.empty()) throw kernel.wrong("properties", form);
  for (const Node& node : list->list) {
    const std::optional<Value> word = node.value();
    const std::string* const alone = word ? std::get_if<std::string>(&*word) : nullptr;
    if (const Node* flag = kernel.find("deterministic"); flag != nullptr && flag->value() == Value(false))
      throw kernel.error(
          "has deterministic = false and properties; bits that may change from launch to launch have none");
    if (alone != nullptr && *alone == "deterministic") continue;
    if (!node.table) throw kernel.wrong("properties", form);
    const Reader property(manifest_, node, "property");
    property.only({"over"}, 1);
    if (property.leading_name() != "batch_invariant") throw kernel.wrong("properties", form);
    const std::string over = property.text("over");
    if (!domain_.fields.contains(over)) {
      std::vector<std::string> names;
      for (const auto& [name, field] : domain_.fields) names.push_back(name);
      throw property.error(
          fmt::format("is over '{}', which the domain does not name{}", over, did_you_mean(over, names)));
    }
    const FieldDomain& field = domain_.fields.at(over);
    if (!field.values.empty() || field.lo >= field.hi)
      throw property.error(fmt::format("is over '{}', whose domain is no range of whole numbers", over));
    batch_invariant_.push_back(over);
  }
}

void KernelManifest::read_workloads(const Reader& kernel) {
  const Node& list = kernel.need("workloads");
  if (!list.table || !list.fields.empty() || list.list.empty())
    throw kernel.wrong("workloads", "a list of { name = ..., sizes }");
  for (const Node& node : list.list) {
    Workload workload = read_workload(node, workloads_.size() + 1);
    const bool taken = std::ranges::find(workloads_, workload.name, &Workload::name) != workloads_.end();
    if (taken) throw manifest_.error(node.line, fmt::format("two workloads are named '{}'", workload.name));
    check_in_domain(manifest_, domain_, workload, node.line);
    workloads_.push_back(std::move(workload));
  }
}

Workload KernelManifest::read_workload(const Node& node, std::size_t position) const {
  const Reader reader(manifest_, node, fmt::format("workload {}", position));
  Workload workload;
  workload.name = reader.text("name");
  workload.sets = reader.find("sets") != nullptr ? reader.texts("sets") : std::vector<std::string>{"default"};
  workload.devices = reader.find("devices") != nullptr ? reader.texts("devices") : device_kinds_;
  for (const std::string& device : workload.devices)
    if (const std::string wrong = not_a_device(device, device_kinds_); !wrong.empty())
      throw reader.error(fmt::format("names the device '{}'{}", device, wrong));
  workload.weight = reader.number("weight", 1);
  if (!(workload.weight > 0) || !std::isfinite(workload.weight)) throw reader.wrong("weight", "a number above 0");
  for (const auto& [name, field] : node.fields) {
    if (std::ranges::find(kReserved, name) != std::end(kReserved)) continue;
    const auto value = field.value();
    if (!value) throw reader.wrong(name, "a number, a string, true or false");
    workload.values[name] = *value;
  }
  return workload;
}

const Workload& KernelManifest::workload(const std::string& name) const {
  const auto found = std::ranges::find(workloads_, name, &Workload::name);
  if (found != workloads_.end()) return *found;
  std::vector<std::string> names;
  for (const Workload& workload : workloads_) names.push_back(workload.name);
  const std::string meant = did_you_mean(name, names);
  throw bad_input(fmt::format("kernel '{}' has no workload '{}'{}", name_, name,
                              meant.empty() ? fmt::format("; it has: {}", fmt::join(names, ", ")) : meant));
}

const Problem& KernelManifest::problem(const std::string& name) const {
  return problems_.at(workload(name).name);
}

Workload KernelManifest::add_shape(const Workload& base, const std::string& text) {
  const auto refuse = [&](const std::string& why) { return bad_input(fmt::format("shape '{}': {}", text, why)); };
  Workload shape = base;
  std::optional<double> weight;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t sign = word.find('=');
    const std::string name = word.substr(0, sign);
    if (name == "weight") {
      weight = positive_number(sign == std::string::npos ? "" : word.substr(sign + 1));
      if (!weight) throw refuse("weight is no number above 0");
      continue;
    }
    std::vector<std::string> names;
    for (const auto& [known, value] : base.values) names.push_back(known);
    const auto known = shape.values.find(name);
    if (known == shape.values.end())
      throw refuse(fmt::format("kernel '{}' has no size '{}'; it has: {}", name_, name, fmt::join(names, ", ")));
    if (sign == std::string::npos && !std::holds_alternative<bool>(known->second))
      throw refuse(fmt::format("write {}=VALUE", name));
    const Value value = sign == std::string::npos ? Value(true) : parse_value(word.substr(sign + 1));
    if (value.index() != known->second.index())
      throw refuse(
          fmt::format("{} is {} where {} stands in '{}'", name, to_text(value), to_text(known->second), base.name));
    known->second = value;
  }
  shape.name = to_text(shape.values);
  shape.sets.clear();
  shape.devices = device_kinds_;
  shape.weight = weight.value_or(1);
  shape.declared = false;
  const auto has_its_types = [&](const Workload& each) {
    return each.declared && workload_group(each) == workload_group(shape);
  };
  if (const auto known = std::ranges::find(workloads_, shape.name, &Workload::name); known != workloads_.end()) {
    if (weight && !known->declared) known->weight = *weight;
    return *known;
  }
  if (std::ranges::none_of(workloads_, has_its_types))
    throw refuse(fmt::format("no workload of kernel '{}' has {}, so its gates know no tolerance for it", name_,
                             workload_group(shape)));
  check_in_domain(manifest_, domain_, shape, manifest_.root().line);
  problems_[shape.name] = make_problem(shape);
  workloads_.push_back(shape);
  return shape;
}

bool KernelManifest::allows(const Workload& point) {
  const auto lies_inside = [&](const auto& field) { return contains(field.second, point.values.at(field.first)); };
  if (!std::ranges::all_of(domain_.fields, lies_inside)) return false;
  if (!domain_.where) return true;
  const FactsTable w(manifest_, "workload", Facts(point.values.begin(), point.values.end()));
  const Node allowed = manifest_.call(*domain_.where, {&w});
  const bool* truth = std::get_if<bool>(&allowed.leaf);
  return truth != nullptr && *truth;
}

Workload KernelManifest::random_workload(const Workload& base, std::uint64_t seed) {
  for (int attempt = 0; attempt < kTries; ++attempt) {
    Workload point = base;
    for (const auto& [name, field] : domain_.fields) point.values[name] = draw(field, scrambled(seed += kGolden));
    if (allows(point)) return point;
  }
  return base;
}

Workload KernelManifest::random_neighbour(const Workload& base, std::uint64_t seed, std::int64_t largest,
                                          const std::set<std::string>& kept) {
  for (int attempt = 0; attempt < kTries; ++attempt) {
    Workload point = base;
    for (const auto& [name, field] : domain_.fields) {
      if (std::holds_alternative<std::string>(base.values.at(name)) || kept.contains(name)) continue;
      // Some fields large and some small: a long sequence of few heads, many heads of a short one.
      const bool wide = scrambled(seed += kGolden) % 2 == 0 && largest / 4 >= field.lo;
      FieldDomain small = field;
      small.lo = wide ? std::min(small.hi, largest / 4) : small.lo;
      small.hi = std::max(small.lo, std::min(small.hi, wide ? largest : kSmallExtent));
      point.values[name] = draw(small, scrambled(seed += kGolden));
    }
    if (allows(point)) return point;
  }
  return base;
}

Workload KernelManifest::spread_neighbour(const Workload& base, std::uint64_t seed, const std::set<std::string>& kept) {
  for (int attempt = 0; attempt < kTries; ++attempt) {
    Workload point = base;
    for (const auto& [name, field] : domain_.fields)
      if (!std::holds_alternative<std::string>(base.values.at(name)) && !kept.contains(name))
        point.values[name] = draw(field, scrambled(seed += kGolden));
    if (allows(point)) return point;
  }
  return base;
}

std::vector<std::string> KernelManifest::sizes_of(const Workload& base) const {
  std::vector<std::string> sizes;
  for (const auto& [name, field] : domain_.fields)
    if (field.values.empty() && std::holds_alternative<std::int64_t>(base.values.at(name))) sizes.push_back(name);
  return sizes;
}

std::vector<std::string> KernelManifest::flags_of(const Workload& base) const {
  std::vector<std::string> flags;
  for (const auto& [name, field] : domain_.fields)
    if (std::holds_alternative<bool>(base.values.at(name))) flags.push_back(name);
  return flags;
}

std::map<std::string, std::vector<Workload>> KernelManifest::with_other_values(const Workload& base) {
  std::map<std::string, std::vector<Workload>> points;
  for (const auto& [name, field] : domain_.fields) {
    if (field.values.empty() || std::holds_alternative<std::string>(base.values.at(name))) continue;
    points[name];
    for (const Value& value : field.values) {
      if (same_value(value, base.values.at(name))) continue;
      Workload other = base;
      other.values[name] = value;
      if (allows(other)) points[name].push_back(std::move(other));
    }
  }
  return points;
}

std::optional<Workload> KernelManifest::near_neighbour(const Workload& base, const std::string& name,
                                                       std::uint64_t seed, bool beyond) {
  const FieldDomain& field = domain_.fields.at(name);
  const std::int64_t size = std::get<std::int64_t>(base.values.at(name));
  constexpr int kNearTries = 20;
  for (int attempt = 0; attempt < kNearTries; ++attempt) {
    const std::int64_t moved = moved_size(size, field.step, beyond, scrambled(seed += kGolden));
    Workload point = base;
    point.values[name] = moved;
    if (moved != size && allows(point)) return point;
  }
  return std::nullopt;
}

std::optional<Workload> KernelManifest::tiny_with(const Workload& base, const Config& fixed, std::uint64_t seed,
                                                  const std::set<std::string>& kept, int tries) {
  for (const auto& [name, value] : fixed)
    if (!contains(domain_.fields.at(name), value)) return std::nullopt;
  for (int attempt = 0; attempt < tries; ++attempt) {
    Workload point = random_neighbour(base, seed += kGolden, kTinyExtent, kept);
    for (const auto& [name, value] : fixed) point.values[name] = value;
    if (allows(point)) return point;
  }
  return std::nullopt;
}

std::vector<Workload> KernelManifest::exchanged(const Workload& point, const std::set<std::string>& kept) {
  std::vector<Workload> points;
  const auto add = [&](Workload other) {
    if (allows(other)) points.push_back(std::move(other));
  };
  for (const auto& [name, field] : domain_.fields) {
    if (!std::holds_alternative<bool>(point.values.at(name)) || kept.contains(name)) continue;
    Workload turned = point;
    turned.values[name] = !std::get<bool>(point.values.at(name));
    add(std::move(turned));
  }
  const std::vector<std::string> sizes = sizes_of(point);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    for (std::size_t j = i + 1; j < sizes.size(); ++j) {
      Workload other = point;
      std::swap(other.values[sizes[i]], other.values[sizes[j]]);
      if (other.values[sizes[i]] != point.values.at(sizes[i])) add(std::move(other));
    }
  return points;
}

std::vector<Workload> KernelManifest::halved(const Workload& point) {
  std::vector<std::pair<std::int64_t, std::string>> sizes;
  for (const auto& [name, field] : domain_.fields) {
    const auto* size = std::get_if<std::int64_t>(&point.values.at(name));
    if (size != nullptr && field.values.empty() && *size / 2 >= field.lo) sizes.emplace_back(*size, name);
  }
  std::ranges::sort(sizes, std::greater<>());
  std::vector<Workload> points;
  for (const auto& [size, name] : sizes) {
    Workload half = point;
    half.values[name] = size / 2 / domain_.fields.at(name).step * domain_.fields.at(name).step;
    if (allows(half)) points.push_back(std::move(half));
  }
  return points;
}

}  // namespace harness::script
