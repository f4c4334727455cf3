#include "harness/flashinfer/cuda_solution.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "harness/core/error.h"
#include "harness/core/match.h"
#include "harness/flashinfer/formula_source.h"
#include "harness/package/inlined.h"
#include "harness/package/launcher/formula_text.h"
#include "harness/package/resolved.h"

namespace harness::flashinfer {
namespace {

using package::c_name;

constexpr const char* kIncludes =
    "#include <ATen/cuda/CUDAContext.h>\n#include <torch/extension.h>\n\n#include <algorithm>\n#include <cstdint>\n\n";

constexpr const char* kAddress =
    "namespace {\n\n// A tensor's memory as whatever pointer a kernel takes.\nstruct Address {\n  void* at;\n"
    "  template <typename T>\n  operator T*() const {\n    return static_cast<T*>(at);\n  }\n};\n\n}  // namespace\n\n";

class SolutionWriter {
 public:
  SolutionWriter(const FormulaPlan& plan, const std::vector<HostParameter>& parameters)
      : plan_(plan), given_(parameters) {}

  std::string host() {
    std::string body = sizes();
    body += "  const cudaStream_t stream = at::cuda::getCurrentCUDAStream().stream();\n";
    for (const FormulaWorkspace& scratch : plan_.workspaces) body += workspace(scratch);
    for (const FormulaConstant& constant : plan_.constants)
      body += fmt::format("  cudaMemcpyToSymbolAsync({}, {}, {}, 0, cudaMemcpyDeviceToDevice, stream);\n",
                          at_file_scope(constant.symbol), place({constant.from, 0}), host_source(constant.bytes));
    for (const FormulaStep& step : plan_.steps)
      body += std::visit(Match{[&](const FormulaLaunch& launch) { return launched(launch); },
                               [&](const FormulaMemset& memset) {
                                 return fmt::format("  cudaMemsetAsync({}, {}, {}, stream);\n",
                                                    place({memset.target, memset.offset}), memset.value,
                                                    host_source(memset.bytes));
                               }},
                         step);
    return fmt::format(
        "void run({}) {{\n{}}}\n\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {{\n  m.def(\"run\", &run);\n}}\n",
        parameters(), body);
  }

 private:
  /// Inputs and numbers in the contract's order, which is the definition's, then outputs.
  std::string parameters() const {
    std::vector<std::string> inputs, outputs;
    for (const HostParameter& parameter : given_)
      inputs.push_back((parameter.tensor  ? "torch::Tensor "
                        : parameter.whole ? "int64_t "
                                          : "double ") +
                       c_name(parameter.name));
    if (!given_.empty()) return fmt::format("{}", fmt::join(inputs, ", "));
    for (const FormulaArgument& argument : plan_.arguments) {
      if (argument.absent) continue;
      if (argument.kind == ArgumentKind::scalar)
        inputs.push_back(
            fmt::format("{} {}", is_floating(argument.dtype) ? "double" : "int64_t", c_name(argument.name)));
      else if (argument.kind == ArgumentKind::output) outputs.push_back("torch::Tensor " + c_name(argument.name));
      else if (argument.kind == ArgumentKind::input) inputs.push_back("torch::Tensor " + c_name(argument.name));
      else
        throw bad_input(fmt::format("'{}' is changed in place, which a definition of FlashInfer-Bench does not say",
                                    argument.name));
    }
    inputs.insert(inputs.end(), outputs.begin(), outputs.end());
    return fmt::format("{}", fmt::join(inputs, ", "));
  }

  /// A variable for each size that the shape of a tensor states.
  std::string sizes() const {
    std::map<std::string, std::string> stated;
    for (const FormulaArgument& argument : plan_.arguments) {
      if (argument.absent || argument.kind == ArgumentKind::scalar) continue;
      for (std::size_t d = 0; d < argument.shape.size(); ++d)
        if (const Formula& extent = argument.shape[d]; extent.is_object() && extent.contains("size"))
          stated.emplace(extent.at("size").get<std::string>(), fmt::format("{}.size({})", c_name(argument.name), d));
    }
    std::string text;
    for (const auto& [size, from] : stated) text += fmt::format("  const int64_t {} = {};\n", size, from);
    for (const auto& [size, value] : plan_.fixed) {
      if (stated.contains(size)) continue;
      if (const auto* const whole = std::get_if<std::int64_t>(&value))
        text += fmt::format("  constexpr int64_t {} = {};\n", size, *whole);
      if (const auto* const flag = std::get_if<bool>(&value))
        text += fmt::format("  constexpr int64_t {} = {};\n", size, *flag ? 1 : 0);
    }
    return text;
  }

  std::string workspace(const FormulaWorkspace& scratch) const {
    return fmt::format(
        "  torch::Tensor {0} = torch::{1}({{{2}}}, "
        "torch::TensorOptions().dtype(torch::kUInt8).device(torch::kCUDA));\n",
        c_name(scratch.name), scratch.zeroed ? "zeros" : "empty", host_source(scratch.bytes));
  }

  static std::string place(const FormulaPointer& pointer) {
    const std::string base = c_name(pointer.name) + ".data_ptr()";
    return pointer.offset == Formula(0) ? base
                                        : fmt::format("static_cast<char*>({}) + {}", base, host_source(pointer.offset));
  }

  std::string passed(const FormulaLaunchArgument& argument) const {
    return std::visit(
        Match{[&](const FormulaPointer& pointer) -> std::string {
                const auto argument = std::ranges::find(plan_.arguments, pointer.name, &FormulaArgument::name);
                if (argument != plan_.arguments.end() && argument->absent) return "nullptr";
                if (argument != plan_.arguments.end() && argument->kind == ArgumentKind::scalar)
                  return fmt::format("static_cast<{}>({})", scalar_type(argument->dtype), c_name(pointer.name));
                return fmt::format("Address{{{}}}", place(pointer));
              },
              [&](const FormulaScalar& scalar) -> std::string {
                return fmt::format("static_cast<{}>({})", scalar_type(scalar.dtype), host_source(scalar.value));
              },
              [](const FormulaTensorMap& map) -> std::string {
                throw bad_input(
                    fmt::format("a launch takes a tensor map of '{}', which a solution does not make", map.of));
              }},
        argument);
  }

  /// A parameter of the function may have the same name.
  static std::string at_file_scope(const std::string& symbol) {
    return symbol.starts_with("::") ? symbol : "::" + symbol;
  }

  static std::string scalar_type(Dtype dtype) {
    if (dtype == Dtype::b8) return "bool";
    if (dtype == Dtype::f32) return "float";
    if (dtype == Dtype::f64) return "double";
    if (dtype == Dtype::s32) return "int";
    if (dtype == Dtype::u32) return "unsigned int";
    if (dtype == Dtype::s64) return "int64_t";
    throw bad_input(fmt::format("a launch passes a number of type {}, which a solution does not", name(dtype)));
  }

  static std::string three(const std::array<Formula, 3>& list) {
    return fmt::format("{}, {}, {}", host_source(list[0]), host_source(list[1]), host_source(list[2]));
  }

  std::string launched(const FormulaLaunch& launch) {
    const Formula& blocks = launch.grid[0];
    if (blocks.is_object() && blocks.contains("select") && blocks.at("select").at(2) == Formula(0))
      throw bad_input(fmt::format("'{}' is launched at some sizes only, which a solution does not do", launch.entry));
    if (launch.cluster != std::array<Formula, 3>{1, 1, 1} || launch.cooperative || launch.pdl)
      throw bad_input(
          fmt::format("'{}' is launched in clusters, cooperatively or ahead of its predecessor, which a "
                      "solution does not do",
                      launch.entry));
    std::vector<std::string> arguments;
    for (const FormulaLaunchArgument& argument : launch.args) arguments.push_back(passed(argument));
    std::string text;
    const std::string shared = host_source(launch.shared);
    if (launch.shared != Formula(0))
      text += fmt::format(
          "  cudaFuncSetAttribute({}, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>({}));\n",
          launch.entry, shared);
    const std::string number = launches_++ == 0 ? "" : std::to_string(launches_);
    text += fmt::format("  const dim3 grid{}({});\n  const dim3 block{}({});\n", number, three(launch.grid), number,
                        three(launch.block));
    return text + fmt::format("  {}<<<grid{}, block{}, {}, stream>>>({});\n", launch.entry, number, number, shared,
                              fmt::join(arguments, ", "));
  }

  const FormulaPlan& plan_;
  const std::vector<HostParameter>& given_;
  int launches_ = 0;
};

}  // namespace

std::string cuda_solution_source(const FormulaPlan& plan, const std::string& head,
                                 const std::vector<HostParameter>& parameters) {
  const std::string host = SolutionWriter(plan, parameters).host();
  return head + kIncludes + package::define_lines(plan.build) +
         package::inline_headers(plan.build, package::Outside::stay).text + "\n" + kAddress + host;
}

}  // namespace harness::flashinfer
