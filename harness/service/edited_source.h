#pragma once
#include <string>

#include "harness/core/catalog.h"

// `harness eval --source FILE --label TEXT`: what a person, or a program, made of a variant's source.
namespace harness {

/// The text of a device source. Throws Error(bad_input) for what is no plain file, is larger than 4 MiB, or is no text
/// (not UTF-8, a zero byte).
std::string read_edited_source(const std::string& path);

/// Throws Error(bad_input) for a label that is empty, longer than 200 bytes or not UTF-8.
void check_label(const std::string& label);

/// Throws Error(bad_input) where neither the source nor what it includes from its plugin has the name of a kernel that
/// the plan launches. `path` is the edited file, for the sentence.
void require_entries(const Realized& realized, const std::string& path);

}  // namespace harness
