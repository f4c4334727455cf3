#include "harness/package/launcher/plan_code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/match.h"

namespace harness::package {
namespace {

int map_type(Dtype dtype, const std::string& of) {
  static const std::map<Dtype, int> kTypes = {{Dtype::u8, 0},   {Dtype::s8, 0},  {Dtype::b8, 0},  {Dtype::e4m3, 0},
                                              {Dtype::e5m2, 0}, {Dtype::u16, 1}, {Dtype::s16, 1}, {Dtype::u32, 2},
                                              {Dtype::s32, 3},  {Dtype::u64, 4}, {Dtype::s64, 5}, {Dtype::f16, 6},
                                              {Dtype::f32, 7},  {Dtype::f64, 8}, {Dtype::bf16, 9}};
  const auto type = kTypes.find(dtype);
  if (type == kTypes.end()) throw bad_input(fmt::format("there is no tensor map of type {} ('{}')", name(dtype), of));
  return type->second;
}

template <typename List>
int place_in(const List& list, const std::string& text) {
  return static_cast<int>(std::ranges::find(list, text) - list.begin());
}

class PlanWriter {
 public:
  PlanWriter(const FormulaPlan& plan, const SizeTypes& types) : plan_(plan), types_(types) {}

  PlanCode write() {
    code_.inside = condition(plan_.in_domain);
    code_.valid = condition(plan_.valid);
    code_.bytes = workspace_bytes();
    code_.run = run();
    return std::move(code_);
  }

 private:
  std::string whole(const Formula& formula) const { return whole_text(formula, types_); }

  std::string condition(const Formula& formula) const {
    return fmt::format("  Fault f;\n  const bool holds = {};\n  return holds && !f.seen;\n",
                       truth_text(formula, types_));
  }

  std::string workspace_bytes() const {
    if (plan_.workspaces.empty()) return "  return 0;\n";
    std::string text = "  int64_t end = 0, bytes = 0;\n";
    for (const FormulaWorkspace& workspace : plan_.workspaces)
      text += fmt::format("  bytes = {};\n  end = add(placed(f, end, {}, bytes), bytes);\n", whole(workspace.bytes),
                          workspace.align);
    return text + "  return end;\n";
  }

  static std::string scratch(const std::string& name) { return "scratch_" + c_name(name); }

  std::string run() {
    std::string text = "  const Sizes& w = c.w;\n  const Limits& d = c.d;\n  Fault& f = c.fault;\n";
    text += "  (void)w;\n  (void)d;\n  (void)f;\n";
    if (!plan_.workspaces.empty()) text += "  int64_t at = 0, end = 0, bytes = 0;\n";
    for (const FormulaWorkspace& workspace : plan_.workspaces) {
      text += fmt::format("  bytes = {};\n  at = placed(f, end, {}, bytes);\n  end = add(at, bytes);\n",
                          whole(workspace.bytes), workspace.align);
      text += fmt::format("  char* const {} = c.workspace + at;\n  (void){};\n", scratch(workspace.name),
                          scratch(workspace.name));
      if (workspace.zeroed)
        text += fmt::format("  if (const Status s = fill(c, {}, 0, bytes, 0)) return s;\n", scratch(workspace.name));
    }
    for (std::size_t i = 0; i < plan_.constants.size(); ++i)
      text += fmt::format("  if (const Status s = copy_constant(c, {}, {}, {})) return s;\n", i,
                          address(plan_.constants[i].from), whole(plan_.constants[i].bytes));
    for (const FormulaStep& step : plan_.steps)
      text += std::visit(Match{[&](const FormulaLaunch& launch) { return launch_text(launch); },
                               [&](const FormulaMemset& memset) {
                                 return fmt::format("  if (const Status s = fill(c, {}, {}, {}, {})) return s;\n",
                                                    address(memset.target), whole(memset.offset), whole(memset.bytes),
                                                    memset.value);
                               }},
                         step);
    return text + "  return kOk;\n";
  }

  const FormulaArgument* argument(const std::string& name) const {
    const auto position = std::ranges::find(plan_.arguments, name, &FormulaArgument::name);
    return position == plan_.arguments.end() ? nullptr : &*position;
  }

  std::string address(const std::string& name) const {
    const FormulaArgument* declared = argument(name);
    if (declared == nullptr) return scratch(name);
    return declared->absent ? "nullptr" : "c.a." + c_name(name);
  }

  std::string three(const std::array<Formula, 3>& list) const {
    return fmt::format("{}, {}, {}", whole(list[0]), whole(list[1]), whole(list[2]));
  }

  /// Is there no launch at some sizes? Its grid is then select(condition, blocks, 0).
  static bool conditional(const FormulaLaunch& launch) {
    const Formula& blocks = launch.grid[0];
    return blocks.is_object() && blocks.contains("select") && blocks.at("select").at(2) == Formula(0);
  }

  std::string launch_text(const FormulaLaunch& launch) {
    code_.parameters = std::max(code_.parameters, launch.args.size());
    const std::string when = conditional(launch) ? fmt::format("if ({} != 0) ", whole(launch.grid[0])) : "";
    std::string text = fmt::format("  {}{{\n    Launch l(c);\n    l.grid({});\n    l.block({});\n", when,
                                   three(launch.grid), three(launch.block));
    if (launch.cluster != std::array<Formula, 3>{1, 1, 1})
      text += fmt::format("    l.cluster({});\n", three(launch.cluster));
    if (launch.shared != Formula(0)) text += fmt::format("    l.shared({});\n", whole(launch.shared));
    if (launch.cooperative) text += "    l.cooperative();\n";
    if (launch.pdl) text += "    l.programmatic();\n";
    if (launch.resident > 0) text += fmt::format("    l.resident({});\n", launch.resident);
    for (const FormulaLaunchArgument& argument_formula : launch.args)
      text += std::visit(Match{[&](const FormulaPointer& pointer) { return pointer_text(pointer); },
                               [&](const FormulaScalar& scalar) { return scalar_text(scalar); },
                               [&](const FormulaTensorMap& map) { return map_text(map); }},
                         argument_formula);
    return text + fmt::format("    if (const Status s = l.go({})) return s;\n  }}\n", launches_++);
  }

  std::string pointer_text(const FormulaPointer& pointer) const {
    const FormulaArgument* declared = argument(pointer.name);
    if (declared != nullptr && declared->kind == ArgumentKind::scalar)
      return fmt::format("    l.value(c.a.{});\n", c_name(pointer.name));
    if (pointer.name.empty() || (declared != nullptr && declared->absent)) return "    l.value((void*)nullptr);\n";
    return fmt::format("    l.pointer({}, {});\n", address(pointer.name), whole(pointer.offset));
  }

  std::string scalar_text(const FormulaScalar& scalar) const {
    switch (scalar.dtype) {
      case Dtype::s32:
        return fmt::format("    l.value(fit_s32(f, {}));\n", whole(scalar.value));
      case Dtype::u32:
        return fmt::format("    l.value(fit_u32(f, {}));\n", whole(scalar.value));
      case Dtype::s64:
        return fmt::format("    l.value((int64_t)({}));\n", whole(scalar.value));
      case Dtype::f32:
        return fmt::format("    l.value((float)({}));\n", real_text(scalar.value, types_));
      case Dtype::f64:
        return fmt::format("    l.value((double)({}));\n", real_text(scalar.value, types_));
      default:
        throw bad_input(
            fmt::format("a launch passes a scalar of type {}, which a package does not", name(scalar.dtype)));
    }
  }

  std::string reversed(std::vector<Formula> list, int scale) const {
    std::ranges::reverse(list);
    std::vector<std::string> texts;
    for (const Formula& formula : list)
      texts.push_back(scale == 1 ? whole(formula) : fmt::format("mul({}, (int64_t){})", whole(formula), scale));
    return fmt::format("{{{}}}", fmt::join(texts, ", "));
  }

  std::string map_text(const FormulaTensorMap& map) const {
    const std::size_t rank = map.shape.size();
    if (rank == 0 || rank > 5 || map.strides.size() != rank || map.box.size() != rank)
      throw bad_input(fmt::format("the tensor map of '{}' has no shape, strides and box of 1 to 5 dimensions", map.of));
    return fmt::format(
        "    {{\n      const int64_t extents[] = {}, strides[] = {}, box[] = {};\n"
        "      if (const Status s = l.map({}, {}, extents, strides, box, {}, {})) return s;\n    }}\n",
        reversed(map.shape, 1), reversed(map.strides, storage_bytes(map.dtype)), reversed(map.box, 1), address(map.of),
        map_type(map.dtype, map.of), place_in(kSwizzles, map.swizzle), place_in(kPromotions, map.promotion));
  }

  const FormulaPlan& plan_;
  const SizeTypes& types_;
  PlanCode code_;
  int launches_ = 0;
};

}  // namespace

PlanCode plan_code(const FormulaPlan& plan, const SizeTypes& types) {
  return PlanWriter(plan, types).write();
}

}  // namespace harness::package
