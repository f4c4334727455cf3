#include "harness/script/strategy/search_binding.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>
#include <tuple>

#include "harness/script/sandbox/convert.h"
#include "harness/script/space/point_binding.h"

// Methods of `space`. Upvalues: the SearchSpace, the Sandbox, the Surrogates. What calls Lua owns nothing: errors jump
// over it.
namespace harness::script {
namespace {

const SearchSpace& space_of(lua_State* L) {
  if (!lua_istable(L, 1)) luaL_error(L, "call the methods of space with a colon: space:point(1)");
  return *static_cast<const SearchSpace*>(lua_touserdata(L, lua_upvalueindex(1)));
}

std::size_t point_argument(lua_State* L, const SearchSpace& space) {
  std::size_t point = 0;
  char refusal[512];
  if (!read_point(L, 2, space, point, refusal, sizeof refusal)) luaL_error(L, "%s", refusal);
  return point;
}

int point(lua_State* L) {
  const SearchSpace& space = space_of(L);
  const lua_Integer number = luaL_checkinteger(L, 2);
  if (number < 1 || number > static_cast<lua_Integer>(space.size())) {
    return luaL_error(L, "point %I is not in the space; use 1 to %s (%I)", number,
                      space.listed() ? "space.size" : "the largest index met so far",
                      static_cast<lua_Integer>(space.size()));
  }
  push_point(L, space, static_cast<std::size_t>(number - 1));
  return 1;
}

bool draw_point(const SearchSpace& space, Sandbox& sandbox, std::size_t& point, char* refusal,
                std::size_t size) noexcept {
  try {
    point = space.random([&](std::uint64_t count) { return sandbox.random_below(count); });
    return true;
  } catch (const std::exception& error) {
    std::snprintf(refusal, size, "%s", error.what());
    return false;
  }
}

int random(lua_State* L) {
  const SearchSpace& space = space_of(L);
  if (space.empty()) return luaL_error(L, "the space is empty");
  auto* sandbox = static_cast<Sandbox*>(lua_touserdata(L, lua_upvalueindex(2)));
  std::size_t drawn = 0;
  char refusal[512] = "";
  if (!draw_point(space, *sandbox, drawn, refusal, sizeof refusal)) return luaL_error(L, "%s", refusal);
  push_point(L, space, drawn);
  return 1;
}

int index(lua_State* L) {
  const SearchSpace& space = space_of(L);
  lua_pushinteger(L, static_cast<lua_Integer>(point_argument(L, space)) + 1);
  return 1;
}

int contains(lua_State* L) {
  const SearchSpace& space = space_of(L);
  std::size_t found = 0;
  char refusal[512];
  lua_pushboolean(L, read_point(L, 2, space, found, refusal, sizeof refusal) ? 1 : 0);
  return 1;
}

/// Fills the block `places` (of `most`) and says how many there are; -1: out of memory.
lua_Integer list_neighbours(const SearchSpace& space, std::size_t from, std::size_t* places,
                            std::size_t most) noexcept {
  try {
    const std::vector<std::size_t> found = space.neighbours(from);
    const std::size_t count = std::min(found.size(), most);
    std::copy_n(found.begin(), count, places);
    return static_cast<lua_Integer>(count);
  } catch (const std::exception&) {
    return -1;
  }
}

int neighbours(lua_State* L) {
  const SearchSpace& space = space_of(L);
  const std::size_t from = point_argument(L, space);
  std::size_t most = space.variants().size();
  for (const Parameter& parameter : space.variant_of(from).parameters) most += parameter.values.size();
  auto* places = static_cast<std::size_t*>(lua_newuserdatauv(L, most * sizeof(std::size_t), 0));
  charge(L, static_cast<std::int64_t>(most));
  const lua_Integer count = list_neighbours(space, from, places, most);
  if (count < 0) return luaL_error(L, "not enough memory");
  lua_createtable(L, static_cast<int>(count), 0);
  for (lua_Integer i = 0; i < count; ++i) {
    push_point(L, space, places[i]);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

int model(lua_State* L) {
  const SearchSpace& space = space_of(L);
  auto* sandbox = static_cast<Sandbox*>(lua_touserdata(L, lua_upvalueindex(2)));
  auto* models = static_cast<Surrogates*>(lua_touserdata(L, lua_upvalueindex(3)));
  lua_settop(L, 2);
  return push_model(L, 2, space, *sandbox, *models);
}

constexpr luaL_Reg kMethods[] = {{"point", point},       {"random", random},         {"index", index},
                                 {"contains", contains}, {"neighbours", neighbours}, {"model", model},
                                 {nullptr, nullptr}};

json parameter_json(const Parameter& parameter) {
  json values = json::array();
  for (const Value& value : parameter.values) values.push_back(value_to_json(value));
  return {{"name", parameter.name}, {"values", values}};
}

/// "variant" first, then each parameter of any variant with all values it has anywhere.
json united_parameters(const SearchSpace& space) {
  std::vector<Parameter> united{{"variant", {}, ""}};
  for (const SearchSpace::Variant& variant : space.variants()) {
    united[0].values.push_back(variant.name);
    for (const Parameter& parameter : variant.parameters) {
      auto at = std::ranges::find(united, parameter.name, &Parameter::name);
      if (at == united.end()) at = united.insert(united.end(), Parameter{parameter.name, {}, ""});
      for (const Value& value : parameter.values) {
        const auto same = [&](const Value& known) { return same_value(known, value); };
        if (std::ranges::none_of(at->values, same)) at->values.push_back(value);
      }
    }
  }
  json list = json::array();
  for (const Parameter& parameter : united) list.push_back(parameter_json(parameter));
  return list;
}

}  // namespace

json describe_earlier(std::vector<EarlierResult> earlier) {
  std::ranges::stable_sort(earlier, [](const EarlierResult& a, const EarlierResult& b) {
    const auto far = [](const EarlierResult& r) { return r.distance.value_or(std::numeric_limits<double>::max()); };
    return std::tuple(far(a), a.device_name, a.workload, !a.time_ns, a.time_ns.value_or(0)) <
           std::tuple(far(b), b.device_name, b.workload, !b.time_ns, b.time_ns.value_or(0));
  });
  json list = json::array();
  std::map<std::pair<std::string, std::string>, std::size_t> counts;
  for (const EarlierResult& result : earlier) {
    if (++counts[{result.device_name, result.workload}] > kMostEarlier) continue;
    json config = config_to_json(result.config);
    config["variant"] = result.variant;
    json entry = {{"device_name", result.device_name},
                  {"workload", result.workload},
                  {"config", config},
                  {"outcome", result.outcome},
                  {"passed", is_timed(result.outcome)}};
    if (result.time_ns) entry["time_ns"] = *result.time_ns;
    if (result.distance) entry["distance"] = *result.distance;
    list.push_back(std::move(entry));
  }
  return list;
}

json describe_space(const SearchSpace& space, const std::vector<EarlierResult>& earlier) {
  json variants = json::array();
  for (const SearchSpace::Variant& variant : space.variants()) {
    if (variant.count == 0) continue;
    const auto start_at = [&](std::size_t point) {
      json config = config_to_json(space.configuration(variant.first + point).second);
      config["variant"] = variant.name;
      return config;
    };
    json starts = json::array({start_at(variant.start)});
    for (const std::size_t start : variant.later_starts) starts.push_back(start_at(start));
    json parameters = json::array();
    for (const Parameter& parameter : variant.parameters) parameters.push_back(parameter_json(parameter));
    const json size = variant.rest ? json() : json(variant.count);
    variants.push_back(
        {{"name", variant.name}, {"size", size}, {"first", starts[0]}, {"starts", starts}, {"parameters", parameters}});
  }
  return {{"size", space.listed() ? json(space.size()) : json()},
          {"variants", variants},
          {"parameters", united_parameters(space)},
          {"earlier", describe_earlier(earlier)}};
}

void push_space(lua_State* L, const json& fields, const SearchSpace& space, Sandbox& sandbox, Surrogates& models) {
  push_json(L, fields);
  lua_pushlightuserdata(L, const_cast<SearchSpace*>(&space));
  lua_pushlightuserdata(L, &sandbox);
  lua_pushlightuserdata(L, &models);
  luaL_setfuncs(L, kMethods, 3);
  refuse_unknown_fields(L, {"size"});
  push_read_only(L, -1, "space");
  lua_remove(L, -2);
}

void push_result(lua_State* L, const SearchResult& result) {
  lua_createtable(L, 0, 5);
  const std::string_view outcome = name(result.outcome);
  lua_pushlstring(L, outcome.data(), outcome.size());
  lua_setfield(L, -2, "outcome");
  lua_pushboolean(L, is_timed(result.outcome) ? 1 : 0);
  lua_setfield(L, -2, "passed");
  if (result.time_ns) {
    lua_pushnumber(L, *result.time_ns);
    lua_setfield(L, -2, "time_ns");
  }
  lua_pushnumber(L, result.cost_s);
  lua_setfield(L, -2, "cost_s");
  if (!result.left_s) return;
  lua_pushnumber(L, *result.left_s);
  lua_setfield(L, -2, "left_s");
}

void push_pending(lua_State* L) {
  lua_createtable(L, 0, 4);
  lua_pushliteral(L, "pending");
  lua_setfield(L, -2, "outcome");
  lua_pushboolean(L, 1);
  lua_setfield(L, -2, "pending");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "passed");
}

void push_elsewhere(lua_State* L, const json& elsewhere) {
  if (elsewhere.empty()) return;
  push_json(L, elsewhere);
  lua_setfield(L, -2, "elsewhere");
}

void push_late(lua_State* L, const SearchSpace& space,
               const std::vector<std::pair<std::size_t, const SearchResult*>>& late) {
  if (late.empty()) return;
  lua_createtable(L, static_cast<int>(late.size()), 0);
  for (std::size_t i = 0; i < late.size(); ++i) {
    push_result(L, *late[i].second);
    push_point(L, space, late[i].first);
    lua_setfield(L, -2, "config");
    lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
  }
  lua_setfield(L, -2, "late");
}

}  // namespace harness::script
