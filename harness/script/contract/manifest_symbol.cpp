#include "harness/script/contract/manifest_symbol.h"

#include <cstdio>
#include <lua.hpp>
#include <stdexcept>
#include <vector>

#include "harness/script/contract/manifest_node.h"

namespace harness::script {
namespace {

constexpr int kMostOperands = 32;
using Sentence = char[256];

struct NamedOperation {
  const char* name;
  Operation operation;
};
constexpr NamedOperation kHelpers[] = {{"cdiv", Operation::cdiv},      {"round_up", Operation::round_up},
                                       {"select", Operation::select},  {"min", Operation::min},
                                       {"max", Operation::max},        {"eq", Operation::eq},
                                       {"ne", Operation::ne},          {"lt", Operation::lt},
                                       {"le", Operation::le},          {"divisible", Operation::divisible},
                                       {"all_of", Operation::all_of},  {"any_of", Operation::any_of},
                                       {"none_of", Operation::none_of}};
constexpr NamedOperation kOperators[] = {{"__add", Operation::add},      {"__sub", Operation::subtract},
                                         {"__mul", Operation::multiply}, {"__div", Operation::divide},
                                         {"__mod", Operation::modulo},   {"__idiv", Operation::floor_divide},
                                         {"__unm", Operation::negate}};
/// What cannot be seen through, and what to write instead.
struct Refusal {
  const char* event;
  const char* advice;
};
constexpr Refusal kRefusals[] = {
    {"__lt", "a size is compared with < or >; write lt(a, b), and select(condition, a, b) for a choice"},
    {"__le", "a size is compared with <= or >=; write le(a, b), and select(condition, a, b) for a choice"},
    {"__eq", "sizes are compared with ==; write eq(a, b), and select(condition, a, b) for a choice"},
    {"__concat", "a size is joined to text; write '$NAME' in the entry instead"},
    {"__index", "a size is indexed like a table; sizes are numbers"},
    {"__call", "a size is called like a function; sizes are numbers"},
    {"__len", "the length of a size is taken; sizes are numbers"},
    {"__pow", "a size is raised to a power; use multiplication"},
    {"__band", "a bit operation is applied to a size; use //, % and *"},
    {"__shl", "a bit operation is applied to a size; use //, % and *"},
    {"__shr", "a bit operation is applied to a size; use //, % and *"}};

bool read_scalar(lua_State* lua, int index, Scalar& scalar) {
  switch (lua_type(lua, index)) {
    case LUA_TBOOLEAN:
      scalar = lua_toboolean(lua, index) != 0;
      return true;
    case LUA_TNUMBER:
      if (lua_isinteger(lua, index) != 0) scalar = std::int64_t{lua_tointeger(lua, index)};
      else scalar = double{lua_tonumber(lua, index)};
      return true;
    default:
      return false;
  }
}

void push_scalar(lua_State* lua, const Scalar& scalar) {
  if (const auto* flag = std::get_if<bool>(&scalar)) lua_pushboolean(lua, *flag ? 1 : 0);
  else if (const auto* whole = std::get_if<std::int64_t>(&scalar)) lua_pushinteger(lua, *whole);
  else lua_pushnumber(lua, std::get<double>(scalar));
}

/// Makes the expression over the operands 1..count into `slot`; false with a clause in `sentence` if that fails.
bool build_expression(lua_State* lua, Operation operation, int count, ExpressionPtr& slot, Sentence& sentence) {
  try {
    std::vector<ExpressionPtr> operands;
    for (int i = 1; i <= count; ++i) {
      Scalar scalar;
      if (const ExpressionPtr* expression = expression_at(lua, i)) operands.push_back(*expression);
      else if (read_scalar(lua, i, scalar)) operands.push_back(make_constant(scalar));
    }
    slot = make_expression(operation, std::move(operands));
    return true;
  } catch (const std::domain_error& fault) {
    std::snprintf(sentence, sizeof sentence, "%s", fault.what());
    return false;
  }
}

bool compute_plain(Operation operation, const Scalar* operands, int count, Scalar& result, Sentence& sentence) {
  try {
    result = compute(operation, std::span<const Scalar>(operands, static_cast<std::size_t>(count)));
    return true;
  } catch (const std::domain_error& fault) {
    std::snprintf(sentence, sizeof sentence, "%s", fault.what());
    return false;
  }
}

/// The operands 1..count through `operation`: a number if all are, else an expression. `name` is for messages.
int operate(lua_State* lua, Operation operation, const char* name, int count) {
  Scalar operands[kMostOperands];
  Sentence sentence;
  bool symbolic = false;
  if (count > kMostOperands) return luaL_error(lua, "%s takes at most %d values", name, kMostOperands);
  for (int i = 1; i <= count; ++i) {
    if (expression_at(lua, i) != nullptr) symbolic = true;
    else if (!read_scalar(lua, i, operands[i - 1])) {
      return luaL_error(lua, "%s takes numbers and conditions, but value %d is a %s", name, i, luaL_typename(lua, i));
    }
  }
  if (!symbolic) {
    Scalar result;
    if (!compute_plain(operation, operands, count, result, sentence)) return luaL_error(lua, "%s %s", name, sentence);
    push_scalar(lua, result);
    return 1;
  }
  push_expression(lua, nullptr);
  auto* slot = static_cast<ExpressionPtr*>(lua_touserdata(lua, -1));
  if (!build_expression(lua, operation, count, *slot, sentence)) return luaL_error(lua, "%s %s", name, sentence);
  return 1;
}

int call_helper(lua_State* lua) {
  const auto& helper = *static_cast<const NamedOperation*>(lua_touserdata(lua, lua_upvalueindex(1)));
  return operate(lua, helper.operation, helper.name, lua_gettop(lua));
}

/// Lua passes a unary operator its operand twice.
int call_operator(lua_State* lua) {
  const auto& named = *static_cast<const NamedOperation*>(lua_touserdata(lua, lua_upvalueindex(1)));
  return operate(lua, named.operation, "arithmetic on sizes", named.operation == Operation::negate ? 1 : 2);
}

int refuse_operator(lua_State* lua) {
  return luaL_error(lua, "%s", static_cast<const Refusal*>(lua_touserdata(lua, lua_upvalueindex(1)))->advice);
}

int release_expression(lua_State* lua) {
  auto* held = static_cast<ExpressionPtr*>(luaL_testudata(lua, 1, kExpressionType));
  if (held != nullptr) held->reset();
  return 0;
}

template <typename Row>
void push_closure(lua_State* lua, const Row& row, lua_CFunction function) {
  lua_pushlightuserdata(lua, const_cast<Row*>(&row));
  lua_pushcclosure(lua, function, 1);
}

}  // namespace

void install_symbol_type(lua_State* lua) {
  luaL_newmetatable(lua, kExpressionType);
  for (const NamedOperation& named : kOperators) {
    push_closure(lua, named, call_operator);
    lua_setfield(lua, -2, named.name);
  }
  for (const Refusal& refusal : kRefusals) {
    push_closure(lua, refusal, refuse_operator);
    lua_setfield(lua, -2, refusal.event);
  }
  lua_pushcfunction(lua, release_expression);
  lua_setfield(lua, -2, "__gc");
  lua_pushboolean(lua, 0);
  lua_setfield(lua, -2, "__metatable");
  lua_pop(lua, 1);
}

void install_arithmetic(lua_State* lua) {
  for (const NamedOperation& helper : kHelpers) {
    push_closure(lua, helper, call_helper);
    lua_setglobal(lua, helper.name);
  }
}

}  // namespace harness::script
