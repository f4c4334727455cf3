#include "harness/adopt/plugin/reference_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "harness/adopt/observe/reference_launch.h"
#include "harness/adopt/plugin/lua_text.h"
#include "harness/adopt/source/element_type.h"
#include "harness/adopt/source/tokens.h"
#include "harness/core/dtype.h"

namespace harness::adopt {
namespace {

/// "const double* x, float eps, long long n": what the judge passes (core/contract.h, Reference).
std::string wrapper_parameters(const AdoptedKernel& kernel, bool wide, bool serial) {
  std::vector<std::string> texts, scratch;
  for (const AdoptedParameter& parameter : kernel.parameters) {
    if (parameter.kind == Param::size || parameter.kind == Param::derived || !(serial || is_passed(parameter)))
      continue;
    std::string type = parameter.type.empty() ? std::string(cuda_type(parameter.dtype)) : "T";
    if (!is_array(parameter)) {
      if (wide && !parameter.type.empty()) type = cuda_type(parameter.dtype);
      texts.push_back(fmt::format("{} {}", type, parameter.name));
      continue;
    }
    if (wide && is_floating(parameter.dtype)) type = "double";
    auto& list = parameter.kind == Param::scratch ? scratch : texts;
    list.push_back(fmt::format("{}{}* {}", parameter.role == "input" ? "const " : "", type, parameter.name));
  }
  for (const AdoptedSize& size : kernel.sizes) texts.push_back(fmt::format("long long harness_{}", size.name));
  if (!serial) texts.insert(texts.end(), scratch.begin(), scratch.end());
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// What the original is called with. Vectors in its signature (float4*) are views of the same memory.
std::string wrapper_argument(const AdoptedKernel& kernel, const AdoptedParameter& parameter, const Parameter& declared,
                             bool wide) {
  const auto passed = [&](const std::string& symbol) { return "harness_" + kernel.size(symbol)->name; };
  if (parameter.kind == Param::size)
    return fmt::format("static_cast<{}>({})", declared.resolved, passed(parameter.name));
  if (parameter.kind == Param::derived)
    return fmt::format("static_cast<{}>({})", declared.resolved,
                       as_cpp(*with(parameter.follows, first_values(kernel)), passed));
  if (!declared.enumerators.empty()) return fmt::format("static_cast<{}>({})", declared.type, parameter.name);
  const bool half = is_floating(parameter.dtype) && storage_bytes(parameter.dtype) < 4;
  if (!is_array(parameter))
    return wide && half ? fmt::format("static_cast<float>({})", parameter.name) : parameter.name;
  if (parameter.lanes > 1) {
    std::string type = declared.resolved;
    if (wide && type.starts_with("float")) type = "double" + type.substr(5);
    else if (wide && is_floating(parameter.dtype)) type = with_doubles(type);
    return fmt::format("({}{}*)({})", declared.read_only ? "const " : "", type, parameter.name);
  }
  // long and long long are two types of one size, char and signed char too: int64_t is the one or the other, as the
  // compiler likes.
  const bool of_template = std::ranges::any_of(kernel.declaration.templates, [&](const TemplateParameter& parameter) {
    return parameter.name == declared.pointee;
  });
  if (parameter.type.empty() && !is_floating(parameter.dtype) && !of_template &&
      declared.pointee != cuda_type(parameter.dtype))
    return fmt::format("({}{}*)({})", declared.read_only ? "const " : "", declared.pointee, parameter.name);
  return parameter.role == "input" && !declared.read_only
             ? fmt::format("const_cast<{}*>({})",
                           wide && is_floating(parameter.dtype) ? "double"
                           : parameter.type.empty()             ? std::string(cuda_type(parameter.dtype))
                                                                : "T",
                           parameter.name)
             : parameter.name;
}

std::string wrapper(const AdoptedKernel& kernel, const std::string& name, const std::string& call,
                    const std::vector<std::string>& arguments, bool wide, bool serial) {
  const bool templated = !wide && !kernel.dtype_parameter.empty();
  return fmt::format("\n{}__global__ void {}({}) {{\n  {}{}({});\n}}\n", templated ? "template <class T>\n" : "", name,
                     wrapper_parameters(kernel, wide, serial), serial ? "if (blockIdx.x + threadIdx.x == 0) " : "",
                     call, fmt::join(arguments, ", "));
}

std::string first_tuned(const AdoptedKernel& kernel) {
  std::string defines;
  for (const auto& [name, values] : kernel.tuned)
    if (kernel.bound.at(name) == "define") defines += fmt::format("#define {} {}\n", name, values.front());
  return defines;
}

/// `int half = dim / 2;`
bool declares_half(const std::vector<Token>& tokens) {
  for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
    const Token &before = tokens[i - 1], &next = tokens[i + 1];
    const bool typed = before.is_word() && !before.is("const") && !before.is("return");
    if (tokens[i].is("half") && typed && (next.is("=") || next.is(";") || next.is(",") || next.is(")"))) return true;
  }
  return false;
}

/// `const float cos = cosf(x)`: in double both would be called cos, so a variable of such a name gets another one. So
/// does one that is called like a type which becomes double.
std::string without_shadows(const std::string& text) {
  static const std::set<std::string, std::less<>> names{"cos", "sin", "tan", "exp",   "log",  "sqrt", "rsqrt",
                                                        "pow", "erf", "fma", "floor", "ceil", "fmax", "fmin"};
  std::string result;
  std::size_t done = 0;
  const std::vector<Token> tokens = tokens_of(text);
  std::set<std::string, std::less<>> in_float;  // cosf, __cosf: what becomes cos
  for (const Token& token : tokens)
    if (token.is_word() && token.text.ends_with("f"))
      in_float.emplace(token.text.substr(token.text.starts_with("__") ? 2 : 0));
  const bool half_is_variable = declares_half(tokens);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool called = i + 1 < tokens.size() && tokens[i + 1].is("(");
    const bool of_scope = i > 0 && tokens[i - 1].is("::");
    const bool function = names.contains(tokens[i].text) && in_float.contains(std::string(tokens[i].text) + "f");
    const bool type = half_is_variable && tokens[i].is("half");
    if (!tokens[i].is_word() || called || of_scope || !(function || type)) continue;
    result += text.substr(done, tokens[i].end - done) + "_value";
    done = tokens[i].end;
  }
  return result + text.substr(done);
}

}  // namespace

std::int64_t wide_factor(const AdoptedKernel& kernel) {
  int least = 8;
  for (const AdoptedParameter& parameter : kernel.parameters)
    if (parameter.kind == Param::pointer && is_floating(parameter.dtype))
      least = std::min(least, storage_bytes(parameter.dtype));
  return 8 / std::max(1, least);
}

std::string widened(const DeviceSource& device, const std::string& given) {
  const std::string text = without_shadows(given);
  std::string result;
  for (const std::string& header : device.headers) result += fmt::format("#include <{}>\n", header);
  if (device.torch) result += "#include <harness/torch_types.cuh>\n";
  // A word of ordinary programs too: only where it is a type.
  const bool half =
      device.torch || std::find(device.headers.begin(), device.headers.end(), "cuda_fp16.h") != device.headers.end();
  const std::string halves = half ? "#define half double\n" : "";
  return result + "#include <harness/adopted.cuh>\n#include <harness/wide_begin.cuh>\n" + halves + text +
         (half ? "\n#undef half" : "") + "\n#include <harness/wide_end.cuh>\n";
}

std::string own_reference(const AdoptedKernel& kernel, const DeviceSource& device, bool wide) {
  const bool renamed = wide && without_shadows(device.text) != device.text;  // then a text of its own
  const std::string inside =
      "// The original as a function of the device: `reference` calls it in the original's own launch.\n" +
      first_tuned(kernel) + "#include <harness/as_device_begin.cuh>\n" +
      (renamed ? device.text + "\n" : "#include \"variants/00_original.cu\"\n") +
      "#include <harness/as_device_end.cuh>\n";
  std::string text =
      wide ? "// The original's own source with double in the place of each floating type.\n" + widened(device, inside)
           : "// The original itself: equal to it is not shown to be right.\n" + inside;
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < kernel.parameters.size() && is_passed(kernel.parameters[i]); ++i)
    arguments.push_back(wrapper_argument(kernel, kernel.parameters[i], kernel.declaration.parameters[i], wide));
  const std::string first = kernel.entry_for(wide ? "double" : "T", kernel.first_templates(), wide);
  for (std::size_t i = 0; i <= kernel.further.size(); ++i)
    text += wrapper(kernel, reference_entry(i), kernel.entry_of_launch(i, first), arguments, wide, false);
  return text;
}

std::optional<std::string> host_reference(const AdoptedKernel& kernel, const Declaration& function,
                                          const DeviceSource& device) {
  std::vector<std::string> arguments;
  std::vector<AdoptedParameter> own = kernel.parameters;
  std::erase_if(own, [](const AdoptedParameter& parameter) { return parameter.kind == Param::scratch; });
  const bool by_place = function.parameters.size() == own.size();
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const Parameter& declared = function.parameters[i];
    const auto fits = [&](const AdoptedParameter& parameter) {
      return (parameter.kind == Param::pointer) == !declared.pointee.empty();
    };
    auto match = std::find_if(own.begin(), own.end(), [&](const AdoptedParameter& parameter) {
      return parameter.name == declared.name && fits(parameter);
    });
    if (match == own.end() && by_place && fits(own[i])) match = own.begin() + static_cast<std::ptrdiff_t>(i);
    if (match == own.end()) {
      const AdoptedSize* size = nullptr;
      for (const AdoptedSize& other : kernel.sizes)
        if (other.name == declared.name) size = &other;
      if (size == nullptr || !declared.pointee.empty()) return std::nullopt;
      arguments.push_back(fmt::format("static_cast<int>(harness_{})", size->name));
      continue;
    }
    arguments.push_back(wrapper_argument(kernel, *match, declared, true));
  }
  return "// A function of the host, in double. One thread does it all.\n" + widened(device, device.text) +
         wrapper(kernel, reference_entry(0), function.name, arguments, true, true);
}

}  // namespace harness::adopt
