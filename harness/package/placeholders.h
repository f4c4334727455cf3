#pragma once
#include <map>
#include <string>

namespace harness::package {

/// What stands for each @WORD@ of a text.
using Placeholders = std::map<std::string, std::string>;

/// The text with every @WORD@ (capitals and underscores) replaced; what is put in is not looked at again. A word that
/// nothing stands for stays.
std::string filled(const std::string& text, const Placeholders& words);

}  // namespace harness::package
