#pragma once
#include <string>
#include <vector>

// The generators of inputs: what a manifest may say of them, and what the gates may do with what they draw. Adding one:
// a row in generators.cpp, its function in judge/, a line in kernels/README.md and a test.
namespace harness {

/// An option of a constructor: `normal { std = 2 }`.
struct ConstructorOption {
  /// argument: the name of an integer input declared before; arguments: a list of names of inputs declared before
  enum class Kind { number, text, argument, arguments };
  std::string name;
  Kind kind = Kind::number;
  bool required = false;  // there is no sensible default
};

struct GeneratorKind {
  std::string name;
  std::vector<ConstructorOption> options;
  bool independent = false;  // elements are drawn by themselves: a device may draw them anew (core/image.h)
  bool has_forms = false;    // its floating values also come in hostile forms (judge/forms.h)
  bool own_code = false;     // drawn by the kernel's own device code, not by judge/
};

const std::vector<GeneratorKind>& generator_kinds();
/// nullptr: there is none of this name.
const GeneratorKind* find_generator(const std::string& name);
std::vector<std::string> generator_names();

/// The forms in which floating inputs are drawn, "nominal" first (judge/forms.h).
const std::vector<std::string>& draw_form_names();

}  // namespace harness
