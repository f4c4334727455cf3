#include "harness/adopt/observe/reference_launch.h"

#include <fmt/format.h>

#include "harness/adopt/observe/observed_launch.h"

namespace harness::adopt {

std::string reference_entry(std::size_t i) {
  return i == 0 ? "reference" : fmt::format("reference_{}", i + 1);
}

ObservedLaunch reference_launch(const AdoptedKernel& kernel, const Values& sizes, unsigned fill, bool serial) {
  ObservedLaunch observed = launch_at(kernel, "reference", sizes, fill, true);
  Launch& launch = observed.launch;
  std::vector<LaunchArgument> arguments, scratch;
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const AdoptedParameter& parameter = kernel.parameters[i];
    if (parameter.kind == Param::size || parameter.kind == Param::derived) continue;
    if (!is_passed(parameter)) {
      if (serial) arguments.emplace_back(NamedArgument{parameter.name, 0});
      continue;
    }
    LaunchArgument argument = launch.args[i];
    if (parameter.kind == Param::real) argument = ScalarArgument{parameter.dtype, parameter.value};
    (parameter.kind == Param::scratch ? scratch : arguments).push_back(std::move(argument));
  }
  for (const AdoptedSize& size : kernel.sizes)
    arguments.emplace_back(ScalarArgument{Dtype::s64, sizes.at(size.symbol)});
  if (serial) {
    observed.further.clear();
    observed.constants.clear();  // a function of the host is given them
    launch.grid = launch.block = Dim3{1, 1, 1};
    launch.shared = 0;
  } else {
    arguments.insert(arguments.end(), scratch.begin(), scratch.end());
  }
  const std::vector<std::size_t> launched = point_of(kernel, sizes).reached();
  if (!serial && !launched.empty()) launch.entry = reference_entry(launched[0]);
  for (std::size_t i = 0; i < observed.further.size(); ++i) {
    observed.further[i].entry = reference_entry(launched[i + 1]);
    observed.further[i].args = arguments;
  }
  launch.args = std::move(arguments);
  return observed;
}

}  // namespace harness::adopt
