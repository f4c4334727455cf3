#include "harness/script/contract/manifest_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/suggest.h"

namespace harness::script {

void Reader::only(std::initializer_list<std::string_view> known, std::size_t positions) const {
  for (const auto& [name, field] : node_.fields) {
    if (std::ranges::find(known, name) != known.end()) continue;
    const std::vector<std::string> names(known.begin(), known.end());
    std::string help = did_you_mean(name, names);
    if (help.empty()) help = fmt::format("; it may have: {}", fmt::join(names, ", "));
    throw manifest_.error(field.line, fmt::format("{} has an unknown field '{}'{}", what_, name, help));
  }
  if (node_.list.size() > positions) {
    throw error(fmt::format("has {} unnamed values where {} belong; write NAME = value", node_.list.size(), positions));
  }
}

const Node& Reader::need(const std::string& name) const {
  const Node* found = find(name);
  if (found == nullptr) throw error(fmt::format("misses the field '{}'; add {} = ...", name, name));
  return *found;
}

std::string Reader::leading_name() const {
  if (!node_.list.empty() && node_.list[0].text() != nullptr) return *node_.list[0].text();
  throw error(fmt::format("must begin with a name: {} {{ \"name\", ... }}", node_.kind));
}

std::string Reader::text(const std::string& name) const {
  const Node& found = need(name);
  if (found.text() == nullptr) throw wrong(name, "a string");
  return *found.text();
}

std::string Reader::text(const std::string& name, const std::string& absent) const {
  return find(name) == nullptr ? absent : text(name);
}

bool Reader::flag(const std::string& name, bool absent) const {
  const Node* found = find(name);
  if (found == nullptr) return absent;
  const bool* held = std::get_if<bool>(&found->leaf);
  if (held == nullptr || found->table) throw wrong(name, "true or false");
  return *held;
}

std::int64_t Reader::whole(const std::string& name, std::int64_t absent) const {
  const Node* found = find(name);
  if (found == nullptr) return absent;
  const auto held = found->integer();
  if (!held) throw wrong(name, "a whole number");
  return *held;
}

double Reader::number(const std::string& name, double absent) const {
  const Node* found = find(name);
  if (found == nullptr) return absent;
  const auto held = found->number();
  if (!held) throw wrong(name, "a number");
  return *held;
}

const FunctionRef* Reader::function(const std::string& name) const {
  const Node* found = find(name);
  if (found == nullptr) return nullptr;
  if (found->function() == nullptr) throw wrong(name, "a function");
  return found->function();
}

std::vector<std::string> Reader::texts(const std::string& name) const {
  const Node* found = find(name);
  if (found == nullptr) return {};
  if (found->text() != nullptr) return {*found->text()};
  std::vector<std::string> all;
  for (const Node& item : found->list) {
    if (item.text() == nullptr) throw wrong(name, "a list of strings");
    all.push_back(*item.text());
  }
  if (!found->table || !found->fields.empty()) throw wrong(name, "a list of strings");
  return all;
}

Error Reader::error(const std::string& clause) const {
  return manifest_.error(node_.line, what_ + " " + clause);
}

Error Reader::wrong(const std::string& name, const std::string& expected) const {
  const Node& found = need(name);
  return manifest_.error(found.line,
                         fmt::format("{}: field '{}' must be {}, not {}", what_, name, expected, found.described()));
}

std::string not_a_device(const std::string& device, const std::vector<std::string>& kinds) {
  if (kinds.empty() || std::ranges::find(kinds, device) != kinds.end()) return "";
  if (kinds.size() == 1) return fmt::format("; the only device is {}", kinds.front());
  return fmt::format("; devices are {} and {}", fmt::join(kinds.begin(), kinds.end() - 1, ", "), kinds.back());
}

}  // namespace harness::script
