#include "harness/adopt/kernel/constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "harness/adopt/source/element_type.h"
#include "harness/adopt/source/source.h"
#include "harness/core/dtype.h"
#include "harness/core/error.h"

namespace harness::adopt {
namespace {

/// A variable's type in parts: "float" and 3, 3 of "float[3][3]".
struct Elements {
  std::string type;
  std::vector<std::int64_t> extents;
};

Elements elements_of(const std::string& type) {
  Elements elements;
  const std::size_t bracket = type.find('[');
  elements.type = std::string(trimmed(std::string_view(type).substr(0, bracket)));
  for (std::size_t at = bracket; at != std::string::npos && at < type.size(); at = type.find('[', at + 1)) {
    std::int64_t extent = 0;
    std::from_chars(type.data() + at + 1, type.data() + type.size(), extent);
    elements.extents.push_back(extent);
  }
  return elements;
}

std::string where(const Source& source, std::size_t index) {
  const Source::Place declared = source.places[index];
  return fmt::format("{}:{}", declared.file->name,
                     line_of(declared.file->text, source.parsed.declarations[index].place));
}

/// Why the variable is no argument; "" where it can be one.
std::string unfit(const Source& source, const Declaration& variable, const Elements& elements) {
  if (!source.filled.contains(variable.name)) {
    if (source.addressed.contains(variable.name))
      return "is filled by its address (cudaGetSymbolAddress); fill it with cudaMemcpyToSymbol, or pass it as a "
             "parameter";
    return "is never filled in the files that are read (cudaMemcpyToSymbol); name the file that fills it, or pass it "
           "as a parameter";
  }
  int lanes = 1;
  const auto dtype = dtype_of_type(elements.type, &lanes);
  if (!dtype)
    return fmt::format("is of the type {} in __constant__ memory; numbers and arrays of numbers can be filled there",
                       elements.type);
  if (elements.extents.empty() && lanes == 1 && !is_floating(*dtype))
    return "is one whole number in __constant__ memory, and nothing says what sizes it must suit; pass it as a "
           "parameter";
  if (std::ranges::any_of(elements.extents, [](std::int64_t extent) { return extent < 1; }))
    return "has no length that can be read";
  return "";
}

}  // namespace

void add_constants(AdoptedKernel& kernel, const Source& source, const std::vector<std::size_t>& constants) {
  for (const std::size_t index : constants) {
    const Declaration& variable = source.parsed.declarations[index];
    const Parameter declared = variable.parameters.empty() ? Parameter{} : variable.parameters.front();
    const Elements elements = elements_of(declared.resolved);
    if (const std::string why = unfit(source, variable, elements); !why.empty())
      throw bad_input(fmt::format("{}: the kernel needs '{}', which {}", where(source, index), variable.name, why));
    AdoptedParameter parameter;
    const bool is_parameter =
        std::ranges::find(kernel.parameters, variable.name, &AdoptedParameter::name) != kernel.parameters.end();
    parameter.name = is_parameter ? variable.name + "_constant" : variable.name;
    parameter.symbol = variable.qualified;
    parameter.dtype = *dtype_of_type(elements.type, &parameter.lanes);
    parameter.role = "input";
    parameter.answered = parameter.declared_read_only = true;
    parameter.evidence =
        fmt::format("{}: __constant__, filled by the host; as large as it is declared", where(source, index));
    for (const std::int64_t extent : elements.extents) parameter.shape.push_back(number(static_cast<double>(extent)));
    if (parameter.lanes > 1 || parameter.shape.empty()) parameter.shape.push_back(number(parameter.lanes));
    Parameter as_pointer;
    as_pointer.name = parameter.name;
    as_pointer.pointee = as_pointer.resolved = elements.type;
    as_pointer.read_only = true;
    kernel.parameters.push_back(std::move(parameter));
    kernel.declaration.parameters.push_back(std::move(as_pointer));
  }
}

}  // namespace harness::adopt
