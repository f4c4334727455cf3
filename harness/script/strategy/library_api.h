#pragma once

namespace harness::script {

/// The Lua that declares strategies, rules and searches and drives them (library_api.cpp). It is called with
/// suggest(name, names), place(function), where(), freeze(table, name) and wrap(function), sets the globals strategy,
/// rule and search, and returns { declared, decide, run }.
extern const char* const kApiText;

}  // namespace harness::script
