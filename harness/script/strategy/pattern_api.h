#pragma once

namespace harness::script {

/// The Lua behind the playbook (pattern_api.cpp). It is called with the API of library_api.cpp and its functions where,
/// place, freeze and wrap; sets the global pattern and adds applies, facts and playbook to the API.
extern const char* const kPatternApiText;

}  // namespace harness::script
