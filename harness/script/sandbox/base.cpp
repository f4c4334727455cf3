#include <algorithm>
#include <bit>
#include <memory>
#include <string_view>
#include <utility>

#include "harness/script/sandbox/convert.h"
#include "harness/script/sandbox/sandbox.h"
#include "harness/script/sandbox/state.h"

// Functions of Lua's base library that have to differ. Nothing here owns anything while it calls Lua.
namespace harness::script {
namespace {

constexpr const char* kPrelude =
#include "embedded/harness/script/sandbox/prelude.lua"
    ;

constexpr std::size_t kMostMessages = 200, kLongestMessage = 1000;

/// Stack: true, results... or true, error.
int finish_pcall(lua_State* L, int status, lua_KContext) {
  if (status == LUA_OK || status == LUA_YIELD) return lua_gettop(L);
  reraise_limit(L);
  lua_pushboolean(L, 0);
  lua_insert(L, -2);
  return 2;
}

int protected_call(lua_State* L) {
  luaL_checkany(L, 1);
  lua_pushboolean(L, 1);
  lua_insert(L, 1);
  return finish_pcall(L, lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 0, 0, finish_pcall), 0);
}

/// Finalizers would run with the limits' hook off, and weak tables depend on when garbage is collected.
int set_metatable(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_argexpected(L, lua_isnil(L, 2) || lua_istable(L, 2), 2, "nil or table");
  lua_settop(L, 2);
  for (const char* refused : {"__gc", "__mode"}) {
    if (lua_isnil(L, 2)) break;
    lua_pushstring(L, refused);
    lua_rawget(L, 2);
    if (!lua_isnil(L, -1)) return luaL_error(L, "a metatable in the sandbox may not have %s", refused);
    lua_pop(L, 1);
  }
  if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL) return luaL_error(L, "cannot change a protected metatable");
  lua_setmetatable(L, 1);
  return 1;
}

/// As Lua's, but without addresses, which differ from run to run.
int to_string(lua_State* L) {
  luaL_checkany(L, 1);
  const int type = lua_type(L, 1);
  const bool has_address = type == LUA_TTABLE || type == LUA_TFUNCTION || type == LUA_TUSERDATA ||
                           type == LUA_TLIGHTUSERDATA || type == LUA_TTHREAD;
  if (has_address && luaL_getmetafield(L, 1, "__tostring") == LUA_TNIL) lua_pushstring(L, lua_typename(L, type));
  else luaL_tolstring(L, 1, nullptr);
  return 1;
}

void keep_message(SandboxState& state, const char* text, std::size_t size) noexcept {
  if (state.messages.size() < kMostMessages) state.messages.emplace_back(text, std::min(size, kLongestMessage));
}

int message(lua_State* L) {
  std::size_t size = 0;
  const char* text = luaL_checklstring(L, 1, &size);
  keep_message(state_of(L), text, size);
  return 0;
}

/// random(), random(m), random(m, n): as math.random, from the sandbox's seed.
int random_number(lua_State* L) {
  Random& random = state_of(L).random;
  const int arguments = lua_gettop(L);
  if (arguments == 0) {
    lua_pushnumber(L, random.unit());
    return 1;
  }
  const lua_Integer low = arguments == 1 ? 1 : luaL_checkinteger(L, 1);
  const lua_Integer high = luaL_checkinteger(L, arguments == 1 ? 1 : 2);
  luaL_argcheck(L, low <= high, arguments, "interval is empty");
  const auto span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  lua_pushinteger(L, static_cast<lua_Integer>(random.upto(span) + static_cast<std::uint64_t>(low)));
  return 1;
}

int target(lua_State* L) {
  luaL_checkany(L, 1);
  lua_settop(L, 1);
  push_target(L, 1);
  return 1;
}

/// Metafield of any value, past a protected metatable; nil when there is none.
int metafield(lua_State* L) {
  if (luaL_getmetafield(L, 1, luaL_checkstring(L, 2)) == LUA_TNIL) lua_pushnil(L);
  return 1;
}

// Values of one kind are compared here as Lua compares them: false where the one on top of the stack is of another.
bool read_top(lua_State* L, lua_Integer& value) {
  value = lua_tointeger(L, -1);
  return lua_isinteger(L, -1) != 0;
}
bool read_top(lua_State* L, lua_Number& value) {
  value = lua_tonumber(L, -1);
  return lua_type(L, -1) == LUA_TNUMBER && lua_isinteger(L, -1) == 0 && value == value;  // NaN has no place in an order
}
bool read_top(lua_State* L, std::string_view& value) {
  if (lua_type(L, -1) != LUA_TSTRING) return false;
  std::size_t size = 0;
  const char* text = lua_tolstring(L, -1, &size);
  value = {text, size};
  return true;
}

std::size_t bytes_to_compare(std::string_view text) {
  return text.size();
}
template <typename Number>
std::size_t bytes_to_compare(Number) {
  return sizeof(Number);
}

/// Pushes the list of the stack's first element in order, or nil where its elements are not all of this kind.
template <typename Value>
int push_in_order(lua_State* L, lua_Integer count) {
  using Placed = std::pair<Value, lua_Integer>;  // what is equal stays in its order
  constexpr std::size_t kBytesPerStep = 32;
  auto* placed = static_cast<Placed*>(lua_newuserdatauv(L, static_cast<std::size_t>(count) * sizeof(Placed), 0));
  std::size_t bytes = 0;
  for (lua_Integer i = 0; i < count; ++i) {
    lua_rawgeti(L, 1, i + 1);
    Value value{};
    const bool is_one = read_top(L, value);
    lua_pop(L, 1);
    if (!is_one) return 0;
    std::construct_at(placed + i, value, i + 1);
    bytes += bytes_to_compare(value);
  }
  charge(L,
         std::bit_width(static_cast<std::size_t>(count)) * (count + static_cast<lua_Integer>(bytes / kBytesPerStep)));
  std::sort(placed, placed + count);
  lua_createtable(L, static_cast<int>(count), 0);
  for (lua_Integer i = 0; i < count; ++i) {
    lua_rawgeti(L, 1, placed[i].second);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

/// in_order(list, count): the elements of a plain list from the smallest on, where all are integers, or all other
/// numbers, or all strings; else nothing. Most lists are like that, and Lua would take ten times as long.
int in_order(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  const lua_Integer count = luaL_checkinteger(L, 2);
  lua_settop(L, 1);
  if (count == 0) return 1;
  lua_rawgeti(L, 1, 1);
  const int type = lua_type(L, -1);
  if (type == LUA_TSTRING) return push_in_order<std::string_view>(L, count);
  if (type != LUA_TNUMBER) return 0;
  return lua_isinteger(L, -1) != 0 ? push_in_order<lua_Integer>(L, count) : push_in_order<lua_Number>(L, count);
}

constexpr luaL_Reg kBaseFunctions[] = {
    {"pcall", protected_call}, {"setmetatable", set_metatable}, {"tostring", to_string},
    {"message", message},      {"random", random_number},       {"target", target},
    {"metafield", metafield},  {"in_order", in_order},          {nullptr, nullptr}};

void protect_strings(lua_State* L, int globals) {
  lua_pushliteral(L, "");
  lua_getmetatable(L, -1);
  lua_getfield(L, globals, "string");
  lua_setfield(L, -2, "__index");
  lua_pushliteral(L, "protected");
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 2);
}

}  // namespace

void push_base_functions(lua_State* L) {
  luaL_setfuncs(L, kBaseFunctions, 0);
}

void open_sandbox(lua_State* L) {
  if (load_text(L, kPrelude, "=[harness]") != LUA_OK) lua_error(L);
  luaL_requiref(L, LUA_GNAME, luaopen_base, 0);
  lua_pop(L, 1);
  for (const luaL_Reg& library : {luaL_Reg{LUA_STRLIBNAME, luaopen_string}, luaL_Reg{LUA_TABLIBNAME, luaopen_table},
                                  luaL_Reg{LUA_MATHLIBNAME, luaopen_math}, luaL_Reg{LUA_UTF8LIBNAME, luaopen_utf8}}) {
    luaL_requiref(L, library.name, library.func, 1);
    lua_pop(L, 1);
  }
  lua_pushglobaltable(L);
  lua_newtable(L);
  push_base_functions(L);
  push_string_functions(L);
  lua_call(L, 2, 1);  // the prelude makes the globals from Lua's libraries and the functions above
  protect_strings(L, lua_gettop(L));
  lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
}

}  // namespace harness::script
