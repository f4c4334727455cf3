#pragma once
#include <filesystem>
#include <string>

namespace harness::script {

/// The text of one script and the name that its errors and its record carry ("strategies/rules/plateau.lua").
struct Source {
  std::string name, text;
};

/// Reads a script that was given as a file. Throws Error(bad_input).
Source read_source(const std::filesystem::path& file, const std::string& name);

}  // namespace harness::script
