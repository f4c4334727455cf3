#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "harness/core/value.h"
#include "harness/script/contract/expression.h"

struct lua_State;

namespace harness::script {

/// A Lua function kept in its state's registry; `line` is where it begins.
struct FunctionRef {
  int ref = 0;
  int line = 0;
};

/// What a manifest says, as a plain value: the tree of a Lua table. Constructors (`input {...}`) leave their name in
/// `kind` and the line where they stand in `line` (0: unknown, its parent's line serves).
struct Node {
  std::variant<std::monostate, bool, std::int64_t, double, std::string, FunctionRef, ExpressionPtr> leaf;
  bool table = false;
  std::string kind;
  int line = 0;
  std::vector<Node> list;              // the table's values at 1, 2, 3...
  std::map<std::string, Node> fields;  // and at string keys

  bool is_nil() const { return !table && std::holds_alternative<std::monostate>(leaf); }
  const Node* find(const std::string& name) const;
  const std::string* text() const { return std::get_if<std::string>(&leaf); }
  const FunctionRef* function() const { return std::get_if<FunctionRef>(&leaf); }
  const ExpressionPtr* expression() const;
  /// A boolean, number or string; nullopt for everything else.
  std::optional<Value> value() const;
  /// A whole number, also written as a float (4.0).
  std::optional<std::int64_t> integer() const;
  std::optional<double> number() const;
  /// For messages: "a string", "a table", "input {...}".
  std::string described() const;
};

/// Why a table could not be read: "a list with a hole", with the line of the nearest constructor.
struct UnreadableNode {
  int line = 0;
  std::string clause;
};

/// Reads the value at `index` of the stack. Functions are kept in the registry if `keep_functions`, else refused.
/// Bounded in depth and size, so that a script cannot exhaust the caller. Throws UnreadableNode.
Node read_node(lua_State* lua, int index, bool keep_functions);

/// Tags the table at `index` as made by constructor `kind` at `line`; read_node sees it, scripts cannot.
/// Raises Lua errors: call it from C functions only.
void tag_table(lua_State* lua, int index, const char* kind, int line);

/// Pushes `expression` as a Lua value with arithmetic. Raises Lua errors: call it from C functions only.
void push_expression(lua_State* lua, const ExpressionPtr& expression);
/// The expression at `index`, or nullptr.
const ExpressionPtr* expression_at(lua_State* lua, int index);
/// The metatable of expressions: its fields are set by the API once a state.
inline constexpr const char* kExpressionType = "symbol";

}  // namespace harness::script
