#include "harness/script/catalog/formulas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>

#include "harness/core/match.h"
#include "harness/script/catalog/trace.h"
#include "harness/script/contract/constants.h"
#include "harness/script/contract/sizes.h"
#include "harness/script/plan/scalars.h"

namespace harness::script {
namespace {

json operands_of_formula(const Expression& expression);

json formula_of_expression(const Expression& expression) {
  if (expression.operation == Operation::constant)
    return std::visit([](auto held) { return json(held); }, expression.constant);
  if (expression.operation != Operation::symbol)
    return {{operation_name(expression.operation), operands_of_formula(expression)}};
  const std::size_t dot = expression.symbol.find('.');
  const bool size = expression.symbol.substr(0, dot) == "w";
  return {{size ? "size" : "device", expression.symbol.substr(dot + 1)}};
}

json operands_of_formula(const Expression& expression) {
  json operands = json::array();
  for (const ExpressionPtr& operand : expression.operands) operands.push_back(formula_of_expression(*operand));
  return operands;
}

/// 1 + sum((shape - 1) * stride), 0 where an extent is 0.
Formula span_of(const FormulaArgument& argument) {
  Formula span = 1;
  for (std::size_t i = 0; i < argument.shape.size(); ++i)
    span = {{"+", {span, {{"*", {{{"-", {argument.shape[i], 1}}}, argument.strides[i]}}}}}};
  if (argument.shape.empty()) return span;
  json extents = argument.shape;
  return {{"select", {{{"le", {{{"min", extents}}, 0}}}, 0, span}}};
}

std::vector<Formula> dense_strides(const std::vector<Formula>& shape) {
  std::vector<Formula> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = shape[i].is_number_integer() && strides[i].is_number_integer()
                         ? Formula(shape[i].get<std::int64_t>() * strides[i].get<std::int64_t>())
                         : Formula{{"*", {strides[i], {{"max", {shape[i], 1}}}}}};
  return strides;
}

/// The names behind each $ of a text.
std::vector<std::string> dollar_names(const std::string& text) {
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  std::vector<std::string> names;
  for (std::size_t at = text.find('$'); at != std::string::npos; at = text.find('$', at + 1)) {
    std::size_t end = at + 1;
    while (end < text.size() && is_word(text[end])) ++end;
    names.push_back(text.substr(at + 1, end - at - 1));
  }
  return names;
}

class FormulaReader {
 public:
  FormulaReader(KernelManifest& kernel, VariantManifest& variant, const Candidate& candidate, const Workload& point,
                const DeviceInfo& device)
      : kernel_(kernel),
        variant_(variant),
        candidate_(candidate),
        point_(point),
        device_(device),
        names_(variant_.names(candidate.config, point)) {}

  FormulaPlan read() {
    for (const auto& [name, value] : point_.values)
      if (std::holds_alternative<bool>(value) || std::holds_alternative<std::string>(value)) plan_.fixed[name] = value;
    for (const std::string& option : variant_.options()) fix_named(option);
    read_arguments();
    if (const FunctionRef* where = domain().where ? &*domain().where : nullptr) {
      const FactsTable w(script(), "workload", symbolic_facts(point_.values, "w"));
      plan_.in_domain = formula(Reader(script(), script().call(*where, {&w}), "where"), "the domain's condition");
    }
    if (variant_.reader().function("valid") != nullptr) {
      const Node valid = traced("valid");
      plan_.valid = formula(Reader(variant_.manifest(), valid, "valid"), "valid");
    }
    if (variant_.reader().function("workspaces") != nullptr) read_workspaces(traced("workspaces"));
    for (const Node& step : traced("steps").list) read_step(step);
    std::vector<std::string> entries;
    for (const FormulaStep& step : plan_.steps)
      if (const auto* launch = std::get_if<FormulaLaunch>(&step))
        if (std::ranges::find(entries, launch->entry) == entries.end()) entries.push_back(launch->entry);
    plan_.build = variant_.build(candidate_.config, point_, std::move(entries));
    add_constants();
    return std::move(plan_);
  }

 private:
  Manifest& script() { return kernel_.script(); }
  const Domain& domain() const { return kernel_.domain(); }

  Node traced(const std::string& function) {
    return trace_function(variant_, function, candidate_.config, point_, device_);
  }

  /// A size that is named in a text is compiled in.
  void fix_named(const std::string& text) {
    for (const std::string& name : dollar_names(text))
      if (!candidate_.config.contains(name) && point_.values.contains(name)) plan_.fixed[name] = point_.values.at(name);
  }

  static Formula formula(const Reader& reader, const std::string& what) { return formula(reader, reader.node(), what); }
  static Formula formula(const Reader& reader, const Node& node, const std::string& what) {
    try {
      return formula_of(node);
    } catch (const std::domain_error&) {
      throw reader.error(fmt::format("has {} as {}, and a package needs a number or a formula of the sizes there",
                                     node.described(), what));
    }
  }

  /// A number, the name of a field, or a function of the workload.
  Formula contract_number(const Reader& reader, const Node& node, const std::string& what) {
    if (const std::string* field = node.text()) {
      const auto found = point_.values.find(*field);
      if (found == point_.values.end()) throw reader.error(fmt::format("names '{}', which no workload has", *field));
      if (const bool* flag = std::get_if<bool>(&found->second)) return *flag;
      return {{"size", *field}};
    }
    if (node.function() == nullptr) return formula(reader, node, what);
    const FactsTable w(script(), "workload", symbolic_facts(point_.values, "w"));
    return formula(reader, script().call(*node.function(), {&w}), what);
  }

  std::vector<Formula> contract_list(const Reader& reader, const Node& node, const std::string& what) {
    if (node.function() != nullptr)
      throw reader.error(fmt::format("computes its {} as a whole, which a package does not follow", what));
    std::vector<Formula> all;
    for (const Node& each : node.list) {
      if (each.kind == "sum_of") {
        const Reader sum(script(), each, reader.what() + ": sum_of");
        all.push_back(contract_number(sum, sum.need("capacity"), "capacity"));
      } else {
        all.push_back(contract_number(reader, each, what));
      }
    }
    return all;
  }

  void read_arguments() {
    const Reader kernel(script(), script().root(), "kernel");
    Sizes sizes(script(), point_);
    for (const Node& node : kernel.need("arguments").list) {
      const Reader reader(script(), node, node.kind);
      FormulaArgument argument;
      argument.name = reader.leading_name();
      if (node.kind == "scalar") {
        argument.kind = ArgumentKind::scalar;
        argument.dtype = sizes.dtype(reader, "dtype");
        argument.value = scalar_value(reader);
        plan_.arguments.push_back(std::move(argument));
        continue;
      }
      if (node.kind != "input" && node.kind != "output" && node.kind != "inout")
        throw reader.error(fmt::format("'{}' is a {}, which a package does not pass yet", argument.name, node.kind));
      argument.kind = named<ArgumentKind>(node.kind);
      argument.dtype = sizes.dtype(reader, "dtype");
      argument.shape = contract_list(reader, reader.need("shape"), "shape");
      const Node* strides = reader.find("strides");
      argument.strides =
          strides != nullptr ? contract_list(reader, *strides, "strides") : dense_strides(argument.shape);
      argument.align = reader.whole("align", 16);
      if (const Node* present = reader.find("present")) {
        const Value held = sizes.value(*present, reader, "present");
        argument.absent = held == Value(false);
        if (present->text() != nullptr) argument.present = *present->text();
      }
      plan_.arguments.push_back(std::move(argument));
    }
  }

  /// Nothing where it is no formula: w.D ^ -0.5.
  std::optional<Formula> scalar_value(const Reader& reader) {
    try {
      return contract_number(reader, reader.need("value"), "value");
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  const FormulaArgument* argument(const std::string& name) const {
    const auto found = std::ranges::find(plan_.arguments, name, &FormulaArgument::name);
    return found == plan_.arguments.end() ? nullptr : &*found;
  }
  const FormulaWorkspace* workspace(const std::string& name) const {
    const auto found = std::ranges::find(plan_.workspaces, name, &FormulaWorkspace::name);
    return found == plan_.workspaces.end() ? nullptr : &*found;
  }

  void read_workspaces(const Node& result) {
    for (const Node& node : result.list) {
      const Reader reader(variant_.manifest(), node, "workspace");
      FormulaWorkspace made;
      made.name = reader.leading_name();
      made.bytes = formula(reader, reader.need("bytes"), "bytes");
      made.align = reader.whole("align", made.align);
      made.zeroed = reader.text("init", "dirty") == "zeroed";
      plan_.workspaces.push_back(std::move(made));
    }
  }

  void add_constants() {
    const std::vector<Argument> at_point = kernel_.bare_problem(point_).arguments;
    for (const ConstantTable& table : read_constants(variant_.reader(), at_point)) {
      const FormulaArgument* const from = argument(table.from);
      if (from == nullptr || from->kind != ArgumentKind::input)
        throw variant_.reader().error(
            fmt::format("fills '{}' from '{}', which is no input, and a package fills __constant__ memory from inputs "
                        "alone",
                        table.symbol, table.from));
      const bool fixed = std::ranges::all_of(from->shape, [](const Formula& extent) { return extent.is_number(); });
      const auto stored = std::ranges::find(at_point, table.from, &Argument::name);
      const Formula bytes = fixed ? Formula(count_elements(*stored) * storage_bytes(stored->dtype))
                                  : Formula{{"*", {span_of(*from), storage_bytes(from->dtype)}}};
      plan_.constants.push_back({table.symbol, table.from, bytes});
      plan_.build.constants.push_back(table.symbol);
    }
  }

  void read_step(const Node& node) {
    const Reader reader(variant_.manifest(), node, node.kind);
    if (node.kind == "launch") plan_.steps.emplace_back(read_launch(reader));
    else if (node.kind == "memset") plan_.steps.emplace_back(read_memset(reader));
    else throw reader.error("calls a library, which a package does not; only launches and memsets can be packaged");
  }

  std::array<Formula, 3> extents(const Reader& reader, const std::string& field) {
    std::array<Formula, 3> three{1, 1, 1};
    const Node* node = reader.find(field);
    if (node == nullptr) return three;
    if (!node->table) three[0] = formula(reader, *node, field);
    else
      for (std::size_t i = 0; i < std::min<std::size_t>(3, node->list.size()); ++i)
        three[i] = formula(reader, node->list[i], field);
    return three;
  }

  FormulaLaunch read_launch(const Reader& reader) {
    FormulaLaunch launch;
    fix_named(reader.text("entry"));
    launch.entry = fill_in(reader.text("entry"), names_, reader);
    launch.grid = extents(reader, "grid");
    if (const Node* when = reader.find("when"))  // a grid of no blocks is no launch
      launch.grid[0] = {{"select", {formula(reader, *when, "when"), launch.grid[0], 0}}};
    launch.block = extents(reader, "block");
    if (variant_.builder_sets_blocks() && reader.find("block") == nullptr) launch.block[0] = 0;
    launch.cluster = extents(reader, "cluster");
    if (const Node* shared = reader.find("shared")) launch.shared = formula(reader, *shared, "shared");
    launch.cooperative = reader.flag("cooperative", false);
    launch.pdl = reader.flag("pdl", false);
    launch.resident = static_cast<int>(reader.whole("resident", 0));
    for (const Node& node : reader.need("args").list) launch.args.push_back(read_launch_argument(reader, node));
    return launch;
  }

  FormulaLaunchArgument read_launch_argument(const Reader& launch, const Node& node) {
    if (node.text() != nullptr) return FormulaPointer{*node.text(), 0};
    if (is_scalar_constructor(node.kind)) {
      static const std::map<std::string, Dtype> kTypes = {
          {"i32", Dtype::s32}, {"i64", Dtype::s64}, {"u32", Dtype::u32}, {"f32", Dtype::f32}, {"f64", Dtype::f64}};
      return FormulaScalar{kTypes.at(node.kind), formula(launch, node.list.at(0), node.kind + "()")};
    }
    const Reader reader(variant_.manifest(), node, launch.what() + ": an argument");
    if (node.kind == "tensor_map") return read_map(reader);
    FormulaPointer pointer{reader.leading_name(), 0};
    if (const Node* offset = reader.find("offset")) pointer.offset = formula(reader, *offset, "offset");
    return pointer;
  }

  std::vector<Formula> formulas_of(const Reader& reader, const std::string& field) {
    std::vector<Formula> all;
    for (const Node& node : reader.need(field).list) all.push_back(formula(reader, node, field));
    return all;
  }

  FormulaTensorMap read_map(const Reader& reader) {
    FormulaTensorMap map;
    map.of = reader.leading_name();
    if (const FormulaArgument* of = argument(map.of)) {
      map.dtype = of->dtype;
      map.shape = of->shape;
      map.strides = of->strides;
    }
    if (reader.find("dtype") != nullptr) map.dtype = parse_dtype(reader.text("dtype")).value_or(map.dtype);
    if (reader.find("shape") != nullptr) {
      map.shape = formulas_of(reader, "shape");
      map.strides = dense_strides(map.shape);
    }
    if (reader.find("strides") != nullptr) map.strides = formulas_of(reader, "strides");
    map.box = formulas_of(reader, "box");
    map.swizzle = reader.text("swizzle", "none");
    map.promotion = reader.text("promotion", "none");
    return map;
  }

  FormulaMemset read_memset(const Reader& reader) {
    FormulaMemset memset;
    memset.target = reader.leading_name();
    if (const Node* offset = reader.find("offset")) memset.offset = formula(reader, *offset, "offset");
    memset.value = static_cast<int>(reader.whole("value", 0));
    if (const Node* bytes = reader.find("bytes")) {
      memset.bytes = formula(reader, *bytes, "bytes");
      return memset;
    }
    Formula whole = 0;
    if (const FormulaWorkspace* found = workspace(memset.target)) whole = found->bytes;
    else if (const FormulaArgument* output = argument(memset.target))
      whole = {{"*", {span_of(*output), storage_bytes(output->dtype)}}};
    memset.bytes = {{"max", {{{"-", {whole, memset.offset}}}, 0}}};
    return memset;
  }

  KernelManifest& kernel_;
  VariantManifest& variant_;
  const Candidate& candidate_;
  const Workload& point_;
  const DeviceInfo& device_;
  std::map<std::string, Value> names_;
  FormulaPlan plan_;
};

}  // namespace

Formula formula_of(const Node& node) {
  if (const ExpressionPtr* expression = node.expression()) return formula_of_expression(**expression);
  if (!node.table && node.text() == nullptr && node.value())
    return std::visit([](const auto& held) { return json(held); }, *node.value());
  throw std::domain_error("is no formula");
}

FormulaPlan formula_plan(KernelManifest& kernel, VariantManifest& variant, const Candidate& candidate,
                         const Workload& point, const DeviceInfo& device) {
  return FormulaReader(kernel, variant, candidate, point, device).read();
}

std::vector<FieldLimits> field_limits(const KernelManifest& kernel) {
  std::vector<FieldLimits> all;
  for (const auto& [name, value] : kernel.workloads().front().values) {
    FieldLimits limits;
    limits.name = name;
    limits.example = value;
    const auto found = kernel.domain().fields.find(name);
    limits.bounded = found != kernel.domain().fields.end();
    if (limits.bounded) {
      limits.listed = !found->second.values.empty();
      limits.values = found->second.values;
      limits.lo = found->second.lo;
      limits.hi = found->second.hi;
      limits.step = found->second.step;
    }
    all.push_back(std::move(limits));
  }
  return all;
}

}  // namespace harness::script
