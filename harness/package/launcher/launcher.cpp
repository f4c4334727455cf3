#include "harness/package/launcher/launcher.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "harness/core/embedded.h"
#include "harness/core/error.h"
#include "harness/core/printable.h"
#include "harness/package/launcher/plan_code.h"
#include "harness/package/literals.h"
#include "harness/package/placeholders.h"

namespace harness::package {
namespace {

constexpr EmbeddedText kLauncherTexts[] = {
#include "embedded/harness/package/launcher.table"
};

constexpr const char* kHeaderText = text_of(kLauncherTexts, "header.in");
constexpr const char* kMathText = text_of(kLauncherTexts, "math.in");
constexpr const char* kRuntimeText = text_of(kLauncherTexts, "runtime.in");

std::string upper_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

bool is_flag(const FieldLimits& field) {
  return std::holds_alternative<bool>(field.example);
}
bool is_text(const FieldLimits& field) {
  return std::holds_alternative<std::string>(field.example);
}
bool is_real(const FieldLimits& field) {
  return std::holds_alternative<double>(field.example);
}

/// "float", or "" where several types meet.
std::string element_type(const Launcher& launcher, const std::string& argument) {
  static const std::map<Dtype, const char*> kTypes = {
      {Dtype::f64, "double"},  {Dtype::f32, "float"},    {Dtype::s8, "int8_t"},   {Dtype::u8, "uint8_t"},
      {Dtype::s16, "int16_t"}, {Dtype::u16, "uint16_t"}, {Dtype::s32, "int32_t"}, {Dtype::u32, "uint32_t"},
      {Dtype::s64, "int64_t"}, {Dtype::u64, "uint64_t"}, {Dtype::b8, "uint8_t"}};
  std::optional<Dtype> dtype;
  for (const LauncherInstance& instance : launcher.instances)
    for (const FormulaArgument& declared : instance.plan.arguments) {
      if (declared.name != argument) continue;
      if (dtype && *dtype != declared.dtype) return "";
      dtype = declared.dtype;
    }
  const auto type = dtype ? kTypes.find(*dtype) : kTypes.end();
  return type == kTypes.end() ? "" : type->second;
}

class LauncherWriter {
 public:
  explicit LauncherWriter(const Launcher& launcher)
      : launcher_(launcher), name_(launcher_name(launcher.kernel)), upper_(upper_case(name_)) {
    for (const FieldLimits& field : launcher.fields)
      if (is_real(field)) types_[field.name] = FormulaType::real;
    if (launcher.instances.empty()) throw bad_input("a package needs at least one configuration");
  }

  LauncherFiles write() {
    const Placeholders common = {{"NAME", name_},
                                 {"UPPER", upper_},
                                 {"TITLE", printable(launcher_.kernel + ": " + launcher_.summary, Lines::one)},
                                 {"PROGRAM", printable(launcher_.program, Lines::one)},
                                 {"PARAMETERS", parameter_list()}};
    Placeholders header = common;
    header.insert({{"ENUMS", enums()}, {"FIELDS", fields()}, {"ARGUMENT_NOTES", notes()}});
    Placeholders source = common;
    const std::string plans = plan_functions();  // before the tables: it counts parameters
    source.insert({{"TABLES", tables()},
                   {"ARGUMENT_FIELDS", argument_fields()},
                   {"ARGUMENT_NAMES", argument_names()},
                   {"PLANS", plans},
                   {"CONFIGURATIONS", configurations()},
                   {"INSTANCES", instances()},
                   {"INSTANCE_OF", instance_of()},
                   {"CHOICE", choice()},
                   {"EMPTY", empty()},
                   {"BOUNDS", bounds()},
                   {"CHECKS", checks()},
                   {"ARCHITECTURES", code_note()},
                   {"MEASURED", fmt::format("{}", fmt::join(launcher_.architectures, ", "))}});
    return {filled(kHeaderText, header), filled(kRuntimeText, source), filled(kMathText, common), code_header(),
            code()};
  }

 private:
  const std::vector<FormulaArgument>& arguments() const { return launcher_.instances.front().plan.arguments; }
  const FieldLimits& field(const std::string& name) const {
    return *std::ranges::find(launcher_.fields, name, &FieldLimits::name);
  }

  std::string parameter_list() const {
    std::string text;
    for (const std::string& parameter : launcher_parameters(launcher_)) text += parameter + ", ";
    return text;
  }

  std::string enumerator_name(const std::string& field, const std::string& value) const {
    return upper_case(fmt::format("{}_{}_{}", name_, c_name(field), c_name(value)));
  }

  std::string enums() const {
    std::string text;
    for (const FieldLimits& field : launcher_.fields) {
      if (!is_text(field)) continue;
      text += fmt::format("/* What `{}` may be. */\nenum {{\n", c_name(field.name));
      int number = 0;
      for (const std::string& value : enumerators(launcher_, field.name))
        text += fmt::format("  {} = {},\n", enumerator_name(field.name, value), number++);
      text += "};\n\n";
    }
    return text;
  }

  static std::string bounds_note(const FieldLimits& field) {
    if (is_flag(field)) return "0 or 1";
    if (is_text(field)) return "one of the values above";
    if (!field.bounded) return "not bounded by itself";
    if (field.listed) {
      std::vector<std::string> values;
      for (const Value& value : field.values) values.push_back(to_text(value));
      return fmt::format("one of {}", fmt::join(values, ", "));
    }
    return fmt::format("{} to {}{}", field.lo, field.hi,
                       field.step == 1 ? "" : fmt::format(", a multiple of {}", field.step));
  }

  std::string fields() const {
    std::string text;
    for (const FieldLimits& field : launcher_.fields)
      text += fmt::format("  {} {}; /* {} */\n",
                          is_flag(field) || is_text(field) ? "int32_t"
                          : is_real(field)                 ? "double"
                                                           : "int64_t",
                          c_name(field.name), bounds_note(field));
    return text;
  }

  std::string notes() const {
    std::string text;
    for (const FormulaArgument& argument : arguments()) {
      text += fmt::format("   `{}`: {}", c_name(argument.name), name(argument.kind));
      if (argument.kind != ArgumentKind::scalar) text += fmt::format(", aligned to {} bytes", argument.align);
      if (!argument.present.empty()) text += fmt::format(", null where `{}` is 0", c_name(argument.present));
      text += ".\n";
    }
    if (!text.empty()) text.pop_back();
    return text;
  }

  std::string argument_fields() const {
    std::string text;
    for (const std::string& parameter : launcher_parameters(launcher_)) text += "  " + parameter + ";\n";
    return text;
  }

  std::string argument_names() const {
    std::vector<std::string> names;
    for (const FormulaArgument& argument : arguments()) names.push_back(c_name(argument.name));
    return fmt::format("{}", fmt::join(names, ", "));
  }

  // The same body is one function.
  std::size_t shared(std::vector<std::string>& bodies, const std::string& body) {
    const auto same_body = std::ranges::find(bodies, body);
    if (same_body != bodies.end()) return static_cast<std::size_t>(same_body - bodies.begin());
    bodies.push_back(body);
    return bodies.size() - 1;
  }

  std::string plan_functions() {
    for (const LauncherInstance& instance : launcher_.instances) {
      const PlanCode code = plan_code(instance.plan, types_);
      most_parameters_ = std::max(most_parameters_, code.parameters);
      functions_.push_back({shared(inside_, code.inside), shared(valid_, code.valid), shared(bytes_, code.bytes),
                            shared(run_, code.run)});
    }
    std::string text;
    const auto add = [&text](const char* head, const char* name, const char* parameters,
                             const std::vector<std::string>& bodies) {
      for (std::size_t i = 0; i < bodies.size(); ++i)
        text += fmt::format("{} {}_{}({}) {{\n{}}}\n\n", head, name, i, parameters, bodies[i]);
    };
    add("bool", "inside", "[[maybe_unused]] const Sizes& w, [[maybe_unused]] const Limits& d", inside_);
    add("bool", "valid", "[[maybe_unused]] const Sizes& w, [[maybe_unused]] const Limits& d", valid_);
    add("int64_t", "bytes",
        "[[maybe_unused]] const Sizes& w, [[maybe_unused]] const Limits& d, [[maybe_unused]] Fault& f", bytes_);
    add("Status", "run", "Call& c", run_);
    return text;
  }

  std::string image_name(std::size_t unit, std::size_t architecture) const {
    return package::image_name(launcher_.kernel, unit, architecture);
  }
  std::string ptx_name(std::size_t unit, std::size_t architecture) const {
    return package::ptx_name(launcher_.kernel, unit, architecture);
  }

  /// What it has code for, in a sentence of the launcher.
  std::string code_note() const {
    if (launcher_.architectures.empty()) return "no architecture";
    std::string text = fmt::format("{}", fmt::join(launcher_.architectures, ", "));
    if (!launcher_.ptx_architectures.empty())
      text += fmt::format(" and PTX for GPUs from {} on", fmt::join(launcher_.ptx_architectures, ", "));
    return text;
  }

  static std::pair<int, bool> capability(const std::string& architecture) {
    std::string digits = architecture.substr(architecture.find('_') + 1);
    const bool exactly = !digits.empty() && std::isalpha(static_cast<unsigned char>(digits.back())) != 0;
    if (exactly) digits.pop_back();
    return {std::stoi(digits), exactly};
  }

  /// A unit's images, null where there is none.
  template <typename Name>
  static std::string image_row(const std::vector<std::string>& architectures, const std::vector<std::string>& bytes,
                               Name name_of) {
    std::vector<std::string> images;
    for (std::size_t i = 0; i < architectures.size(); ++i) {
      const auto [number, exactly] = capability(architectures[i]);
      images.push_back(
          fmt::format("{{{}, {}, {}}}", number, exactly, bytes.at(i).empty() ? std::string("nullptr") : name_of(i)));
    }
    if (images.empty()) images.emplace_back("{0, false, nullptr}");
    return fmt::format("    {{{}}},\n", fmt::join(images, ", "));
  }

  std::string tables() const {
    const std::size_t columns = std::max<std::size_t>(1, launcher_.architectures.size());
    std::string text = fmt::format(
        "constexpr int kUnits = {}, kArchitectures = {}, kPtxArchitectures = {}, kKernels = {}, kVariables = {}, "
        "kConfigurations = {}, kMostParameters = {};\n",
        std::max<std::size_t>(1, launcher_.units.size()), columns,
        std::max<std::size_t>(1, launcher_.ptx_architectures.size()), launcher_.kernels.size(),
        launcher_.variables.size(), launcher_.configurations.size(), std::max<std::size_t>(1, most_parameters_));
    text += "const Image kImages[kUnits][kArchitectures] = {\n";
    for (std::size_t unit = 0; unit < launcher_.units.size(); ++unit)
      text += image_row(launcher_.architectures, launcher_.units[unit].images,
                        [&](std::size_t i) { return image_name(unit, i); });
    text += "};\nconst Image kPtx[kUnits][kPtxArchitectures] = {\n";
    for (std::size_t unit = 0; unit < launcher_.units.size(); ++unit)
      text += image_row(launcher_.ptx_architectures, launcher_.units[unit].ptx,
                        [&](std::size_t i) { return ptx_name(unit, i); });
    text += "};\nconst Kernel kKernelTable[kKernels] = {\n";
    for (const LauncherKernel& kernel : launcher_.kernels)
      text += fmt::format("    {{{}, {}}},  // {}\n", kernel.unit, quoted(kernel.symbol),
                          printable(kernel.entry, Lines::one));
    text += "};\nconst Kernel kVariableTable[kVariables + 1] = {\n";  // C++ has no empty arrays
    for (const LauncherVariable& variable : launcher_.variables)
      text += fmt::format("    {{{}, {}}},  // {}\n", variable.unit, quoted(variable.symbol),
                          printable(variable.name, Lines::one));
    return text + "    {0, nullptr}};\n";
  }

  std::string configurations() const {
    std::string text = "const Configuration kConfigurationTable[kConfigurations] = {\n";
    for (const LauncherConfiguration& configuration : launcher_.configurations)
      text += fmt::format("    {{{}, {}, {}}},\n", quoted(configuration.candidate.variant),
                          quoted(to_text(configuration.candidate.config)), configuration.original);
    return text + "};\n";
  }

  std::string instances() const {
    std::string lists, table = "const Instance kInstances[] = {\n";
    for (std::size_t i = 0; i < launcher_.instances.size(); ++i) {
      const LauncherInstance& instance = launcher_.instances[i];
      std::vector<std::size_t> kernels = instance.kernels;
      if (kernels.empty()) kernels.push_back(0);
      std::vector<std::size_t> variables = instance.variables;
      if (variables.empty()) variables.push_back(0);
      lists += fmt::format("const short kLaunched{0}[] = {{{1}}}, kFilled{0}[] = {{{2}}};\n", i,
                           fmt::join(kernels, ", "), fmt::join(variables, ", "));
      const auto& [inside, valid, bytes, run] = functions_[i];
      table += fmt::format("    {{{}, inside_{}, valid_{}, bytes_{}, run_{}, kLaunched{}, {}, kFilled{}}},  // {}\n",
                           instance.configuration, inside, valid, bytes, run, i, instance.kernels.size(), i,
                           printable(to_text(instance.plan.fixed), Lines::one));
    }
    return lists + table + "};\n";
  }

  std::string equals(const std::string& name, const Value& value) const {
    const std::string left = "w." + c_name(name);
    if (const bool* flag = std::get_if<bool>(&value)) return fmt::format("{} {} 0", left, *flag ? "!=" : "==");
    if (const auto* text = std::get_if<std::string>(&value))
      return fmt::format("{} == {}", left, enumerator(launcher_, name, *text));
    if (const auto* number = std::get_if<double>(&value)) return fmt::format("{} == {:a}", left, *number);
    return fmt::format("{} == {}", left, std::get<std::int64_t>(value));
  }

  std::string instance_of() const {
    std::string text;
    for (std::size_t i = 0; i < launcher_.instances.size(); ++i) {
      const LauncherInstance& instance = launcher_.instances[i];
      std::string condition = fmt::format("configuration == {}", instance.configuration);
      for (const auto& [name, value] : instance.plan.fixed) condition += " && " + equals(name, value);
      text += fmt::format("  if ({}) return {};\n", condition, i);
    }
    return text;
  }

  std::string condition_text(const Condition& condition) const {
    std::string text;
    for (std::size_t i = 1; i < condition.fields.size(); ++i)
      text += fmt::format(" && w.{} == w.{}", c_name(condition.fields[i]), c_name(condition.fields[0]));
    if (same_value(condition.lo, condition.hi)) return text + " && " + equals(condition.fields[0], condition.lo);
    const std::string left = "w." + c_name(condition.fields[0]);
    return text + fmt::format(" && {0} >= {1} && {0} <= {2}", left, to_text(condition.lo), to_text(condition.hi));
  }

  std::string choice() const {
    std::string text;
    for (const DispatchRule& rule : launcher_.rules) {
      text +=
          fmt::format("  // {}\n  if ({}", printable(rule.why, Lines::one),
                      rule.device.empty() ? "true" : fmt::format("std::strcmp(d.name, {}) == 0", quoted(rule.device)));
      for (const Condition& condition : rule.conditions) text += condition_text(condition);
      text += fmt::format(
          ") {{\n    const int i = instance_of({}, w);\n    if (runs(i, w, d) && has_code(i, d)) return i;\n  }}\n",
          rule.configuration);
    }
    text += "  // the original\n";
    for (std::size_t i = 0; i < launcher_.configurations.size(); ++i)
      if (launcher_.configurations[i].original)
        text += fmt::format("  if (const int i = instance_of({}, w); runs(i, w, d)) return i;\n", i);
    return text;
  }

  /// No written tensor has an element.
  std::string empty() const {
    std::vector<std::string> tensors;
    for (const FormulaArgument& argument : arguments()) {
      if (argument.kind != ArgumentKind::output && argument.kind != ArgumentKind::inout) continue;
      std::vector<std::string> extents;
      for (const Formula& extent : argument.shape)
        if (!extent.is_number()) extents.push_back(fmt::format("{} == 0", whole_text(extent, types_)));
      if (extents.empty()) return "false";
      tensors.push_back(fmt::format("({})", fmt::join(extents, " || ")));
    }
    return fmt::format("{} && !f.seen", fmt::join(tensors, " && "));
  }

  std::string bounds() const {
    std::vector<std::string> all;
    for (const FieldLimits& field : launcher_.fields) {
      const std::string left = "w." + c_name(field.name);
      if (is_flag(field)) {
        all.push_back(fmt::format("({0} == 0 || {0} == 1)", left));
      } else if (is_text(field)) {
        all.push_back(fmt::format("{0} >= 0 && {0} < {1}", left, enumerators(launcher_, field.name).size()));
      } else if (field.bounded && field.listed) {
        std::vector<std::string> values;
        for (const Value& value : field.values) values.push_back(equals(field.name, value));
        all.push_back(fmt::format("({})", fmt::join(values, " || ")));
      } else if (field.bounded) {
        all.push_back(fmt::format("{0} >= {1} && {0} <= {2}", left, field.lo, field.hi));
        if (field.step > 1) all.push_back(fmt::format("{} % {} == 0", left, field.step));
      }
    }
    return all.empty() ? "true" : fmt::format("{}", fmt::join(all, " &&\n         "));
  }

  std::string checks() const {
    std::string text;
    for (const FormulaArgument& argument : arguments()) {
      if (argument.kind == ArgumentKind::scalar) continue;
      const std::string name = c_name(argument.name);
      const std::string there = argument.present.empty() ? "" : fmt::format("w.{} != 0 && ", c_name(argument.present));
      if (argument.absent && argument.present.empty()) continue;
      text += fmt::format("  if ({}a.{} == nullptr) return {}_NULL_POINTER;\n", there, name, upper_);
      text +=
          fmt::format("  if ({}!is_aligned(a.{}, {})) return {}_MISALIGNED;\n", there, name, argument.align, upper_);
    }
    return text;
  }

  /// Calls `each` with the name, the bytes and the architecture of whatever is contained.
  template <typename Each>
  void for_images(Each visit) const {
    for (std::size_t unit = 0; unit < launcher_.units.size(); ++unit) {
      const LauncherUnit& its = launcher_.units[unit];
      for (std::size_t i = 0; i < launcher_.architectures.size(); ++i)
        if (!its.images.at(i).empty()) visit(image_name(unit, i), its.images[i], launcher_.architectures[i]);
      for (std::size_t i = 0; i < launcher_.ptx_architectures.size(); ++i)
        if (!its.ptx.at(i).empty()) visit(ptx_name(unit, i), its.ptx[i], launcher_.ptx_architectures[i]);
    }
  }

  std::string code_header() const {
    std::string text = "// The machine code of the kernels, for " + name_ + ".cpp.\n#pragma once\n\n";
    for_images([&](const std::string& name, const std::string&, const std::string&) {
      text += fmt::format("extern \"C\" const unsigned char {}[];\n", name);
    });
    return text;
  }

  std::string code() const {
    std::string text = fmt::format("#include \"{}_code.h\"\n\n", name_);
    for_images([&](const std::string& name, const std::string& bytes, const std::string& architecture) {
      text +=
          fmt::format("alignas(64) const unsigned char {}[] =  // {}, {} bytes\n", name, architecture, bytes.size());
      append_bytes(text, bytes);
      text += ";\n";
    });
    return text;
  }

  /// As string literals, which compilers read much faster than lists of numbers.
  static void append_bytes(std::string& text, const std::string& bytes) {
    constexpr std::size_t kLine = 32;
    static const char kDigits[] = "01234567";
    text.reserve(text.size() + 5 * bytes.size());
    for (std::size_t at = 0; at < bytes.size(); at += kLine) {
      text += "    \"";
      for (std::size_t i = at; i < std::min(bytes.size(), at + kLine); ++i) {
        const auto byte = static_cast<unsigned char>(bytes[i]);
        text += {'\\', kDigits[byte >> 6], kDigits[byte >> 3 & 7], kDigits[byte & 7]};
      }
      text += "\"\n";
    }
  }

  struct Functions {
    std::size_t inside, valid, bytes, run;
  };
  const Launcher& launcher_;
  std::string name_, upper_;
  SizeTypes types_;
  std::vector<std::string> inside_, valid_, bytes_, run_;
  std::vector<Functions> functions_;
  std::size_t most_parameters_ = 0;
};

}  // namespace

LauncherFiles launcher_files(const Launcher& launcher) {
  return LauncherWriter(launcher).write();
}

std::string launcher_name(const std::string& kernel) {
  return c_name(kernel);
}

std::string image_name(const std::string& kernel, std::size_t unit, std::size_t place) {
  return fmt::format("{}_image_{}_{}", launcher_name(kernel), unit, place);
}

std::string ptx_name(const std::string& kernel, std::size_t unit, std::size_t place) {
  return fmt::format("{}_ptx_{}_{}", launcher_name(kernel), unit, place);
}

std::vector<std::string> launcher_parameters(const Launcher& launcher) {
  std::vector<std::string> parameters;
  for (const FormulaArgument& argument : launcher.instances.front().plan.arguments) {
    const std::string type = element_type(launcher, argument.name);
    if (argument.kind == ArgumentKind::scalar) {
      if (type.empty())
        throw bad_input(fmt::format("the scalar '{}' is of no type, or of several, that C has", argument.name));
      parameters.push_back(fmt::format("{} {}", type, c_name(argument.name)));
      continue;
    }
    parameters.push_back(fmt::format("{}{}* {}", argument.kind == ArgumentKind::input ? "const " : "",
                                     type.empty() ? "void" : type, c_name(argument.name)));
  }
  return parameters;
}

std::vector<std::string> enumerators(const Launcher& launcher, const std::string& field) {
  std::vector<std::string> texts;
  const auto add = [&texts](const Value& value) {
    const auto* text = std::get_if<std::string>(&value);
    if (text != nullptr && std::ranges::find(texts, *text) == texts.end()) texts.push_back(*text);
  };
  for (const FieldLimits& limits : launcher.fields)
    if (limits.name == field)
      for (const Value& value : limits.values) add(value);
  for (const LauncherInstance& instance : launcher.instances)
    if (const auto fixed = instance.plan.fixed.find(field); fixed != instance.plan.fixed.end()) add(fixed->second);
  return texts;
}

int enumerator(const Launcher& launcher, const std::string& field, const std::string& text) {
  const std::vector<std::string> texts = enumerators(launcher, field);
  const auto same_text = std::ranges::find(texts, text);
  return same_text == texts.end() ? -1 : static_cast<int>(same_text - texts.begin());
}

}  // namespace harness::package
