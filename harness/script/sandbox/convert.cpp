#include "harness/script/sandbox/convert.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "harness/core/error.h"
#include "harness/core/suggest.h"

namespace harness::script {
namespace {

// Keys that no script can make: what a read-only table stands for, what it is called, and (in its target) itself.
const char kTargetKey = 1, kNameKey = 2, kStandInKey = 3, kAbsentKey = 4, kParentKey = 5;
constexpr int kOwnKeys = 2;  // of a table that was pushed: kStandInKey, kAbsentKey
constexpr const char* kReadOnly = "read-only";
// Fields that objects are given, or not, after they were pushed: no strict object refuses them.
constexpr const char* kDerived[] = {"open",     "current",   "place",  "name",       "kernel",
                                    "workload", "technique", "passed", "cumulative", "cost_factor",
                                    "patterns", "playbook",  "profile"};

bool is_derived(const char* name) {
  return std::ranges::any_of(kDerived, [&](const char* derived) { return std::strcmp(name, derived) == 0; });
}

void push_field_name(lua_State* L, int of, int key);

/// Name of the stand-in at `of`: that of a field within its parent, if it has one. Names are only made for errors.
void push_name(lua_State* L, int of) {
  luaL_checkstack(L, 8, "a value is nested too deeply");
  if (lua_rawgetp(L, of, &kParentKey) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_rawgetp(L, of, &kNameKey);
    return;
  }
  const int parent = lua_gettop(L);
  lua_rawgetp(L, of, &kNameKey);
  push_field_name(L, parent, parent + 1);
  lua_replace(L, parent);
  lua_settop(L, parent);
}

/// Name of the field at `key` within the stand-in at `of`, pushed: "campaign.arms[3]".
void push_field_name(lua_State* L, int of, int key) {
  push_name(L, of);
  const char* parent = lua_tostring(L, -1);
  const char* field = luaL_tolstring(L, key, nullptr);
  if (lua_type(L, key) == LUA_TNUMBER) lua_pushfstring(L, "%s[%s]", parent, field);
  else lua_pushfstring(L, "%s.%s", parent, field);
}

/// Writes "; did you mean 'x'?" or "". Raises nothing.
void nearest_field(lua_State* L, int target, int absent, char* text, std::size_t size) noexcept {
  std::vector<std::string> known(std::begin(kDerived), std::end(kDerived));
  for (const int table : {target, absent})
    for (lua_pushnil(L); lua_next(L, table) != 0; lua_pop(L, 1))
      if (lua_type(L, -2) == LUA_TSTRING) known.emplace_back(lua_tostring(L, -2));
  std::snprintf(text, size, "%s", did_you_mean(lua_tostring(L, 2), known).c_str());
}

/// Of a strict object: nil for a field that may be absent, else an error with the nearest name.
int read_absent(lua_State* L, int target) {
  if (lua_rawgetp(L, target, &kAbsentKey) != LUA_TTABLE) {
    lua_pushnil(L);
    return 1;
  }
  const int absent = lua_gettop(L);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, absent) != LUA_TNIL || is_derived(lua_tostring(L, 2))) {
    lua_pushnil(L);
    return 1;
  }
  char suggestion[256];
  nearest_field(L, target, absent, suggestion, sizeof suggestion);
  push_field_name(L, 1, 2);
  return luaL_error(L, "there is no field %s%s", lua_tostring(L, -1), suggestion);
}

/// Makes and pushes the stand-in of the table at `index`, which has none; the caller names it.
void push_stand_in(lua_State* L, int index);

int read_field(lua_State* L) {
  lua_rawgetp(L, 1, &kTargetKey);
  const int target = lua_gettop(L);
  lua_pushvalue(L, 2);
  const int type = lua_rawget(L, -2);
  if (type == LUA_TNIL && lua_type(L, 2) == LUA_TSTRING) return read_absent(L, target);
  if (type != LUA_TTABLE) return 1;
  const int value = lua_gettop(L);
  if (lua_rawgetp(L, value, &kStandInKey) != LUA_TNIL) return 1;
  if (lua_rawgetp(L, value, &kTargetKey) != LUA_TNIL) {  // a stand-in itself
    lua_pushvalue(L, value);
    return 1;
  }
  push_stand_in(L, value);
  lua_pushvalue(L, 1);
  lua_rawsetp(L, -2, &kParentKey);
  lua_pushvalue(L, 2);
  lua_rawsetp(L, -2, &kNameKey);
  return 1;
}

int refuse_write(lua_State* L) {
  push_field_name(L, 1, 2);
  return luaL_error(L, "%s is read-only", lua_tostring(L, -1));
}

int read_length(lua_State* L) {
  lua_rawgetp(L, 1, &kTargetKey);
  lua_pushinteger(L, static_cast<lua_Integer>(lua_rawlen(L, -1)));
  return 1;
}

constexpr luaL_Reg kReadOnlyMethods[] = {
    {"__index", read_field}, {"__newindex", refuse_write}, {"__len", read_length}, {nullptr, nullptr}};

void push_stand_in(lua_State* L, int index) {
  lua_createtable(L, 0, 3);
  lua_pushvalue(L, index);
  lua_rawsetp(L, -2, &kTargetKey);
  if (luaL_newmetatable(L, kReadOnly) != 0) {
    luaL_setfuncs(L, kReadOnlyMethods, 0);
    lua_pushstring(L, kReadOnly);
    lua_setfield(L, -2, "__metatable");
  }
  lua_setmetatable(L, -2);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, index, &kStandInKey);
}

void push_array(lua_State* L, const json& j, bool strict) {
  lua_createtable(L, static_cast<int>(j.size()), kOwnKeys);
  lua_Integer place = 0;
  for (const json& element : j) {
    push_json(L, element, strict);
    lua_rawseti(L, -2, ++place);
  }
}

bool is_map(const json::object_t& fields) {
  for (const auto& [name, value] : fields)
    if (value.is_null() || value.is_structured() || value.type() != fields.begin()->second.type()) return false;
  return true;
}

/// The names of an object's null fields, kept beside the others.
void push_absent_fields(lua_State* L, const json::object_t& fields) {
  lua_newtable(L);
  for (const auto& [name, value] : fields) {
    if (!value.is_null()) continue;
    lua_pushlstring(L, name.data(), name.size());
    lua_pushboolean(L, 1);
    lua_rawset(L, -3);
  }
  lua_rawsetp(L, -2, &kAbsentKey);
}

void push_object(lua_State* L, const json& j, bool strict) {
  const auto& fields = j.get_ref<const json::object_t&>();
  if (fields.size() == 1 && fields.begin()->first == "float" && fields.begin()->second.is_string()) {
    lua_pushnumber(L, std::strtod(fields.begin()->second.get_ref<const std::string&>().c_str(), nullptr));
    return;
  }
  lua_createtable(L, 0, static_cast<int>(fields.size()) + kOwnKeys);
  for (const auto& [name, value] : fields) {
    lua_pushlstring(L, name.data(), name.size());
    push_json(L, value, strict);
    lua_rawset(L, -3);
  }
  if (strict && !is_map(fields)) push_absent_fields(L, fields);
}

class StackKeeper {
 public:
  explicit StackKeeper(lua_State* L) : L_(L), top_(lua_gettop(L)) {}
  ~StackKeeper() { lua_settop(L_, top_); }
  StackKeeper(const StackKeeper&) = delete;
  StackKeeper& operator=(const StackKeeper&) = delete;

 private:
  lua_State* L_;
  int top_;
};

std::string string_at(lua_State* L, int index) {
  std::size_t size = 0;
  const char* text = lua_tolstring(L, index, &size);  // a string already: converts and allocates nothing
  return {text, size};
}

json array_from(lua_State* L, int table, const std::string& name, int depth) {
  json array = json::array();
  const auto count = static_cast<lua_Integer>(lua_rawlen(L, table));
  for (lua_Integer i = 1; i <= count; ++i) {
    lua_rawgeti(L, table, i);
    array.push_back(to_json(L, -1, name + "[" + std::to_string(i) + "]", depth));
    lua_pop(L, 1);
  }
  return array;
}

json table_to_json(lua_State* L, int index, const std::string& name, int depth) {
  if (depth == 0) throw bad_input(name + " is nested too deeply");
  push_target(L, index);
  const int table = lua_gettop(L);
  const bool sequence = lua_rawlen(L, table) > 0;
  json object = json::object();
  std::size_t keys = 0;
  for (lua_pushnil(L); lua_next(L, table) != 0; lua_pop(L, 1)) {
    const int type = lua_type(L, -2);
    if (type == LUA_TLIGHTUSERDATA) continue;
    ++keys;
    if (sequence && lua_isinteger(L, -2)) continue;
    if (sequence || type != LUA_TSTRING) throw bad_input(name + " mixes keys; use either 1, 2, 3 ... or names");
    const std::string field = string_at(L, -2);
    object[field] = to_json(L, -1, name + "." + field, depth - 1);
  }
  if (sequence && keys != lua_rawlen(L, table)) throw bad_input(name + " has holes; use the keys 1, 2, 3 ...");
  if (sequence) return array_from(L, table, name, depth - 1);
  return keys == 0 ? json::array() : object;
}

}  // namespace

void push_json(lua_State* L, const json& j, bool strict) {
  luaL_checkstack(L, 6, "a value is nested too deeply");
  switch (j.type()) {
    case json::value_t::boolean:
      lua_pushboolean(L, j.get<bool>());
      return;
    case json::value_t::number_integer:
      lua_pushinteger(L, j.get<lua_Integer>());
      return;
    case json::value_t::number_unsigned:
      lua_pushinteger(L, static_cast<lua_Integer>(j.get<lua_Unsigned>()));
      return;
    case json::value_t::number_float:
      lua_pushnumber(L, j.get<double>());
      return;
    case json::value_t::string: {
      const auto& text = j.get_ref<const std::string&>();
      lua_pushlstring(L, text.data(), text.size());
      return;
    }
    case json::value_t::array:
      push_array(L, j, strict);
      return;
    case json::value_t::object:
      push_object(L, j, strict);
      return;
    default:
      lua_pushnil(L);
  }
}

void push_value(lua_State* L, const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) lua_pushboolean(L, *flag);
  else if (const auto* integer = std::get_if<std::int64_t>(&value)) lua_pushinteger(L, *integer);
  else if (const auto* real = std::get_if<double>(&value)) lua_pushnumber(L, *real);
  else if (const auto* text = std::get_if<std::string>(&value)) lua_pushlstring(L, text->data(), text->size());
}

bool to_value(lua_State* L, int index, Value& value) {
  switch (lua_type(L, index)) {
    case LUA_TBOOLEAN:
      value = lua_toboolean(L, index) != 0;
      return true;
    case LUA_TNUMBER:
      if (lua_isinteger(L, index)) value = static_cast<std::int64_t>(lua_tointeger(L, index));
      else value = lua_tonumber(L, index);
      return true;
    case LUA_TSTRING:
      value = string_at(L, index);
      return true;
    default:
      return false;
  }
}

json to_json(lua_State* L, int index, const std::string& name, int depth) {
  const StackKeeper keeper(L);
  index = lua_absindex(L, index);
  if (lua_checkstack(L, 6) == 0) throw bad_input(name + " is nested too deeply");
  Value value;
  if (to_value(L, index, value)) return value_to_json(value);
  if (lua_isnoneornil(L, index)) return nullptr;
  if (lua_istable(L, index)) return table_to_json(L, index, name, depth);
  throw bad_input(name + " is a " + lua_typename(L, lua_type(L, index)) + "; use a boolean, number, string or table");
}

void refuse_unknown_fields(lua_State* L, std::initializer_list<const char*> absent) {
  lua_createtable(L, 0, static_cast<int>(absent.size()));
  for (const char* name : absent) {
    lua_pushboolean(L, 1);
    lua_setfield(L, -2, name);
  }
  lua_rawsetp(L, -2, &kAbsentKey);
}

void push_read_only(lua_State* L, int index, const char* name) {
  luaL_checkstack(L, 6, "a value is nested too deeply");
  index = lua_absindex(L, index);
  if (lua_rawgetp(L, index, &kTargetKey) != LUA_TNIL) {  // a stand-in already
    lua_pop(L, 1);
    lua_pushvalue(L, index);
    return;
  }
  lua_pop(L, 1);
  if (lua_rawgetp(L, index, &kStandInKey) != LUA_TNIL) return;
  lua_pop(L, 1);
  push_stand_in(L, index);
  lua_pushstring(L, name);
  lua_rawsetp(L, -2, &kNameKey);
}

void push_target(lua_State* L, int index) {
  index = lua_absindex(L, index);
  if (lua_istable(L, index)) {
    if (lua_rawgetp(L, index, &kTargetKey) != LUA_TNIL) return;
    lua_pop(L, 1);
  }
  lua_pushvalue(L, index);
}

}  // namespace harness::script
