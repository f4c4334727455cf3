#include "harness/script/strategy/fleet_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "harness/core/error.h"
#include "harness/core/suggest.h"
#include "harness/script/sandbox/convert.h"
#include "harness/script/sandbox/sandbox.h"

namespace harness::script {
namespace {

constexpr int kLargestFleet = 1024;

/// fleet and node return what they are given: the file is checked when it was read.
int itself(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  return 1;
}

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw bad_input(fmt::format("the fleet file {} cannot be read; see: harness fleet --help", file));
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

json evaluated(const std::string& file) {
  Sandbox sandbox;
  sandbox.protect(0, 0, [](lua_State* L) {
    for (const char* word : {"fleet", "node"}) {
      lua_pushcfunction(L, itself);
      lua_setglobal(L, word);
    }
    return 0;
  });
  if (sandbox.run(text_of(file), file) < 1)
    throw bad_input(fmt::format("{}: the file returns nothing; end it with return fleet {{ node {{ ... }} }}", file));
  return to_json(sandbox.lua(), -1, file + ": the fleet");
}

/// Reads the fields of one node, and says which one is wrong.
class Fields {
 public:
  Fields(const json& node, std::string where) : node_(node), where_(std::move(where)) {
    static const std::vector<std::string> kKnown{"name", "start", "devices", "count", "usd_per_hour", "wait_s"};
    if (!node.is_object()) throw bad_input(where_ + " is not a node { ... }");
    for (const auto& [key, value] : node.items())
      if (std::find(kKnown.begin(), kKnown.end(), key) == kKnown.end())
        throw bad_input(fmt::format("{}: a node has no field '{}'{}", where_, key, did_you_mean(key, kKnown)));
  }
  std::vector<std::string> words(const char* key) const {
    if (!node_.contains(key)) return {};
    const json& list = node_.at(key);
    const bool good =
        list.is_array() && std::all_of(list.begin(), list.end(), [](const json& word) { return word.is_string(); });
    if (!good) throw bad_input(fmt::format("{}: {} is not a list of texts, such as {{ \"cuda:0\" }}", where_, key));
    return list.get<std::vector<std::string>>();
  }
  std::optional<double> number(const char* key, double least) const {
    if (!node_.contains(key)) return std::nullopt;
    if (!node_.at(key).is_number() || !(node_.at(key).get<double>() >= least))
      throw bad_input(fmt::format("{}: {} is not a number of at least {}", where_, key, least));
    return node_.at(key).get<double>();
  }
  std::string name() const {
    if (!node_.contains("name") || !node_.at("name").is_string() || node_.at("name").get<std::string>().empty())
      throw bad_input(where_ + ": name is not a text; every node of a fleet has a name of its own");
    return node_.at("name");
  }

 private:
  const json& node_;
  std::string where_;
};

NodeSpec node_from(const json& node, const std::string& where) {
  const Fields fields(node, where);
  NodeSpec spec;
  spec.name = fields.name();
  spec.start = fields.words("start");
  spec.is_child = spec.start.empty();
  spec.devices = fields.words("devices");
  spec.count = static_cast<int>(fields.number("count", 1).value_or(1));
  spec.usd_per_hour = fields.number("usd_per_hour", 0);
  spec.wait_s = fields.number("wait_s", 1).value_or(spec.wait_s);
  return spec;
}

}  // namespace

std::vector<NodeSpec> read_fleet_file(const std::string& file) {
  const json fleet = evaluated(file);
  if (!fleet.is_array() || fleet.empty())
    throw bad_input(fmt::format("{}: the fleet has no node; write fleet {{ node {{ name = \"gpu1\" }} }}", file));
  std::vector<NodeSpec> nodes;
  std::set<std::string> names;
  int all = 0;
  for (const json& each : fleet) {
    nodes.push_back(node_from(each, fmt::format("{}: node {}", file, nodes.size() + 1)));
    all += std::min(nodes.back().count, kLargestFleet + 1);
    if (!names.insert(nodes.back().name).second)
      throw bad_input(fmt::format("{}: two nodes are called '{}'", file, nodes.back().name));
  }
  if (all > kLargestFleet) throw bad_input(fmt::format("{}: a fleet has {} nodes at most", file, kLargestFleet));
  return nodes;
}

}  // namespace harness::script
