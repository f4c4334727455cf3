#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/value.h"

// Compiler controls: options that change the machine code of a candidate and not what it computes.
namespace harness {

/// The parameter that every variant has beside its own: controls, separated by blanks. No search gives it a value.
inline constexpr const char* kControls = "options";

/// One that is tried where controls are: as the compiler takes it, and what it is for.
struct Control {
  std::string_view option, what;
};
/// In the order in which they are tried.
std::span<const Control> known_controls();

/// "--maxrregcount=64", "--ptxas-options=--register-usage-level=8": of a known kind, with a value that it takes.
bool is_control(std::string_view option);
/// What may stand there, for messages.
std::string control_kinds();

/// Why none is tried on a device that emulates, a sentence: machine code of another compiler runs there.
std::string no_controls(const std::string& device);

/// Those of a configuration. Throws Error(bad_input) for a text that is none.
std::vector<std::string> controls_of(const Config& config);
/// The configuration with one more; another value of the same option gives way.
Config with_control(Config config, std::string_view option);
Config without_controls(Config config);

}  // namespace harness
