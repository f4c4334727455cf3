#include "harness/script/sandbox/pattern.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "harness/script/sandbox/sandbox.h"

using harness::script::PatternMatcher;
using harness::script::Sandbox;

namespace {

// Runs the same chunk in real Lua and in the sandbox; the results as one text, errors by their kind only.
constexpr const char* kDescribe = R"(
local subject, pattern, replacement = ...
local function words(ok, ...)
  if not ok then return "error" end
  local list = table.pack(...)
  for i = 1, list.n do list[i] = math.type(list[i]) == "integer" and "#" .. list[i] or tostring(list[i]) end
  return table.concat(list, "|")
end
local out = {}
local function add(...) out[#out + 1] = words(...) end
add(pcall(string.find, subject, pattern))
add(pcall(string.find, subject, pattern, 3))
add(pcall(string.find, subject, pattern, -2, true))
add(pcall(string.match, subject, pattern))
add(pcall(string.match, subject, pattern, -3))
add(pcall(string.gsub, subject, pattern, replacement))
add(pcall(string.gsub, subject, pattern, { a = "<A>", b = false, ab = 12 }, 2))
add(pcall(string.gsub, subject, pattern, function(first, second) return second and first .. "+" .. second end))
add(pcall(function()
  local all = {}
  for first, second in string.gmatch(subject, pattern) do
    all[#all + 1] = tostring(first) .. ":" .. tostring(second)
    if #all > 50 then break end
  end
  return table.concat(all, ";")
end))
return table.concat(out, "\n"))";

class RealLua {
 public:
  RealLua() : L(luaL_newstate()) { luaL_openlibs(L); }
  ~RealLua() { lua_close(L); }
  RealLua(const RealLua&) = delete;
  RealLua& operator=(const RealLua&) = delete;
  lua_State* L;
};

void push_arguments(lua_State* L, const std::string& subject, const std::string& pattern,
                    const std::string& replacement) {
  for (const std::string* text : {&subject, &pattern, &replacement}) lua_pushlstring(L, text->data(), text->size());
}

std::string result(lua_State* L) {
  std::string text = lua_tostring(L, -1);
  lua_pop(L, 1);
  return text;
}

class Twins {
 public:
  Twins() {
    luaL_loadstring(real_.L, kDescribe);
    sandbox_.run("return function(...) " + std::string(kDescribe) + " end", "describe.lua");
  }
  void compare(const std::string& subject, const std::string& pattern, const std::string& replacement = "[%0]") {
    lua_pushvalue(real_.L, 1);
    push_arguments(real_.L, subject, pattern, replacement);
    lua_call(real_.L, 3, 1);
    lua_pushvalue(sandbox_.lua(), 1);
    push_arguments(sandbox_.lua(), subject, pattern, replacement);
    sandbox_.call(3, 1);
    CAPTURE(subject, pattern, replacement);
    CHECK(result(sandbox_.lua()) == result(real_.L));
  }

 private:
  RealLua real_;
  Sandbox sandbox_;
};

}  // namespace

TEST_CASE("every feature of a pattern gives what Lua gives") {
  Twins twins;
  const std::string zeros("a\0b\0", 4);
  for (const char* pattern : {"",          "a",        "b+",
                              "a*",        "a-b",      "a?b",
                              "^ab",       "b$",       "^$",
                              "$",         "a$b",      "^",
                              "%a+",       "%A",       "%d%d",
                              "[abc]+",    "[^abc]+",  "[a-c]",
                              "[%a-]",     "[]]",      "[^]]",
                              "[a-]",      "[%]a]",    "(a)(b)",
                              "()b()",     "(a*(.)b)", "%b()",
                              "%b",        "%b(",      "%f[%w]%w+",
                              "%f",        "%f[^a]b",  "(.)%1",
                              "%1",        "(a",       "a)",
                              "(a(b)",     "[a",       "[",
                              "%",         "[%",       "[^",
                              "[a-%z]",    ".-",       ".*",
                              "(.-)b",     "%.",       "%%",
                              "%z",        "[%z]",     "%g%p%s%c%x%u%l",
                              "((((a))))", "(()())",   "^(%a+)%s*=%s*(.-)$",
                              "a^b",       "%-",       "[[]",
                              "x*"}) {
    for (const std::string& subject : {std::string(""), std::string("ab"), std::string("aabb (nested (b)) b"),
                                       std::string("key = value a"), zeros, std::string("]a-^b[%")}) {
      twins.compare(subject, pattern);
    }
  }
}

TEST_CASE("replacement texts give what Lua's give") {
  Twins twins;
  for (const char* replacement : {"", "%1", "%2%1", "%0%0", "%%", "%", "%x", "%9", "x%1y"}) {
    for (const char* pattern : {"(a)(b)", "a", "()b", "b*"}) twins.compare("abcab", pattern, replacement);
  }
}

TEST_CASE("random patterns on random subjects give what Lua gives") {
  Twins twins;
  std::mt19937 random(12345);
  const auto draw = [&](const std::string& letters, std::size_t most) {
    std::string text;
    for (std::size_t i = random() % (most + 1); i > 0; --i) text += letters[random() % letters.size()];
    return text;
  };
  for (int i = 0; i < 4000; ++i) twins.compare(draw("aab(-b)1 ", 12), draw("ab.%*+-?[]^$()1fbd", 9), draw("a%01", 3));
}

TEST_CASE("a matcher stops when it is told to, in the middle of backtracking") {
  const std::string subject(1000, 'a'), pattern = ".-.-.-.-.-b";
  std::int64_t steps = 0;
  PatternMatcher matcher(
      subject.data(), subject.size(), pattern.data(), pattern.size(),
      [](void* data, std::int64_t more) { return (*static_cast<std::int64_t*>(data) += more) < 50000; }, &steps);
  CHECK(matcher.match_at(subject.data()) == nullptr);
  CHECK(matcher.out_of_steps());
  CHECK(steps < 60000);
}
