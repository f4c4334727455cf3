#pragma once

struct lua_State;

namespace harness::script {

/// The Lua type of expressions: arithmetic on them builds larger expressions; comparing them with < or ==, joining them
/// to text or indexing them is an error that says what to write instead. Both raise Lua errors: call them protected.
void install_symbol_type(lua_State* lua);
/// The global functions cdiv, round_up, select, min, max, eq, ne, lt, le, divisible, all_of, any_of and none_of.
void install_arithmetic(lua_State* lua);

}  // namespace harness::script
