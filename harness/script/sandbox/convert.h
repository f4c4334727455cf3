#pragma once
#include <initializer_list>
#include <lua.hpp>
#include <string>

#include "harness/core/json.h"
#include "harness/core/value.h"

// JSON and Values to Lua and back. Integers stay integers and floats floats; null is nil; {"float": "inf"} (what
// value_to_json writes) is that number.
namespace harness::script {

/// Pushes a value. May raise (memory): call it in protected mode; owns nothing while it calls Lua.
/// `strict`: a read-only stand-in for one of its objects refuses names that the object has not even as null. Objects
/// whose values are all of one scalar type are maps, and any name may be asked of them.
void push_json(lua_State* L, const json& j, bool strict = false);
void push_value(lua_State* L, const Value& value);

/// From now on a stand-in for the table on top of the stack refuses names that it has not, but for those in `absent`,
/// which are nil. What lies within stays as it is. May raise.
void refuse_unknown_fields(lua_State* L, std::initializer_list<const char*> absent);

/// The value at `index`; read-only tables read as what they stand for. Raises no Lua error, so it may be called
/// anywhere. A table with the keys 1..n is an array, an empty one an empty array, one with string keys an object.
/// Throws Error(bad_input) that begins with `name` for a function, mixed keys, or tables nested deeper than `depth`.
json to_json(lua_State* L, int index, const std::string& name, int depth = 16);

/// Reads a boolean, number or string; false (and `value` as it was) for anything else. Raises nothing.
bool to_value(lua_State* L, int index, Value& value);

/// Pushes a read-only stand-in for the table at `index`: reading, #, pairs and ipairs work, tables within are read-only
/// too, and writing raises "NAME.field is read-only". Always the same stand-in for the same table. May raise.
void push_read_only(lua_State* L, int index, const char* name);

/// Pushes the table that a stand-in at `index` stands for, or the value itself. Raises nothing.
void push_target(lua_State* L, int index);

}  // namespace harness::script
