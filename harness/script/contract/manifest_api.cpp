#include "harness/script/contract/manifest_api.h"

#include <cstdio>
#include <lua.hpp>
#include <memory>
#include <string>
#include <vector>

#include "harness/core/generators.h"
#include "harness/core/suggest.h"
#include "harness/script/contract/manifest_node.h"
#include "harness/script/contract/manifest_symbol.h"

// Lua leaves a C function by longjmp: no C++ object with a destructor may be alive where an error is raised. Messages
// are therefore written into plain buffers first.
namespace harness::script {
namespace {

using Sentence = char[256];

/// Constructors that take one table, input { "x", ... }, besides the generators.
constexpr const char* kTableConstructors[] = {"kernel",    "model",    "variant", "one_of",  "input",     "inout",
                                              "output",    "scalar",   "struct",  "view",    "pointers",  "tensor_map",
                                              "sum_of",    "relative", "ulp",     "exact",   "quantized", "set",
                                              "workspace", "launch",   "memset",  "library", "stage"};
/// Constructors that take plain values: range(1, 8), i32(w.T).
constexpr const char* kValueConstructors[] = {"range", "multiples_of", "boolean", "i32", "i64", "u32", "f32", "f64"};

int current_line(lua_State* lua) {
  lua_Debug about;
  if (lua_getstack(lua, 1, &about) == 0) return 0;
  lua_getinfo(lua, "l", &about);
  return about.currentline;
}

int construct_from_table(lua_State* lua) {
  const char* kind = lua_tostring(lua, lua_upvalueindex(1));
  if (lua_gettop(lua) == 0) lua_newtable(lua);
  if (lua_gettop(lua) != 1 || lua_istable(lua, 1) == 0) {
    return luaL_error(lua, "%s takes one table: write %s { ... }", kind, kind);
  }
  tag_table(lua, 1, kind, current_line(lua));
  return 1;
}

int construct_from_values(lua_State* lua) {
  const int count = lua_gettop(lua);
  lua_createtable(lua, count, 2);
  for (int i = 1; i <= count; ++i) {
    lua_pushvalue(lua, i);
    lua_rawseti(lua, -2, i);
  }
  tag_table(lua, -1, lua_tostring(lua, lua_upvalueindex(1)), current_line(lua));
  return 1;
}

/// The key at 2 is missing from the table at `known`: writes ", did you mean 'T'?" or nothing.
void suggest_key(lua_State* lua, int known, Sentence& sentence) {
  sentence[0] = 0;
  if (lua_type(lua, 2) != LUA_TSTRING) return;
  std::vector<std::string> candidates;
  const int table = lua_absindex(lua, known);
  lua_pushnil(lua);
  while (lua_next(lua, table) != 0) {
    if (lua_type(lua, -2) == LUA_TSTRING) candidates.emplace_back(lua_tostring(lua, -2));
    lua_pop(lua, 1);
  }
  const std::string found = nearest(lua_tostring(lua, 2), candidates);
  if (!found.empty()) std::snprintf(sentence, sizeof sentence, "; did you mean '%s'?", found.c_str());
}

char kWantedFact;  // only its address matters

/// Lua itself reads what the table at 1 holds; asked for are unset facts and names that are none.
int read_missing(lua_State* lua) {
  lua_pushvalue(lua, 2);
  if (lua_rawget(lua, lua_upvalueindex(1)) != LUA_TNIL) {
    lua_pushvalue(lua, 2);
    lua_rawsetp(lua, 1, &kWantedFact);
    return lua_error(lua);  // not a sentence: whoever catches it, the name is noted
  }
  Sentence suggestion;
  suggest_key(lua, lua_upvalueindex(1), suggestion);
  return luaL_error(lua, "the %s has no '%s'%s", lua_tostring(lua, lua_upvalueindex(2)),
                    luaL_tolstring(lua, 2, nullptr), suggestion);
}

/// Gives the table of facts on top of the stack read_missing, which is told the names that there are now.
void catch_missing(lua_State* lua, const char* title) {
  const int facts = lua_gettop(lua);
  lua_createtable(lua, 0, 1);  // its metatable
  lua_newtable(lua);           // its names
  for (lua_pushnil(lua); lua_next(lua, facts) != 0; lua_pop(lua, 1)) {
    lua_pushvalue(lua, -2);
    lua_pushboolean(lua, 1);
    lua_rawset(lua, facts + 2);
  }
  lua_pushstring(lua, title);
  lua_pushcclosure(lua, read_missing, 2);
  lua_setfield(lua, -2, "__index");
  lua_setmetatable(lua, facts);
}

int refuse_manifest_write(lua_State* lua) {
  return luaL_error(lua, "the %s is read-only; '%s' cannot be set", lua_tostring(lua, lua_upvalueindex(1)),
                    luaL_tolstring(lua, 2, nullptr));
}

int refuse_pairs(lua_State* lua) {
  return luaL_error(lua, "the %s cannot be iterated; read its fields by name", lua_tostring(lua, lua_upvalueindex(1)));
}

int refuse_unknown_global(lua_State* lua) {
  Sentence suggestion;
  suggest_key(lua, lua_upvalueindex(1), suggestion);
  return luaL_error(lua, "unknown name '%s'%s", luaL_tolstring(lua, 2, nullptr), suggestion);
}

void define(lua_State* lua, const char* name, lua_CFunction function) {
  lua_pushstring(lua, name);
  lua_pushcclosure(lua, function, 1);
  lua_setglobal(lua, name);
}

/// baseline { "torch", call = "reference.py" } and rival { ... } are variants that PyTorch computes
/// (core/torch_call.h).
constexpr const char* kTorchVariants = R"lua(
local variant, library, pairs, type, error = variant, library, pairs, type, error
local function calls(kind)
  return function(given)
    if type(given) ~= "table" or given[1] ~= "torch" or type(given.call) ~= "string" then
      error(kind .. ' takes one table: write ' .. kind .. ' { "torch", call = "reference.py" }', 2)
    end
    for name in pairs(given) do
      if name ~= 1 and name ~= "call" and name ~= "compile" and name ~= "tf32" then
        error(kind .. " has no field '" .. name .. "'; there are: call, compile, tf32", 2)
      end
    end
    local compile, tf32 = given.compile == true, given.tf32 == true
    return variant {
      technique = compile and "torch_compile" or "torch", risk = "low", rival = true, build = "torch", program = given.call,
      steps = function(p, w, device) return { library { "torch", "call", compile = compile, tf32 = tf32 } } end,
    }
  end
end
baseline, rival = calls("baseline"), calls("rival")
)lua";

}  // namespace

void push_facts(lua_State* lua, const char* title) {
  catch_missing(lua, title);
  lua_newuserdatauv(lua, 0, 0);  // the view: not a table, so that rawset cannot write into it
  lua_createtable(lua, 0, 4);    // its metatable
  lua_pushvalue(lua, -3);
  lua_setfield(lua, -2, "__index");
  lua_pushstring(lua, title);
  lua_pushcclosure(lua, refuse_manifest_write, 1);
  lua_setfield(lua, -2, "__newindex");
  lua_pushstring(lua, title);
  lua_pushcclosure(lua, refuse_pairs, 1);
  lua_setfield(lua, -2, "__pairs");
  lua_pushboolean(lua, 0);
  lua_setfield(lua, -2, "__metatable");
  lua_setmetatable(lua, -2);
  lua_remove(lua, -2);
}

void forget_wanted_fact(lua_State* lua, int table) {
  lua_pushnil(lua);
  lua_rawsetp(lua, table, &kWantedFact);
}

const char* push_wanted_fact(lua_State* lua, int table) {
  return lua_rawgetp(lua, table, &kWantedFact) == LUA_TSTRING ? lua_tostring(lua, -1) : nullptr;
}

int install_manifest_api(lua_State* lua) {
  install_symbol_type(lua);
  for (const char* name : kTableConstructors) define(lua, name, construct_from_table);
  for (const GeneratorKind& generator : generator_kinds()) define(lua, generator.name.c_str(), construct_from_table);
  for (const char* name : kValueConstructors) define(lua, name, construct_from_values);
  install_arithmetic(lua);
  if (luaL_dostring(lua, kTorchVariants) != LUA_OK) return lua_error(lua);
  lua_pushglobaltable(lua);
  lua_newtable(lua);
  lua_pushvalue(lua, -2);
  lua_pushcclosure(lua, refuse_unknown_global, 1);
  lua_setfield(lua, -2, "__index");
  lua_pushboolean(lua, 0);
  lua_setfield(lua, -2, "__metatable");
  lua_setmetatable(lua, -2);
  lua_pop(lua, 1);
  return 0;
}

}  // namespace harness::script
