#pragma once

struct lua_State;

namespace harness::script {

/// Defines what manifests may call: the constructors (kernel, variant, input, launch, i32...), the launch arithmetic
/// (cdiv, round_up, select, min, max, eq ... none_of), which works on numbers and on symbols alike, and the type of
/// those symbols. An unknown global name is an error with the nearest known one. Raises Lua errors: call it protected.
int install_manifest_api(lua_State* lua);

/// Pushes a read-only view of the table on top of the stack and removes that table. Reading a field it does not have
/// is an error that names it ("the workload has no 'Tt'; did you mean 'T'?"). A field that it has now and that is nil
/// later is not told yet: reading it gives the running function up. Raises Lua errors: call it protected.
void push_facts(lua_State* lua, const char* title);

/// Of the table that a view shows: forgets, or pushes (nil: none) and returns, the name of the unset fact that was read
/// last. Valid while it is on the stack.
void forget_wanted_fact(lua_State* lua, int table);
const char* push_wanted_fact(lua_State* lua, int table);

}  // namespace harness::script
