#include "harness/package/launcher/torch_operator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "harness/core/printable.h"
#include "harness/package/launcher/formula_text.h"
#include "harness/package/literals.h"
#include "harness/package/placeholders.h"

namespace harness::package {
namespace {

constexpr const char* kTorchText =
#include "embedded/harness/package/launcher/torch.in"
    ;

/// As PyTorch's function that gives its number ends; nullptr: PyTorch does not have it.
const char* torch_type(Dtype dtype) {
  static const std::map<Dtype, const char*> kNames = {
      {Dtype::f64, "float64"},        {Dtype::f32, "float32"},      {Dtype::f16, "float16"}, {Dtype::bf16, "bfloat16"},
      {Dtype::e4m3, "float8_e4m3fn"}, {Dtype::e5m2, "float8_e5m2"}, {Dtype::s8, "int8"},     {Dtype::u8, "uint8"},
      {Dtype::s16, "int16"},          {Dtype::u16, "uint16"},       {Dtype::s32, "int32"},   {Dtype::u32, "uint32"},
      {Dtype::s64, "int64"},          {Dtype::u64, "uint64"},       {Dtype::b8, "bool"}};
  const auto type = kNames.find(dtype);
  return type == kNames.end() ? nullptr : type->second;
}

bool reads(const FormulaArgument& argument) {
  return argument.kind == ArgumentKind::input || argument.kind == ArgumentKind::inout;
}

class TorchWriter {
 public:
  explicit TorchWriter(const Launcher& launcher)
      : launcher_(launcher), arguments_(launcher.instances.front().plan.arguments) {
    for (const FieldLimits& field : launcher.fields)
      if (std::holds_alternative<double>(field.example)) types_[field.name] = FormulaType::real;
    for (const FormulaArgument& argument : arguments_) {
      if (reads(argument)) read_.push_back(&argument);
      if (argument.kind == ArgumentKind::output) made_.push_back(&argument);
      if (argument.kind == ArgumentKind::scalar) scalars_.push_back(&argument);
    }
    used_ = {Dtype::u8};  // of workspaces
    for (const LauncherInstance& instance : launcher.instances) add_row(instance.plan);
  }

  std::string write() {
    if (read_.empty() || rows_.empty()) return "";
    const std::string name = launcher_name(launcher_.kernel);
    std::string upper = name;
    std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    find_places();
    return filled(
        kTorchText,
        {{"NAME", name},
         {"UPPER", upper},
         {"TITLE", printable(launcher_.kernel + ": " + launcher_.summary, Lines::one)},
         {"PROGRAM", printable(launcher_.program, Lines::one)},
         {"TYPE_LIST", listed([](Dtype t) { return fmt::format("k_{}", harness::name(t)); })},
         {"TYPE_NAMES", listed([](Dtype t) { return quoted(std::string(harness::name(t))); })},
         {"TYPE_GETTERS", listed([](Dtype t) { return quoted(fmt::format("aoti_torch_dtype_{}", torch_type(t))); })},
         {"READ", std::to_string(read_.size())},
         {"MADE", std::to_string(made_.size())},
         {"ROWS", std::to_string(rows_.size())},
         {"DIMENSIONS", std::to_string(most_dimensions())},
         {"READ_NAMES", names(read_)},
         {"READ_RANKS", ranks()},
         {"TYPE_ROWS", type_rows()},
         {"SET_TYPES", set_types()},
         {"READ_EXTENTS", extents(read_)},
         {"MADE_EXTENTS", extents(made_)},
         {"TYPES_TOLD", types_told()},
         {"SIZES", sizes()},
         {"CALL", call()}});
  }

 private:
  using Arguments = std::vector<const FormulaArgument*>;
  struct Row {
    std::vector<Dtype> types;  // of what is read, then of what is made
    Config texts;
  };

  void add_row(const FormulaPlan& plan) {
    Row row;
    for (const Arguments* list : {&read_, &made_})
      for (const FormulaArgument* argument : *list)
        row.types.push_back(std::ranges::find(plan.arguments, argument->name, &FormulaArgument::name)->dtype);
    for (const auto& [field, value] : plan.fixed)
      if (std::holds_alternative<std::string>(value)) row.texts[field] = value;
    if (std::ranges::any_of(row.types, [](Dtype type) { return torch_type(type) == nullptr; })) return;
    for (const Row& known : rows_)
      if (known.types == row.types && to_text(known.texts) == to_text(row.texts)) return;
    used_.insert(row.types.begin(), row.types.end());
    rows_.push_back(std::move(row));
  }

  /// Where each argument stands on the operator's stack: tensors, scalars, sizes that no tensor states, then flags.
  void find_places() {
    for (std::size_t i = 0; i < read_.size(); ++i)
      for (const auto* part : {&read_[i]->shape, &read_[i]->strides})
        for (std::size_t d = 0; d < part->size(); ++d)
          if (const Formula& formula = (*part)[d]; formula.is_object() && formula.contains("size")) {
            const auto field = formula.at("size").get<std::string>();
            const std::string place =
                fmt::format("read[{}].{}[{}]", i, part == &read_[i]->shape ? "shape" : "strides", d);
            const bool by_shape = part == &read_[i]->shape;
            if (by_shape && !shapes_.contains(field)) shapes_[field] = place;
            if (!by_shape && !strides_.contains(field)) strides_[field] = place;
          }
    std::size_t place = read_.size() + scalars_.size();
    for (const bool flags : {false, true})
      for (const FieldLimits& field : launcher_.fields)
        if (is_asked(field) && std::holds_alternative<bool>(field.example) == flags) asked_[field.name] = place++;
  }

  bool is_asked(const FieldLimits& field) const {
    return !std::holds_alternative<std::string>(field.example) && !shapes_.contains(field.name) &&
           !strides_.contains(field.name);
  }

  template <typename Text>
  std::string listed(Text text) const {
    std::vector<std::string> all;
    for (const Dtype type : used_) all.push_back(text(type));
    return fmt::format("{}", fmt::join(all, ", "));
  }

  std::size_t most_dimensions() const {
    std::size_t most = 1;
    for (const Arguments* list : {&read_, &made_})
      for (const FormulaArgument* argument : *list) most = std::max(most, argument->shape.size());
    return most;
  }

  static std::string names(const Arguments& list) {
    std::vector<std::string> all;
    for (const FormulaArgument* argument : list) all.push_back(quoted(argument->name));
    return fmt::format("{}", fmt::join(all, ", "));
  }

  std::string ranks() const {
    std::vector<std::size_t> all;
    for (const FormulaArgument* argument : read_) all.push_back(argument->shape.size());
    return fmt::format("{}", fmt::join(all, ", "));
  }

  std::string type_rows() const {
    std::string text;
    for (const Row& row : rows_) {
      std::vector<std::string> all;
      for (const Dtype type : row.types) all.push_back(fmt::format("k_{}", harness::name(type)));
      text += fmt::format("    {{{}}},\n", fmt::join(all, ", "));
    }
    return text;
  }

  std::string set_types() const {
    std::string text;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      for (const auto& [field, value] : rows_[i].texts)
        text += fmt::format("  if (row == {}) w.{} = {};\n", i, c_name(field),
                            enumerator(launcher_, field, std::get<std::string>(value)));
    return text;
  }

  std::string extents(const Arguments& list) const {
    std::string text;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const FormulaArgument& argument = *list[i];
      const std::string shape = wholes(argument.shape), strides = wholes(argument.strides);
      const std::string always =
          fmt::format("all[{}] = {{{}, true, {{{}}}, {{{}}}}};", i, argument.shape.size(), shape, strides);
      if (argument.present.empty() || reads(argument)) text += "  " + always + '\n';
      else
        text += fmt::format("  if (w.{} != 0) {}\n  else all[{}] = {{1, false, {{0}}, {{1}}}};\n",
                            c_name(argument.present), always, i);
    }
    return text;
  }

  std::string wholes(const std::vector<Formula>& list) const {
    std::vector<std::string> all;
    for (const Formula& formula : list) all.push_back(whole_text(formula, types_));
    return fmt::format("{}", fmt::join(all, ", "));
  }

  std::string types_told() const {
    std::set<std::string> all;
    for (const Row& row : rows_) {
      std::vector<std::string> conditions;
      for (std::size_t i = 0; i < read_.size(); ++i)
        conditions.push_back(fmt::format("{} {}", read_[i]->name, harness::name(row.types[i])));
      all.insert(fmt::format("{}", fmt::join(conditions, ", ")));
    }
    return fmt::format("{}", fmt::join(all, "; "));
  }

  std::string sizes() const {
    std::string text;
    for (const FieldLimits& field : launcher_.fields) {
      if (std::holds_alternative<std::string>(field.example)) continue;
      const std::string to = "w." + c_name(field.name);
      if (const auto shape = shapes_.find(field.name); shape != shapes_.end())
        text += fmt::format("  {} = {};\n", to, shape->second);
      else if (const auto stride = strides_.find(field.name); stride != strides_.end())
        text += fmt::format("  {} = {};\n", to, stride->second);
      else if (std::holds_alternative<bool>(field.example))
        text += fmt::format("  {} = number<bool>(stack[{}]) ? 1 : 0;\n", to, asked_.at(field.name));
      else
        text +=
            fmt::format("  {} = number<{}>(stack[{}]);\n", to,
                        std::holds_alternative<double>(field.example) ? "double" : "int64_t", asked_.at(field.name));
    }
    return text;
  }

  /// The launcher's arguments between the sizes and the workspace.
  std::string call() const {
    std::string text;
    std::size_t read = 0, made = 0, scalar = 0;
    for (const FormulaArgument& argument : arguments_) {
      if (argument.kind == ArgumentKind::scalar) {
        const bool real = harness::name(argument.dtype).front() == 'f';
        text += fmt::format("{}, ", scalar_text(argument, real, read_.size() + scalar++));
        continue;
      }
      const std::string where =
          reads(argument) ? fmt::format("read[{}].data", read++) : fmt::format("results[{}]", made++);
      if (argument.present.empty() || !reads(argument)) text += fmt::format("Pointer{{{}}}, ", where);
      else text += fmt::format("Pointer{{w.{} != 0 ? {} : nullptr}}, ", c_name(argument.present), where);
    }
    return text;
  }

  std::string scalar_text(const FormulaArgument& argument, bool real, std::size_t place) const {
    for (const std::string& parameter : launcher_parameters(launcher_))
      if (parameter.ends_with(" " + c_name(argument.name)))
        return fmt::format("({})number<{}>(stack[{}])", parameter.substr(0, parameter.rfind(' ')),
                           real ? "double" : "int64_t", place);
    return "0";
  }

  const Launcher& launcher_;
  const std::vector<FormulaArgument>& arguments_;
  SizeTypes types_;
  Arguments read_, made_, scalars_;
  std::vector<Row> rows_;
  std::set<Dtype> used_;
  std::map<std::string, std::string> shapes_, strides_;  // field -> the place that states it
  std::map<std::string, std::size_t> asked_;             // field -> its place on the stack
};

}  // namespace

std::string torch_operator(const Launcher& launcher) {
  return TorchWriter(launcher).write();
}

}  // namespace harness::package
