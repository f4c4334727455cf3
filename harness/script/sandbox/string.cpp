#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>

#include "harness/script/sandbox/pattern.h"
#include "harness/script/sandbox/sandbox.h"
#include "harness/script/sandbox/state.h"

// string.find, match, gmatch, gsub, rep and format with the sandbox's limits inside. The behaviour is Lua 5.4's.
// Everything on the C++ stack here is trivially destructible: Lua's errors jump over it.
namespace harness::script {
namespace {

constexpr lua_Integer kBytesPerStep = 16;

bool keep_going(void* meter, std::int64_t steps) {
  return spend(*static_cast<Meter*>(meter), steps);
}

PatternMatcher matcher_for(lua_State* L, std::string_view subject, std::string_view pattern) {
  return {subject.data(), subject.size(), pattern.data(), pattern.size(), keep_going, &state_of(L).meter};
}

std::string_view string_argument(lua_State* L, int index) {
  std::size_t size = 0;
  const char* text = luaL_checklstring(L, index, &size);
  return {text, size};
}

void raise_failure(lua_State* L, const PatternMatcher& matcher) {
  if (matcher.out_of_steps()) raise_limit(L);
  if (matcher.error() != nullptr) luaL_error(L, "%s", matcher.error());
}

const char* checked_match(lua_State* L, PatternMatcher& matcher, const char* start) {
  const char* end = matcher.match_at(start);
  if (end == nullptr) raise_failure(L, matcher);
  return end;
}

/// Pushes capture `i` of the match [start, end); 0 of a pattern without captures is the whole match.
void push_capture(lua_State* L, const PatternMatcher& matcher, int i, const char* start, const char* end) {
  if (i >= matcher.captures()) {
    if (i != 0) luaL_error(L, "invalid capture index %%%d", i + 1);
    lua_pushlstring(L, start, static_cast<std::size_t>(end - start));
    return;
  }
  const PatternMatcher::Capture& capture = matcher.capture(i);
  if (capture.length == PatternMatcher::kUnfinished) luaL_error(L, "unfinished capture");
  if (capture.length == PatternMatcher::kPosition) lua_pushinteger(L, capture.start - matcher.subject() + 1);
  else lua_pushlstring(L, capture.start, static_cast<std::size_t>(capture.length));
}

int push_captures(lua_State* L, const PatternMatcher& matcher, const char* start, const char* end, bool whole_if_none) {
  const int count = matcher.captures() == 0 && whole_if_none ? 1 : matcher.captures();
  luaL_checkstack(L, count, "too many captures");
  for (int i = 0; i < count; ++i) push_capture(L, matcher, i, start, end);
  return count;
}

/// The optional start argument, from 0; past the end: size + 1.
std::size_t start_offset(lua_State* L, int index, std::size_t size) {
  const lua_Integer init = luaL_optinteger(L, index, 1);
  const auto length = static_cast<lua_Integer>(size);
  if (init > 0) return static_cast<std::size_t>(std::min(init - 1, length + 1));
  if (init == 0 || init < -length) return 0;
  return static_cast<std::size_t>(length + init);
}

int find_plain(lua_State* L, std::string_view subject, std::string_view wanted, std::size_t offset) {
  charge(L, static_cast<lua_Integer>(subject.size() - offset + wanted.size()) / kBytesPerStep);
  // memmem is linear in the worst case; a quadratic search would take hours on 16 MB
  const void* found = memmem(subject.data() + offset, subject.size() - offset, wanted.data(), wanted.size());
  if (found == nullptr) {
    lua_pushnil(L);
    return 1;
  }
  const auto place = static_cast<const char*>(found) - subject.data();
  lua_pushinteger(L, place + 1);
  lua_pushinteger(L, place + static_cast<lua_Integer>(wanted.size()));
  return 2;
}

int find_or_match(lua_State* L, bool find) {
  const std::string_view subject = string_argument(L, 1);
  std::string_view pattern = string_argument(L, 2);
  const std::size_t offset = start_offset(L, 3, subject.size());
  if (offset > subject.size()) {
    lua_pushnil(L);
    return 1;
  }
  const bool plain = lua_toboolean(L, 4) != 0 || pattern.find_first_of("^$*+?.([%-") == std::string_view::npos;
  if (find && plain) return find_plain(L, subject, pattern, offset);
  const bool anchored = !pattern.empty() && pattern[0] == '^';
  if (anchored) pattern.remove_prefix(1);
  PatternMatcher matcher = matcher_for(L, subject, pattern);
  for (const char* s = subject.data() + offset; s <= matcher.subject_end(); ++s) {
    const char* end = checked_match(L, matcher, s);
    if (end != nullptr) {
      if (!find) return push_captures(L, matcher, s, end, true);
      lua_pushinteger(L, s - subject.data() + 1);
      lua_pushinteger(L, end - subject.data());
      return push_captures(L, matcher, s, end, false) + 2;
    }
    if (anchored) break;
  }
  lua_pushnil(L);
  return 1;
}

int string_find(lua_State* L) {
  return find_or_match(L, true);
}
int string_match(lua_State* L) {
  return find_or_match(L, false);
}

struct GmatchState {
  std::size_t next;
  std::ptrdiff_t last_end;  // of the last match, -1: none; an empty match right there does not count
};

int gmatch_step(lua_State* L) {
  const std::string_view subject = string_argument(L, lua_upvalueindex(1));
  const std::string_view pattern = string_argument(L, lua_upvalueindex(2));
  auto* state = static_cast<GmatchState*>(lua_touserdata(L, lua_upvalueindex(3)));
  PatternMatcher matcher = matcher_for(L, subject, pattern);
  for (; state->next <= subject.size(); ++state->next) {
    const char* s = subject.data() + state->next;
    const char* end = checked_match(L, matcher, s);
    if (end == nullptr || end - subject.data() == state->last_end) continue;
    state->last_end = end - subject.data();
    state->next = static_cast<std::size_t>(state->last_end);
    return push_captures(L, matcher, s, end, true);
  }
  return 0;
}

int string_gmatch(lua_State* L) {
  const std::string_view subject = string_argument(L, 1);
  string_argument(L, 2);
  const std::size_t offset = start_offset(L, 3, subject.size());
  lua_settop(L, 2);
  auto* state = static_cast<GmatchState*>(lua_newuserdatauv(L, sizeof(GmatchState), 0));
  *state = {offset, -1};
  lua_pushcclosure(L, gmatch_step, 3);
  return 1;
}

/// Appends the replacement text at 3 with its %0 .. %9 and %% filled in.
void add_text(lua_State* L, luaL_Buffer* buffer, const PatternMatcher& matcher, const char* start, const char* end) {
  std::size_t size = 0;
  const char* text = lua_tolstring(L, 3, &size);
  for (std::size_t i = 0; i < size; ++i) {
    if (text[i] != '%') {
      luaL_addchar(buffer, text[i]);
      continue;
    }
    const char kind = ++i < size ? text[i] : '\0';
    if (kind == '%') {
      luaL_addchar(buffer, '%');
    } else if (kind == '0') {
      luaL_addlstring(buffer, start, static_cast<std::size_t>(end - start));
    } else if (kind >= '1' && kind <= '9') {
      push_capture(L, matcher, kind - '1', start, end);
      luaL_addvalue(buffer);
    } else {
      luaL_error(L, "invalid use of '%%' in replacement string");
    }
  }
}

/// Appends what the table or function at 3 gives for the match; its text itself when that is nil or false.
void add_looked_up(lua_State* L, luaL_Buffer* buffer, const PatternMatcher& matcher, const char* start,
                   const char* end) {
  if (lua_isfunction(L, 3)) {
    lua_pushvalue(L, 3);
    lua_call(L, push_captures(L, matcher, start, end, true), 1);
  } else {
    push_capture(L, matcher, 0, start, end);
    lua_gettable(L, 3);
  }
  if (lua_toboolean(L, -1) == 0) {
    lua_pop(L, 1);
    luaL_addlstring(buffer, start, static_cast<std::size_t>(end - start));
    return;
  }
  if (lua_isstring(L, -1) == 0) luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
  luaL_addvalue(buffer);
}

int string_gsub(lua_State* L) {
  const std::string_view subject = string_argument(L, 1);
  std::string_view pattern = string_argument(L, 2);
  const bool is_text = lua_isstring(L, 3) != 0;
  luaL_argexpected(L, is_text || lua_istable(L, 3) || lua_isfunction(L, 3), 3, "string/function/table");
  if (is_text) luaL_checkstring(L, 3);  // a number becomes text, before the buffer takes the top of the stack
  const lua_Integer most = luaL_optinteger(L, 4, static_cast<lua_Integer>(subject.size()) + 1);
  const bool anchored = !pattern.empty() && pattern[0] == '^';
  if (anchored) pattern.remove_prefix(1);
  PatternMatcher matcher = matcher_for(L, subject, pattern);
  const char* s = subject.data();
  const char* last_end = nullptr;
  lua_Integer replaced = 0;
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  while (replaced < most) {
    const char* end = checked_match(L, matcher, s);
    if (end != nullptr && end != last_end) {
      ++replaced;
      if (is_text) add_text(L, &buffer, matcher, s, end);
      else add_looked_up(L, &buffer, matcher, s, end);
      s = last_end = end;
    } else if (s < matcher.subject_end()) {
      luaL_addchar(&buffer, *s++);
    } else {
      break;
    }
    if (anchored) break;
  }
  luaL_addlstring(&buffer, s, static_cast<std::size_t>(matcher.subject_end() - s));
  luaL_pushresult(&buffer);
  lua_pushinteger(L, replaced);
  return 2;
}

int string_rep(lua_State* L) {
  const std::string_view text = string_argument(L, 1);
  const lua_Integer count = luaL_checkinteger(L, 2);
  const std::string_view separator = lua_isnoneornil(L, 3) ? std::string_view() : string_argument(L, 3);
  const std::size_t each = text.size() + separator.size();
  if (count <= 0 || each == 0) {  // Lua's own loops `count` times over nothing
    lua_pushliteral(L, "");
    return 1;
  }
  if (static_cast<std::size_t>(count) > state_of(L).meter.limits.memory_bytes / each) {
    return luaL_error(L, "resulting string too large");
  }
  const std::size_t total = static_cast<std::size_t>(count) * each - separator.size();
  charge(L, static_cast<lua_Integer>(total) / kBytesPerStep + count);
  luaL_Buffer buffer;
  char* out = luaL_buffinitsize(L, &buffer, total);
  for (lua_Integer i = 0; i < count; ++i) {
    out = std::copy(text.begin(), text.end(), out);
    if (i + 1 < count) out = std::copy(separator.begin(), separator.end(), out);
  }
  luaL_pushresultsize(&buffer, total);
  return 1;
}

/// %p would show an address, which differs from run to run.
void refuse_addresses(lua_State* L, std::string_view format) {
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') continue;
    i = format.find_first_not_of("-+ #0123456789.", i + 1);
    if (i == std::string_view::npos) return;
    if (format[i] == 'p') luaL_error(L, "'%%p' shows an address, which differs from run to run; use a name");
  }
}

/// Lua's own format (upvalue 1) after the arguments that print as addresses became text.
int string_format(lua_State* L) {
  refuse_addresses(L, string_argument(L, 1));
  const int arguments = lua_gettop(L);
  for (int i = 2; i <= arguments; ++i) {
    const int type = lua_type(L, i);
    if (type < LUA_TTABLE && type != LUA_TLIGHTUSERDATA) continue;
    lua_pushvalue(L, lua_upvalueindex(2));
    lua_pushvalue(L, i);
    lua_call(L, 1, 1);
    lua_replace(L, i);
  }
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, arguments, 1);
  return 1;
}

constexpr luaL_Reg kStringFunctions[] = {{"find", string_find}, {"match", string_match}, {"gmatch", string_gmatch},
                                         {"gsub", string_gsub}, {"rep", string_rep},     {nullptr, nullptr}};

}  // namespace

void push_string_functions(lua_State* L) {
  luaL_setfuncs(L, kStringFunctions, 0);
  lua_getglobal(L, LUA_STRLIBNAME);
  lua_getfield(L, -1, "format");
  lua_remove(L, -2);
  lua_getfield(L, -2, "tostring");
  lua_pushcclosure(L, string_format, 2);
  lua_setfield(L, -2, "format");
}

}  // namespace harness::script
