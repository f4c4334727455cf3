#include "harness/script/contract/manifest_node.h"

#include <cmath>
#include <lua.hpp>
#include <new>

namespace harness::script {
namespace {

constexpr int kDeepestNode = 24;
constexpr int kMostNodes = 2'000'000;  // tables of offsets may be long

const char kKindKey = 0, kLineKey = 0;  // their addresses are the keys

int keep_value(lua_State* lua) {
  lua_pushinteger(lua, luaL_ref(lua, LUA_REGISTRYINDEX));
  return 1;
}

class NodeReader {
 public:
  NodeReader(lua_State* lua, bool keep_functions) : lua_(lua), keep_functions_(keep_functions) {}

  Node read(int index, int depth, int line) {
    if (++count_ > kMostNodes) throw UnreadableNode{line, "a table with too many values"};
    Node node;
    node.line = line;
    switch (lua_type(lua_, index)) {
      case LUA_TNIL:
        break;
      case LUA_TBOOLEAN:
        node.leaf = lua_toboolean(lua_, index) != 0;
        break;
      case LUA_TNUMBER:
        node.leaf = read_number(index);
        break;
      case LUA_TSTRING:
        node.leaf = read_string(index);
        break;
      case LUA_TFUNCTION:
        node.leaf = read_function(index, line);
        break;
      case LUA_TTABLE:
        read_table(node, index, depth);
        break;
      default:
        node.leaf = read_expression(index, line);
        break;
    }
    return node;
  }

 private:
  using Leaf = decltype(Node::leaf);

  Leaf read_number(int index) {
    if (lua_isinteger(lua_, index)) return std::int64_t{lua_tointeger(lua_, index)};
    return double{lua_tonumber(lua_, index)};
  }

  std::string read_string(int index) {
    std::size_t length = 0;
    const char* text = lua_tolstring(lua_, index, &length);
    return {text, length};
  }

  ExpressionPtr read_expression(int index, int line) {
    const ExpressionPtr* found = expression_at(lua_, index);
    if (found == nullptr) throw UnreadableNode{line, std::string("a ") + lua_typename(lua_, lua_type(lua_, index))};
    return *found;
  }

  FunctionRef read_function(int index, int line) {
    if (!keep_functions_) throw UnreadableNode{line, "a function where a value belongs"};
    FunctionRef kept;
    lua_Debug about;
    lua_pushvalue(lua_, index);
    lua_getinfo(lua_, ">S", &about);
    kept.line = about.linedefined;
    const int value = lua_absindex(lua_, index);
    lua_pushcfunction(lua_, keep_value);
    lua_pushvalue(lua_, value);
    const bool failed = lua_pcall(lua_, 1, 1, 0) != LUA_OK;
    kept.ref = failed ? LUA_NOREF : static_cast<int>(lua_tointeger(lua_, -1));
    lua_pop(lua_, 1);
    if (failed) throw UnreadableNode{line, "more functions than fit in memory"};
    return kept;
  }

  void read_table(Node& node, int index, int depth) {
    if (depth >= kDeepestNode || lua_checkstack(lua_, 8) == 0) {
      throw UnreadableNode{node.line, "tables nested too deeply (or a table inside itself)"};
    }
    const int table = lua_absindex(lua_, index);
    node.table = true;
    read_tag(node, table);
    const auto length = static_cast<std::size_t>(lua_rawlen(lua_, table));
    std::size_t listed = 0;
    for (std::size_t i = 1; i <= length; ++i) {
      lua_rawgeti(lua_, table, static_cast<lua_Integer>(i));
      if (lua_isnil(lua_, -1))
        throw UnreadableNode{node.line, "a list with a hole (a nil value, often an unknown name)"};
      node.list.push_back(read(-1, depth + 1, node.line));
      lua_pop(lua_, 1);
      ++listed;
    }
    lua_pushnil(lua_);
    while (lua_next(lua_, table) != 0) {
      read_pair(node, depth, listed);
      lua_pop(lua_, 1);
    }
  }

  void read_tag(Node& node, int table) {
    if (lua_rawgetp(lua_, table, &kKindKey) == LUA_TSTRING) node.kind = lua_tostring(lua_, -1);
    lua_pop(lua_, 1);
    if (lua_rawgetp(lua_, table, &kLineKey) == LUA_TNUMBER) node.line = static_cast<int>(lua_tointeger(lua_, -1));
    lua_pop(lua_, 1);
  }

  /// Key at -2, value at -1.
  void read_pair(Node& node, int depth, std::size_t listed) {
    if (lua_type(lua_, -2) == LUA_TSTRING) {
      const std::string name = read_string(-2);
      node.fields.emplace(name, read(-1, depth + 1, node.line));
    } else if (lua_isinteger(lua_, -2) != 0) {
      const lua_Integer at = lua_tointeger(lua_, -2);
      if (at < 1 || static_cast<std::size_t>(at) > listed) {
        throw UnreadableNode{node.line, "a list with a hole (a nil value, often an unknown name)"};
      }
    } else if (lua_type(lua_, -2) != LUA_TLIGHTUSERDATA) {
      throw UnreadableNode{node.line, "a table with a key that is neither a name nor a position"};
    }
  }

  lua_State* lua_;
  bool keep_functions_;
  int count_ = 0;
};

}  // namespace

const Node* Node::find(const std::string& name) const {
  const auto found = fields.find(name);
  return found == fields.end() ? nullptr : &found->second;
}

const ExpressionPtr* Node::expression() const {
  return std::get_if<ExpressionPtr>(&leaf);
}

std::optional<Value> Node::value() const {
  if (table) return std::nullopt;
  if (const auto* flag = std::get_if<bool>(&leaf)) return Value(*flag);
  if (const auto* whole = std::get_if<std::int64_t>(&leaf)) return Value(*whole);
  if (const auto* real = std::get_if<double>(&leaf)) return Value(*real);
  if (const auto* words = text()) return Value(*words);
  return std::nullopt;
}

std::optional<std::int64_t> Node::integer() const {
  if (const auto* whole = std::get_if<std::int64_t>(&leaf)) return *whole;
  const auto* real = std::get_if<double>(&leaf);
  if (real != nullptr && std::trunc(*real) == *real && std::fabs(*real) < 9.0e18)
    return static_cast<std::int64_t>(*real);
  return std::nullopt;
}

std::optional<double> Node::number() const {
  if (const auto* whole = std::get_if<std::int64_t>(&leaf)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&leaf)) return *real;
  return std::nullopt;
}

std::string Node::described() const {
  if (table) return kind.empty() ? "a table" : kind + " {...}";
  if (is_nil()) return "nil";
  if (text() != nullptr) return "the string '" + *text() + "'";
  if (function() != nullptr) return "a function";
  if (expression() != nullptr) return "an expression of sizes";
  return harness::to_text(*value());
}

Node read_node(lua_State* lua, int index, bool keep_functions) {
  return NodeReader(lua, keep_functions).read(index, 0, 0);
}

void tag_table(lua_State* lua, int index, const char* kind, int line) {
  const int table = lua_absindex(lua, index);
  lua_pushstring(lua, kind);
  lua_rawsetp(lua, table, &kKindKey);
  lua_pushinteger(lua, line);
  lua_rawsetp(lua, table, &kLineKey);
}

void push_expression(lua_State* lua, const ExpressionPtr& expression) {
  void* memory = lua_newuserdatauv(lua, sizeof(ExpressionPtr), 0);
  auto* made = new (memory) ExpressionPtr;
  luaL_setmetatable(lua, kExpressionType);
  *made = expression;
}

const ExpressionPtr* expression_at(lua_State* lua, int index) {
  return static_cast<const ExpressionPtr*>(luaL_testudata(lua, index, kExpressionType));
}

}  // namespace harness::script
