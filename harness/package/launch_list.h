#pragma once
#include <string>
#include <vector>

#include "harness/core/catalog.h"

namespace harness::package {

/// The launches of a plan, in order: {"step","entry","grid":[x,y,z],"block":[x,y,z],"cluster":[x,y,z],"shared_bytes",
/// "cooperative","pdl","resident","arguments":[...]}. An argument is {"name","kind","dtype","shape","offset_bytes"},
/// {"dtype","value"} or {"tensor_map":{...}}; `step` counts from 1 and also counts memsets and library calls.
json launches_json(const Realized& realized);
/// The steps that are no launches, and the workspaces: {"memsets":[...],"library":[...],"workspaces":[...]}.
json other_steps_json(const Realized& realized);

/// The same for people, a line each, as comments of C++.
std::vector<std::string> plan_comments(const Realized& realized);

/// One line behind "// ", whatever `text` holds: it cannot end the comment, nor continue it on the next line.
std::string comment(const std::string& text);

}  // namespace harness::package
