#include "harness/script/space/point_binding.h"

#include <cstdio>
#include <string>

#include "harness/script/sandbox/convert.h"

namespace harness::script {

void push_point(lua_State* L, const SearchSpace& space, std::size_t point) {
  const SearchSpace::Variant& variant = space.variant_of(point);
  lua_createtable(L, 0, static_cast<int>(variant.parameters.size()) + 1);
  lua_pushlstring(L, variant.name.data(), variant.name.size());
  lua_setfield(L, -2, "variant");
  for (std::size_t p = 0; p < variant.parameters.size(); ++p) {
    push_value(L, space.value(point, p));
    lua_setfield(L, -2, variant.parameters[p].name.c_str());
  }
}

bool read_point(lua_State* L, int index, const SearchSpace& space, std::size_t& point, char* refusal,
                std::size_t size) noexcept {
  const int top = lua_gettop(L);
  try {
    std::string variant, why;
    Config config;
    if (!lua_istable(L, index) || lua_checkstack(L, 8) == 0) {
      std::snprintf(refusal, size, "a configuration is a table of parameters, not %s",
                    lua_typename(L, lua_type(L, index)));
      return false;
    }
    push_target(L, index);
    const int table = lua_gettop(L);
    for (lua_pushnil(L); lua_next(L, table) != 0; lua_pop(L, 1)) {
      if (lua_type(L, -2) != LUA_TSTRING) continue;  // a read-only table's own keys
      Value value;
      const std::string name = lua_tostring(L, -2);
      if (!to_value(L, -1, value)) value = std::string("that is a ") + lua_typename(L, lua_type(L, -1));
      if (name == "variant") variant = to_text(value);
      else config[name] = value;
    }
    lua_settop(L, top);
    const auto found = space.find(variant, config, why);
    std::snprintf(refusal, size, "%s", why.c_str());
    point = found.value_or(0);
    return found.has_value();
  } catch (const std::exception& error) {
    lua_settop(L, top);
    std::snprintf(refusal, size, "%s", error.what());
    return false;
  }
}

}  // namespace harness::script
