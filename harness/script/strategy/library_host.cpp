#include "harness/script/strategy/library_host.h"

#include <cstdio>
#include <cstring>

#include "harness/core/error.h"
#include "harness/core/profile.h"
#include "harness/core/suggest.h"
#include "harness/script/sandbox/convert.h"

namespace harness::script {
namespace {

constexpr const char* kLibraryApi =
#include "embedded/harness/script/strategy/library_api.lua"
    ;

constexpr const char* kPatternApi =
#include "embedded/harness/script/strategy/pattern_api.lua"
    ;

constexpr const char* kDiagnosisApi =
#include "embedded/harness/script/strategy/diagnosis_api.lua"
    ;

constexpr const char* kPlaybook = "playbook";
constexpr const char *kUsed = "harness.used", *kApi = "harness.api", *kDeclared = "harness.declared";
constexpr std::size_t kLongestUsed = 256 << 10;

/// Writes "; did you mean 'x'?" or "". Reads the names from the array at `list` without raising.
void suggestion(lua_State* L, const char* name, int list, char* text, std::size_t size) noexcept {
  text[0] = '\0';
  std::vector<std::string> known;
  for (lua_Integer i = 1; lua_rawgeti(L, list, i) == LUA_TSTRING; ++i, lua_pop(L, 1))
    known.emplace_back(lua_tostring(L, -1));
  lua_pop(L, 1);
  std::snprintf(text, size, "%s", did_you_mean(name, known).c_str());
}

/// suggest(name, names): the end of a sentence about an unknown name.
int suggest(lua_State* L) {
  const char* name = luaL_checkstring(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  char text[256];
  suggestion(L, name, 2, text, sizeof text);
  lua_pushstring(L, text);
  return 1;
}

/// place(f): "file:line: " where the function f begins.
int place(lua_State* L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_Debug about;
  lua_pushvalue(L, 1);
  lua_getinfo(L, ">S", &about);
  if (about.linedefined > 0) lua_pushfstring(L, "%s:%d: ", about.short_src, about.linedefined);
  else lua_pushliteral(L, "");
  return 1;
}

/// where(): "file:line: " of the running script.
int where(lua_State* L) {
  push_where(L);
  return 1;
}

int call_wrapped(lua_State* L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

/// wrap(f): f behind a C function. `return f { ... }` is a tail call, which drops the script's own frame, and with it
/// the line to blame, unless it calls a C function.
int wrap(lua_State* L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_pushcclosure(L, call_wrapped, 1);
  return 1;
}

int freeze(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  push_read_only(L, 1, luaL_checkstring(L, 2));
  return 1;
}

/// Adds the playbook's part to the API.
void open_patterns(lua_State* L) {
  if (load_text(L, kPatternApi, "=[harness]") != LUA_OK) lua_error(L);
  lua_getfield(L, LUA_REGISTRYINDEX, kApi);
  for (const lua_CFunction function : {where, place, freeze, wrap}) lua_pushcfunction(L, function);
  lua_call(L, 5, 0);
}

/// Adds the part of diagnoses. The names of a profile's numbers lie in static memory.
void open_diagnoses(lua_State* L) {
  if (load_text(L, kDiagnosisApi, "=[harness]") != LUA_OK) lua_error(L);
  lua_getfield(L, LUA_REGISTRYINDEX, kApi);
  for (const lua_CFunction function : {where, place, freeze, wrap, suggest}) lua_pushcfunction(L, function);
  const std::vector<ProfileMetric>& metrics = profile_metrics();
  lua_createtable(L, static_cast<int>(metrics.size()), 0);
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    lua_pushlstring(L, metrics[i].name.data(), metrics[i].name.size());
    lua_rawseti(L, -2, static_cast<lua_Integer>(i + 1));
  }
  lua_call(L, 7, 0);
}

std::string stem(const std::string& file) {
  return std::filesystem::path(file).stem().string();
}

}  // namespace

ScriptHost::ScriptHost(SourceSet& sources, const std::string& kind, Limits limits)
    : sources_(sources), sandbox_(limits) {
  open_api();
  const int base = lua_gettop(sandbox_.lua());
  const int results = sandbox_.run(sources.main().text, sources.main().name);
  lua_settop(sandbox_.lua(), base + (results > 0 ? 1 : 0));
  if (results == 0) lua_pushnil(sandbox_.lua());
  declare(kind);
  loading_ = false;
}

void ScriptHost::open_api() {
  sandbox_.protect(0, 0, [this](lua_State* L) {
    luaL_getsubtable(L, LUA_REGISTRYINDEX, kUsed);
    lua_pushlightuserdata(L, this);
    lua_pushcclosure(L, use, 1);
    lua_setglobal(L, "use");
    if (load_text(L, kLibraryApi, "=[harness]") != LUA_OK) return lua_error(L);
    lua_pushcfunction(L, suggest);
    lua_pushcfunction(L, place);
    lua_pushcfunction(L, where);
    lua_pushcfunction(L, freeze);
    lua_pushcfunction(L, wrap);
    lua_call(L, 5, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, kApi);
    open_patterns(L);
    open_diagnoses(L);
    return 0;
  });
}

/// Takes what the file returned from the stack, checks it and keeps it in the registry.
void ScriptHost::declare(const std::string& kind) {
  const std::string file = sources_.main().name, file_stem = stem(file);
  const char* name = nullptr;
  const char* summary = nullptr;
  sandbox_.protect(1, 0, [&](lua_State* L) {
    lua_getfield(L, LUA_REGISTRYINDEX, kApi);
    lua_getfield(L, -1, "declared");
    lua_pushvalue(L, 1);
    lua_pushstring(L, kind.c_str());
    lua_pushstring(L, file.c_str());
    lua_pushstring(L, file_stem.c_str());
    lua_call(L, 4, 5);
    name = lua_tostring(L, -5);  // both stay alive as fields of the declaration
    summary = lua_tostring(L, -4);
    if (lua_isinteger(L, -3)) pattern_ = lua_tointeger(L, -3);
    exact_times_ = lua_toboolean(L, -2) != 0;
    several_ = lua_toboolean(L, -1) != 0;
    lua_pushvalue(L, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, kDeclared);
    return 0;
  });
  name_ = name;
  summary_ = summary;
}

void ScriptHost::push_entry(lua_State* L, const char* function) const {
  lua_getfield(L, LUA_REGISTRYINDEX, kApi);
  lua_getfield(L, -1, function);
  lua_remove(L, -2);
  lua_getfield(L, LUA_REGISTRYINDEX, kDeclared);
}

ScriptHost::Fetched ScriptHost::fetch(const char* name) noexcept {
  Fetched fetched;
  try {
    const Source& source = sources_.used(name);
    if (source.text.size() <= kLongestUsed) fetched.source = &source;
    else std::snprintf(fetched.refusal, sizeof fetched.refusal, "'%s' is longer than 256 KB; split it", name);
  } catch (const std::exception& error) {
    std::snprintf(fetched.refusal, sizeof fetched.refusal, "%s", error.what());
  }
  return fetched;
}

ScriptHost::FetchedPages ScriptHost::fetch_pages() noexcept {
  FetchedPages fetched;
  try {
    fetched.pages = &sources_.pages();
  } catch (const std::exception& error) {
    std::snprintf(fetched.refusal, sizeof fetched.refusal, "%s", error.what());
  }
  return fetched;
}

/// use("playbook"): all its pages as one object. Stack: name, table of what was used, nil. Owns nothing, like use.
int ScriptHost::use_playbook(lua_State* L) {
  const FetchedPages fetched = fetch_pages();
  if (fetched.pages == nullptr) return luaL_error(L, "%s", fetched.refusal);
  lua_settop(L, 2);
  lua_getfield(L, LUA_REGISTRYINDEX, kApi);
  lua_getfield(L, -1, "playbook");
  lua_createtable(L, static_cast<int>(fetched.pages->size()), 0);
  lua_Integer place = 0;
  for (const Source& page : *fetched.pages) {
    const char* chunk = lua_pushfstring(L, "@%s", page.name.c_str());
    if (load_text(L, page.text, chunk) != LUA_OK) return lua_error(L);
    lua_call(L, 0, 1);
    if (!lua_istable(L, -1)) return luaL_error(L, "%s: returns no pattern { ... }", page.name.c_str());
    lua_rawseti(L, 5, ++place);
    lua_pop(L, 1);
  }
  lua_call(L, 1, 1);
  lua_pushvalue(L, 1);
  lua_pushvalue(L, -2);
  lua_rawset(L, 2);
  return 1;
}

/// use(name): what the file strategies/NAME.lua returns; each file runs once. Owns nothing: Lua's errors jump over it.
int ScriptHost::use(lua_State* L) {
  auto* host = static_cast<ScriptHost*>(lua_touserdata(L, lua_upvalueindex(1)));
  const char* name = luaL_checkstring(L, 1);
  if (!host->loading_) return luaL_error(L, "use(\"%s\") while deciding; use files at the top of the script", name);
  lua_getfield(L, LUA_REGISTRYINDEX, kUsed);
  lua_pushvalue(L, 1);
  const int known = lua_rawget(L, -2);
  if (known == LUA_TBOOLEAN) return luaL_error(L, "'%s' uses itself", name);
  if (known != LUA_TNIL) return 1;
  if (std::strcmp(name, kPlaybook) == 0) return host->use_playbook(L);
  const Fetched fetched = host->fetch(name);
  if (fetched.source == nullptr) return luaL_error(L, "%s", fetched.refusal);
  const int used = lua_gettop(L) - 1;
  lua_pushvalue(L, 1);
  lua_pushboolean(L, 1);
  lua_rawset(L, used);
  const char* chunk = lua_pushfstring(L, "@%s", fetched.source->name.c_str());
  if (load_text(L, fetched.source->text, chunk) != LUA_OK) return lua_error(L);
  lua_call(L, 0, 1);
  if (lua_type(L, -1) <= LUA_TBOOLEAN) return luaL_error(L, "%s: returns nothing to use", fetched.source->name.c_str());
  lua_pushvalue(L, 1);
  lua_pushvalue(L, -2);
  lua_rawset(L, used);
  return 1;
}

}  // namespace harness::script
