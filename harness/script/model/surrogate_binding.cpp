#include "harness/script/model/surrogate_binding.h"

#include <algorithm>
#include <cstdio>

#include "harness/core/suggest.h"
#include "harness/script/sandbox/convert.h"
#include "harness/script/space/point_binding.h"

// Methods of a model. Upvalues: the Surrogate, the SearchSpace. What calls Lua owns nothing: errors jump over it.
namespace harness::script {
namespace {

constexpr std::size_t kMostProposals = 64;

Surrogate& surrogate_of(lua_State* L) {
  if (!lua_istable(L, 1)) luaL_error(L, "call the methods of a model with a colon: model:observe(config, result)");
  return *static_cast<Surrogate*>(lua_touserdata(L, lua_upvalueindex(1)));
}

const SearchSpace& space_of_model(lua_State* L) {
  return *static_cast<const SearchSpace*>(lua_touserdata(L, lua_upvalueindex(2)));
}

std::size_t point_of_model(lua_State* L) {
  std::size_t point = 0;
  char refusal[512];
  if (!read_point(L, 2, space_of_model(L), point, refusal, sizeof refusal)) luaL_error(L, "%s", refusal);
  return point;
}

/// Runs `work` where a C++ exception must not cross Lua's frames; false: out of memory.
template <typename Work>
bool contained(Work work) noexcept {
  try {
    work();
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

int push_points(lua_State* L, const std::size_t* points, std::size_t count) {
  lua_createtable(L, static_cast<int>(count), 0);
  for (std::size_t i = 0; i < count; ++i) {
    push_point(L, space_of_model(L), points[i]);
    lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
  }
  return 1;
}

int observe(lua_State* L) {
  Surrogate& surrogate = surrogate_of(L);
  const std::size_t point = point_of_model(L);
  luaL_checktype(L, 3, LUA_TTABLE);
  lua_getfield(L, 3, "pending");
  if (lua_toboolean(L, -1) != 0)
    return contained([&] { surrogate.expect(point); }) ? 0 : luaL_error(L, "not enough memory");
  lua_getfield(L, 3, "time_ns");
  lua_getfield(L, 3, "cost_s");
  const bool timed = lua_isnumber(L, -2) != 0;  // also what was abandoned: it is slow, not wrong
  const double time = lua_tonumber(L, -2), cost = lua_tonumber(L, -1);
  const bool done = contained([&] { surrogate.observe(point, timed ? std::optional(time) : std::nullopt, cost); });
  return done ? 0 : luaL_error(L, "not enough memory");
}

int predict(lua_State* L) {
  Surrogate& surrogate = surrogate_of(L);
  const std::size_t point = point_of_model(L);
  std::optional<Surrogate::Prediction> prediction;
  charge(L, surrogate.work(1));
  if (!contained([&] { prediction = surrogate.predict(point); })) return luaL_error(L, "not enough memory");
  if (!prediction) return 0;
  lua_createtable(L, 0, 4);
  lua_pushnumber(L, prediction->log_time.mean);
  lua_setfield(L, -2, "log_time");
  lua_pushnumber(L, prediction->log_time.deviation);
  lua_setfield(L, -2, "deviation");
  lua_pushnumber(L, prediction->passes);
  lua_setfield(L, -2, "passes");
  lua_pushnumber(L, prediction->cost_s);
  lua_setfield(L, -2, "cost_s");
  return 1;
}

int propose(lua_State* L) {
  Surrogate& surrogate = surrogate_of(L);
  const auto count = static_cast<std::size_t>(
      std::clamp<lua_Integer>(luaL_optinteger(L, 2, 1), 1, static_cast<lua_Integer>(kMostProposals)));
  std::size_t points[kMostProposals];
  std::size_t found = 0;
  charge(L, surrogate.work(surrogate.looked_at()));
  const bool done = contained([&] {
    const std::vector<std::size_t> proposed = surrogate.propose(count);
    found = proposed.size();
    std::ranges::copy(proposed, points);
  });
  if (!done) return luaL_error(L, "not enough memory");
  return push_points(L, points, found);
}

int rank(lua_State* L) {
  Surrogate& surrogate = surrogate_of(L);
  luaL_checktype(L, 2, LUA_TTABLE);
  const lua_Integer count = luaL_len(L, 2);
  auto* points = static_cast<std::size_t*>(
      lua_newuserdatauv(L, static_cast<std::size_t>(std::max<lua_Integer>(count, 1)) * sizeof(std::size_t), 0));
  char refusal[512];
  for (lua_Integer i = 1; i <= count; ++i) {
    lua_geti(L, 2, i);
    if (!read_point(L, -1, space_of_model(L), points[i - 1], refusal, sizeof refusal))
      return luaL_error(L, "%s", refusal);
    lua_pop(L, 1);
  }
  std::size_t found = 0;
  charge(L, surrogate.work(static_cast<std::size_t>(count)));
  const bool done = contained([&] {
    const std::vector<std::size_t> ranked = surrogate.rank({points, points + count});
    found = ranked.size();
    std::ranges::copy(ranked, points);
  });
  return done ? push_points(L, points, found) : luaL_error(L, "not enough memory");
}

int importance(lua_State* L) {
  Surrogate& surrogate = surrogate_of(L);
  struct Share {
    const char* name;
    double share;
  };
  const std::size_t count = surrogate.parameters();
  auto* shares = static_cast<Share*>(lua_newuserdatauv(L, (count + 1) * sizeof(Share), 0));
  charge(L, surrogate.work(0));
  const bool done = contained([&] {
    const auto list = surrogate.importance();
    for (std::size_t i = 0; i < count; ++i) shares[i] = {surrogate.name(i), list[i]};
  });
  if (!done) return luaL_error(L, "not enough memory");
  lua_createtable(L, 0, static_cast<int>(count));
  for (std::size_t i = 0; i < count; ++i) {
    lua_pushnumber(L, shares[i].share);
    lua_setfield(L, -2, shares[i].name);
  }
  return 1;
}

constexpr luaL_Reg kModelMethods[] = {{"observe", observe}, {"predict", predict},       {"propose", propose},
                                      {"rank", rank},       {"importance", importance}, {nullptr, nullptr}};

/// An option by name; nullptr for an unknown one.
double* option(SurrogateOptions& options, double (&whole)[4], const char* name) {
  const std::pair<const char*, double*> known[] = {{"trees", &whole[0]},
                                                   {"leaf", &whole[1]},
                                                   {"candidates", &whole[2]},
                                                   {"features", &options.forest.features},
                                                   {"early", &whole[3]},
                                                   {"squash", &options.squash},
                                                   {"trend", &options.trend},
                                                   {"novelty", &options.novelty},
                                                   {"cost_weight", &options.cost_weight},
                                                   {"explore", &options.explore}};
  for (const auto& [text, place] : known)
    if (std::string_view(text) == name) return place;
  return nullptr;
}

}  // namespace

int push_model(lua_State* L, int index, const SearchSpace& space, Sandbox& sandbox, Surrogates& models) {
  SurrogateOptions options;
  double whole[4] = {static_cast<double>(options.forest.trees), static_cast<double>(options.forest.smallest_leaf),
                     static_cast<double>(options.candidates), static_cast<double>(options.early)};
  if (!lua_isnoneornil(L, index)) {
    luaL_checktype(L, index, LUA_TTABLE);
    for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
      double* place = lua_type(L, -2) == LUA_TSTRING ? option(options, whole, lua_tostring(L, -2)) : nullptr;
      if (place == nullptr)
        return luaL_error(
            L,
            "space:model has no option '%s'; use trees, leaf, features, candidates, early, squash, trend, novelty, "
            "cost_weight, explore",
            luaL_tolstring(L, -2, nullptr));
      if (lua_isnumber(L, -1) == 0 || !(lua_tonumber(L, -1) >= 0 && lua_tonumber(L, -1) <= 1e6))
        return luaL_error(L, "the option '%s' of space:model is not a number from 0 to 1000000", lua_tostring(L, -2));
      *place = lua_tonumber(L, -1);
    }
  }
  options.forest.trees = static_cast<int>(std::clamp(whole[0], 1.0, 1000.0));
  options.forest.smallest_leaf = static_cast<int>(std::max(whole[1], 1.0));
  options.trend = std::min(options.trend, 1.0);
  options.candidates = static_cast<std::size_t>(std::max(whole[2], 1.0));
  options.early = static_cast<std::size_t>(std::max(whole[3], 1.0));
  if (models.size() >= kMostModels) return luaL_error(L, "a search may make %d models", static_cast<int>(kMostModels));
  const std::uint64_t seed = sandbox.random_below(std::uint64_t{1} << 53);
  if (!contained([&] { models.push_back(std::make_unique<Surrogate>(space, options, seed)); }))
    return luaL_error(L, "not enough memory");
  lua_createtable(L, 0, 4);
  lua_pushlightuserdata(L, models.back().get());
  lua_pushlightuserdata(L, const_cast<SearchSpace*>(&space));
  luaL_setfuncs(L, kModelMethods, 2);
  return 1;
}

}  // namespace harness::script
