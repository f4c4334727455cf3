#include "harness/script/sandbox/sandbox.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "harness/core/error.h"
#include "harness/script/sandbox/convert.h"

using harness::Error;
using harness::json;
using harness::script::Limits;
using harness::script::Sandbox;

namespace {

json value_of(Sandbox& sandbox, const std::string& text) {
  const int results = sandbox.run(text, "test.lua");
  REQUIRE(results == 1);
  json value = harness::script::to_json(sandbox.lua(), -1, "the result");
  lua_pop(sandbox.lua(), 1);
  return value;
}

json value_of(const std::string& text) {
  Sandbox sandbox;
  return value_of(sandbox, text);
}

std::string failure(const std::string& text, Limits limits = {}) {
  Sandbox sandbox(limits);
  const int top = lua_gettop(sandbox.lua());
  try {
    sandbox.run(text, "strategies/bad.lua");
  } catch (const Error& error) {
    CHECK(error.kind() == Error::Kind::bad_input);
    CHECK(lua_gettop(sandbox.lua()) == top);
    return error.what();
  }
  return "";
}

Limits brief() {
  return {.memory_bytes = 64 << 20, .seconds = 0.15, .instructions = 1'000'000'000'000};
}

}  // namespace

TEST_CASE("nothing that reaches outside is in the sandbox") {
  for (const char* name : {"io", "os", "debug", "load", "loadstring", "loadfile", "dofile", "require", "package",
                           "collectgarbage", "coroutine", "warn", "string.dump", "string.pack", "math.randomseed"}) {
    CAPTURE(name);
    CHECK(value_of(std::string("return ") + name + " == nil") == true);
  }
}

TEST_CASE("the safe libraries are there") {
  CHECK(value_of("return math.floor(2.5) + #table.pack(1, 2) + utf8.len('äb') + select('#', 1, 2)") == 8);
  CHECK(value_of("return ('a,b'):upper()") == "A,B");
  CHECK(value_of("local ok, e = pcall(error, 'x', 0) return tostring(ok) .. e") == "falsex");
  CHECK(value_of("local ok, e = xpcall(error, function(m) return m .. '!' end, 'x', 0) return tostring(ok) .. e") ==
        "falsex!");
  CHECK(value_of("return _G.math == math") == true);
}

TEST_CASE("errors name file and line, whoever raised them") {
  CHECK(failure("local x = nil\nreturn x.y") == "strategies/bad.lua:2: attempt to index a nil value (local 'x')");
  CHECK(failure("\n\nreturn ?") == "strategies/bad.lua:3: unexpected symbol near '?'");
  CHECK(failure("\nerror('no place', 0)") == "strategies/bad.lua:2: no place");
  CHECK(failure("\nerror({})") == "strategies/bad.lua:2: the error is a table, not a sentence");
  CHECK(failure("\ntable.insert(nil, 1)").find("strategies/bad.lua:2: bad argument #1 to 'insert'") == 0);
  CHECK(failure("\ntable.sort({1, {}})").find("strategies/bad.lua:2: attempt to compare") == 0);
  CHECK(failure("\nstring.rep()").find("strategies/bad.lua:2: bad argument #1 to 'rep'") == 0);
  CHECK(failure("\nstring.format('%d', 'x')").find("strategies/bad.lua:2: bad argument #2 to 'string.format'") == 0);
  CHECK(failure("\x1bLua").find("strategies/bad.lua") == 0);
  CHECK(failure(std::string(300 << 10, ' ')).find("strategies/bad.lua: is longer than 256 KB") == 0);
}

TEST_CASE("what was compiled before is as the text says, in every state anew") {
  for (int i = 0; i < 2; ++i) {
    CHECK(value_of("count = (count or 0) + 1\nreturn count") == 1);
    CHECK(failure("local x = 1\nerror('no')") == "strategies/bad.lua:2: no");
    CHECK(failure("local x =\n") == "strategies/bad.lua:2: unexpected symbol near <eof>");
  }
}

TEST_CASE("no endless loop outlives the time limit, also when pcall would swallow its error") {
  for (const char* attack :
       {"while true do end", "while true do pcall(function() while true do end end) end",
        "while true do pcall(error) end", "xpcall(function() while true do end end, function() while true do end end)",
        "repeat local ok = xpcall(pcall, pcall, function() while true do end end) until false",
        "local x <close> = setmetatable({}, {__close = function() while true do end end}) while true do end",
        "pcall(function() local x <close> = setmetatable({}, {__close = function() while true do end end}) error() "
        "end)",
        "local t = setmetatable({}, {__index = function(t, k) return t[k + 1] end}) while true do pcall(function() "
        "return t[1] end) end",
        "return ('a'):gsub('a', function() while true do end end)",
        "table.sort({3, 2, 1}, function() while true do end end)",
        "for _ in pairs(setmetatable({}, {__pairs = function() return function() return 1 end end})) do end"}) {
    CAPTURE(attack);
    CHECK(failure(attack, brief()) == "strategies/bad.lua:1: exceeded its time limit of 0.15 s");
  }
}

TEST_CASE("what a busy machine keeps a script waiting is not its own time") {
  Sandbox sandbox(brief());
  lua_register(sandbox.lua(), "wait", [](lua_State*) {
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    return 0;
  });
  CHECK(value_of(sandbox, "wait() local n = 0 for i = 1, 100000 do n = n + 1 end return n") == 100000);
}

TEST_CASE("no function of the library runs past the time limit") {
  for (const char* attack :
       {"string.rep('', 1 << 60)", "table.move({}, 1, 1 << 60, 2)",
        "table.insert(setmetatable({}, {__len = function() return 1 << 60 end}), 1, 1)",
        "table.remove(setmetatable({}, {__len = function() return 1 << 60 end}), 1)",
        "table.concat(setmetatable({}, {__len = function() return 1 << 60 end, __index = function() return '' end}))",
        "table.sort(setmetatable({}, {__len = function() return 1 << 40 end, __index = function() return 1 end}))",
        "local s = ('a'):rep(100000) return s:find('.-.-.-.-.-b')",
        "local s = ('a'):rep(30) return s:match(('a?'):rep(30) .. 'b' .. ('a'):rep(30))",
        "local s = ('a'):rep(100000) return s:gsub('a*a*a*a*b', '')",
        "local s = ('a'):rep(100000) for _ in s:gmatch('(.-)(.-)(.-)%1%2%3x') do end",
        "local s = ('('):rep(1000000) return s:find('%b()')",
        "local set = '[' .. ('b'):rep(1000000) .. ']' local s = ('a'):rep(1000000) return s:find(set)",
        "while true do local s = ('x'):rep(1 << 20) end",
        "local s = ('a'):rep(1 << 21) while true do s:find(s .. 'b', 1, true) end",
        "local s = ('1'):rep(1 << 21) while true do local n = tonumber(s) end"}) {
    CAPTURE(attack);
    const auto start = std::chrono::steady_clock::now();
    const std::string said = failure(attack, brief());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    const bool harmless = said.empty();
    CHECK((harmless || said == "strategies/bad.lua:1: exceeded its time limit of 0.15 s" ||
           said == "strategies/bad.lua:1: exceeded its memory limit of 64 MB (4 MB for one string)"));
    CHECK(took.count() < 20);  // without the limit each takes minutes to centuries
  }
}

TEST_CASE("the memory limit holds and cannot be swallowed") {
  for (const char* attack :
       {"local t = {} while true do t[#t + 1] = {} end", "local s = 'x' while true do s = s .. s end",
        "while true do pcall(string.rep, 'x', 1 << 25) end",
        "local t = {} for i = 1, 1 << 40 do t[i] = ('x'):rep(1000) .. i end",
        "local s = ('x'):rep(1 << 20) return (s:gsub('x', s))",
        "pcall(function() local t = {} while true do t[#t + 1] = {} end end) return 1"}) {
    CAPTURE(attack);
    const std::string said = failure(attack, {.memory_bytes = 32 << 20, .seconds = 30});
    CHECK(said == "strategies/bad.lua:1: exceeded its memory limit of 32 MB (2 MB for one string)");
  }
}

TEST_CASE("a sandbox lives on after a limit") {
  Sandbox sandbox({.memory_bytes = 32 << 20, .seconds = 0.05});
  CHECK_THROWS_AS(sandbox.run("while true do end", "a.lua"), Error);
  CHECK_THROWS_AS(sandbox.run("local t = {} while true do t[#t + 1] = ('x'):rep(1000) .. #t end", "a.lua"), Error);
  CHECK(value_of(sandbox, "local n = 0 for i = 1, 1000 do n = n + i end return n") == 500500);
}

TEST_CASE("instructions are limited too, the same on a slow machine") {
  CHECK(failure("\nfor i = 1, 1e9 do end", {.instructions = 10000}) ==
        "strategies/bad.lua:2: exceeded its limit of 10000 instructions");
  CHECK(failure("for i = 1, 1000 do end", {.instructions = 10000}).empty());
}

TEST_CASE("finalizers and weak tables, which escape limits and order, are refused") {
  CHECK(failure("setmetatable({}, {__gc = function() while true do end end})") ==
        "strategies/bad.lua:1: a metatable in the sandbox may not have __gc");
  CHECK(failure("setmetatable({}, {__mode = 'k'})") ==
        "strategies/bad.lua:1: a metatable in the sandbox may not have __mode");
  CHECK(value_of("local m = {} local t = setmetatable({}, m) m.__gc = function() end return 1") == 1);
}

TEST_CASE("the strings' metatable is out of reach") {
  CHECK(value_of("return getmetatable('')") == "protected");
  CHECK(failure("setmetatable('', {})").find("strategies/bad.lua:1: bad argument #1 to 'setmetatable'") == 0);
  CHECK(value_of("return ('').dump == nil") == true);
}

TEST_CASE("pairs goes through numbers, then strings, then booleans, each ascending") {
  CHECK(value_of("local t, out = {z = 1, a = 1, [3] = 1, [1] = 1, [-2.5] = 1, [true] = 1, [false] = 1}, {}\n"
                 "for k in pairs(t) do out[#out + 1] = tostring(k) end return table.concat(out, ' ')") ==
        "-2.5 1 3 a z false true");
  CHECK(value_of(
            "local t = {a = 1, b = 2, c = 3} local n = 0 for k in pairs(t) do t[k] = nil n = n + 1 end return n") == 3);
  CHECK(value_of("local t = {b = 1, a = 2} return next(t) .. next(t, 'a') .. tostring(next(t, 'b'))") == "abnil");
  CHECK(value_of("return next({}) == nil") == true);
  CHECK(failure("\nfor _ in pairs({[{}] = 1}) do end")
            .find("strategies/bad.lua:2: pairs cannot put keys in order that are a table") == 0);
}

TEST_CASE("lists of one kind are sorted as Lua compares") {
  const auto sorted = [](const std::string& list) {
    return value_of("local t = {" + list + "} table.sort(t) return table.concat(t, ' ')");
  };
  CHECK(sorted("'b', 'ab', '', 'B', 'a', 'ab'") == " B a ab ab b");
  CHECK(sorted("3, -1, math.maxinteger, math.maxinteger - 1, 2") == "-1 2 3 9223372036854775806 9223372036854775807");
  CHECK(sorted("2.5, -0.5, math.huge, 1.5, -math.huge") == "-inf -0.5 1.5 2.5 inf");
  CHECK(sorted("3, 1.5, 2, 2.0, 1") == "1 1.5 2 2.0 3");
  CHECK(value_of("local t = {'b', 'a\\000c', 'a', 'a\\000b'} table.sort(t) return t[1] == 'a' and t[2] == 'a\\000b'") ==
        true);
  CHECK(value_of("local t = {1.5, 0 / 0, 0.5} table.sort(t) return #t") == 3);
  CHECK(value_of("return #(function(t) table.sort(t) return t end)({})") == 0);
  CHECK(failure("local t, s = {}, ('a'):rep(1 << 20) for i = 1, 20000 do t[i] = s end table.sort(t)")
            .find("strategies/bad.lua:1: exceeded its limit of") == 0);
}

TEST_CASE("sorting is stable and takes any order function") {
  CHECK(value_of("local t = {} for i = 1, 20 do t[i] = {k = i % 3, i = i} end\n"
                 "table.sort(t, function(a, b) return a.k < b.k end)\n"
                 "local s = '' for _, e in ipairs(t) do s = s .. e.i .. ' ' end return s") ==
        "3 6 9 12 15 18 1 4 7 10 13 16 19 2 5 8 11 14 17 20 ");
  CHECK(value_of("local t = {3, 1, 2} table.sort(t, function() return true end) return #t") == 3);
}

TEST_CASE("the table functions do what Lua's do") {
  CHECK(value_of("local t = {1, 2, 4} table.insert(t, 3, 3) table.insert(t, 5) return table.concat(t, ',')") ==
        "1,2,3,4,5");
  CHECK(value_of("local t = {1, 2, 3} return table.remove(t, 1) + table.remove(t) * 10 + #t * 100") == 131);
  CHECK(value_of("local t = {} return tostring(table.remove(t)) .. #t") == "nil0");
  CHECK(value_of("return table.concat(table.move({1, 2, 3}, 1, 3, 2), ',')") == "1,1,2,3");
  CHECK(value_of("return table.concat(table.move({1, 2, 3}, 2, 3, 1, {}), ',')") == "2,3");
}

TEST_CASE("random numbers come from the seed alone") {
  const std::string draw = "return {math.random(), math.random(10), math.random(-5, 5), math.random(1 << 60)}";
  Sandbox one, two, other;
  one.seed(7), two.seed(7), other.seed(8);
  const json first = value_of(one, draw);
  CHECK(first == value_of(two, draw));
  CHECK(first != value_of(other, draw));
  CHECK(first[0].get<double>() == 0.7005764821796896);  // from an independent xoshiro256** with splitmix64(7)
  CHECK(
      value_of("for i = 1, 1000 do local r = math.random(3) if r < 1 or r > 3 then return false end end return true") ==
      true);
  CHECK(failure("math.random(0)").find("interval is empty") != std::string::npos);
}

TEST_CASE("addresses are not shown") {
  CHECK(value_of("return tostring({}) .. tostring(print) .. ('%s'):format({})") == "tablefunctiontable");
  CHECK(failure("return ('%p'):format({})").find("shows an address") != std::string::npos);
  CHECK(value_of("return ('%5.1f|%q|%s|%%p'):format(1.25, 'a', setmetatable({}, {__tostring = function() return 'me' "
                 "end}))") == "  1.2|\"a\"|me|%p");
}

TEST_CASE("print goes into a bounded list of messages") {
  Sandbox sandbox;
  sandbox.run("print('a', 1, nil, {}) for i = 1, 1000 do print(('x'):rep(5000)) end", "a.lua");
  REQUIRE(sandbox.messages().size() == 200);
  CHECK(sandbox.messages()[0] == "a\t1\tnil\ttable");
  CHECK(sandbox.messages()[1].size() == 1000);
}

TEST_CASE("calls carry arguments and results, and their errors leave the stack as it was") {
  Sandbox sandbox;
  sandbox.run("return function(a, b) return a + b end, function() error('no') end", "f.lua");
  lua_State* L = sandbox.lua();
  lua_pushvalue(L, 1);
  lua_pushinteger(L, 2);
  lua_pushinteger(L, 3);
  sandbox.call(2, 1);
  CHECK(lua_tointeger(L, -1) == 5);
  lua_settop(L, 2);
  lua_pushvalue(L, 2);
  CHECK_THROWS_WITH(sandbox.call(0, 1), "f.lua:1: no");
  CHECK(lua_gettop(L) == 2);
}

TEST_CASE("a C++ exception and a Lua error both leave protect as exceptions") {
  Sandbox sandbox;
  CHECK_THROWS_AS(sandbox.protect(0, 0, [](lua_State*) -> int { throw std::out_of_range("far"); }), std::out_of_range);
  CHECK_THROWS_WITH(sandbox.protect(0, 0, [](lua_State* L) { return luaL_error(L, "here"); }), "here");
  lua_pushinteger(sandbox.lua(), 20);
  sandbox.protect(1, 1, [](lua_State* L) {
    lua_pushinteger(L, lua_tointeger(L, 1) + 1);
    return 1;
  });
  CHECK(lua_tointeger(sandbox.lua(), -1) == 21);
  CHECK(lua_gettop(sandbox.lua()) == 1);
}

TEST_CASE("read-only tables read like tables and refuse every way of writing") {
  Sandbox sandbox;
  const json data = {{"budget_s", 60}, {"arms", {{{"name", "a"}, {"gains", {1.5, 2.0}}}, {{"name", "b"}}}}};
  sandbox.protect(0, 0, [&data](lua_State* L) {
    harness::script::push_json(L, data);
    harness::script::push_read_only(L, -1, "campaign");
    lua_setglobal(L, "campaign");
    return 0;
  });
  CHECK(value_of(sandbox, "return campaign.arms[1].gains[2] + #campaign.arms + campaign.budget_s") == 64.0);
  CHECK(value_of(sandbox, "local s = '' for k, v in pairs(campaign) do s = s .. k .. type(v) end return s") ==
        "armstablebudget_snumber");
  CHECK(value_of(sandbox, "local s = '' for i, arm in ipairs(campaign.arms) do s = s .. i .. arm.name end return s") ==
        "1a2b");
  CHECK(value_of(sandbox, "return next(campaign) .. tostring(campaign.nothing)") == "armsnil");
  CHECK(value_of(sandbox, "return campaign.arms[1] == campaign.arms[1]") == true);
  CHECK(value_of(sandbox, "return table.concat(campaign.arms[1].gains, ' ')") == "1.5 2.0");
  CHECK(value_of(sandbox, "return campaign") == data);
  const std::map<std::string, std::string> writes = {
      {"campaign.budget_s = 1", "campaign.budget_s"},
      {"campaign.arms[2].name = 'c'", "campaign.arms[2].name"},
      {"campaign.arms[1].gains[1] = 9", "campaign.arms[1].gains[1]"},
      {"table.insert(campaign.arms, 1)", "campaign.arms[3]"},
      {"table.remove(campaign.arms)", "campaign.arms[2]"},
      {"table.sort(campaign.arms, function() return true end)", "campaign.arms[1]"},
      {"rawset(campaign, 'budget_s', 1)", "campaign.budget_s"},
      {"for _, arm in pairs(campaign.arms) do arm.x = 1 end", "campaign.arms[1].x"}};
  for (const auto& [write, field] : writes) {
    CAPTURE(write);
    CHECK_THROWS_WITH(sandbox.run(write, "w.lua"), "w.lua:1: " + field + " is read-only");
  }
  CHECK_THROWS_WITH(sandbox.run("setmetatable(campaign, nil)", "w.lua"),
                    "w.lua:1: cannot change a protected metatable");
  CHECK(value_of(sandbox, "return campaign") == data);
}

TEST_CASE("values keep their kind on the way through Lua") {
  Sandbox sandbox;
  const json data = {{"i", 4},         {"f", 4.0},        {"b", true}, {"s", "x"}, {"inf", {{"float", "-inf"}}},
                     {"list", {1, 2}}, {"big", INT64_MAX}};
  sandbox.protect(0, 0, [&data](lua_State* L) {
    harness::script::push_json(L, data);
    lua_setglobal(L, "data");
    return 0;
  });
  const json back = value_of(sandbox, "return data");
  CHECK(back == data);
  CHECK(back["i"].is_number_integer());
  CHECK(back["f"].is_number_float());
  CHECK(value_of(sandbox, "return math.type(data.i) .. math.type(data.f) .. tostring(data.inf)") == "integerfloat-inf");
}

TEST_CASE("a value that is no plain value is refused by name") {
  const auto refusal = [](const std::string& text) {
    Sandbox sandbox;
    sandbox.run(text, "t.lua");
    try {
      harness::script::to_json(sandbox.lua(), -1, "the result");
    } catch (const Error& error) {
      CHECK(lua_gettop(sandbox.lua()) == 1);
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refusal("return {a = {print}}") == "the result.a[1] is a function; use a boolean, number, string or table");
  CHECK(refusal("return {1, 2, x = 3}") == "the result mixes keys; use either 1, 2, 3 ... or names");
  CHECK(refusal("local t = {} t.t = t return t").find("is nested too deeply") != std::string::npos);
}
