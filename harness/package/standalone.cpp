#include "harness/package/standalone.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/core/embedded.h"
#include "harness/core/error.h"
#include "harness/package/launch_list.h"
#include "harness/package/literals.h"
#include "harness/package/resolved.h"
#include "harness/package/standalone_data.h"
#include "harness/package/standalone_side.h"

namespace harness::package {
namespace {

constexpr EmbeddedText kStandaloneTexts[] = {
#include "embedded/harness/package.table"
};

constexpr const char* kValues = text_of(kStandaloneTexts, "standalone_values.cu");
constexpr const char* kInputs = text_of(kStandaloneTexts, "standalone_inputs.cu");
constexpr const char* kLaunches = text_of(kStandaloneTexts, "standalone_launches.cu");
constexpr const char* kTensorMaps = text_of(kStandaloneTexts, "standalone_tensor_maps.cu");
constexpr const char* kComparison = text_of(kStandaloneTexts, "standalone_comparison.cu");
constexpr const char* kContender = text_of(kStandaloneTexts, "standalone_contender.cu");

constexpr const char* kHeaders =
    "#include <cuda_runtime.h>\n\n#include <algorithm>\n#include <cmath>\n#include <cstddef>\n#include <cstdio>\n"
    "#include <cstdlib>\n#include <cstring>\n#include <deque>\n#include <functional>\n#include <initializer_list>\n"
    "#include <map>\n#include <string>\n#include <utility>\n#include <vector>\n";

/// One program is compiled with one set of options.
void require_same_options(const Realized& original, const Realized& winner) {
  const auto a = without_standard(original.build.options), b = without_standard(winner.build.options);
  if (a != b)
    throw bad_input(
        fmt::format("'{}' is compiled with the options [{}] and '{}' with [{}], and one program has one set "
                    "of options; show --source --resolved prints each by itself",
                    original.candidate.variant, fmt::join(a, " "), winner.candidate.variant, fmt::join(b, " ")));
}

std::string program_head(const Realized& original, const Realized& winner, const Origin& origin) {
  std::string text;
  const auto line = [&text](const std::string& words) { text += comment(words) + '\n'; };
  line(fmt::format("{} on {}: the kernel's original beside a winner", winner.problem.kernel,
                   winner.problem.workload.name));
  line(fmt::format("original: {}", candidate_text(original.candidate)));
  line(fmt::format("winner:   {}, {}", candidate_text(winner.candidate), origin.evaluation));
  line(fmt::format("contract {}, source {}, written by {}", origin.contract_hash, winner.source_hash, origin.program));
  if (origin.architecture.empty())
    line("It was evaluated on no GPU: grids that depend on the device are those of the emulation.");
  text += "//\n";
  line(fmt::format("{} FILE.cu -o compare && ./compare", nvcc_command(winner.build.options, origin.architecture)));
  text += "//\n";
  line("It needs CUDA 12 and nothing of harness. Inputs come from a simple generator, always the same; harness");
  line("judged on others. Errors are those of the winner against the original, which is no proof that either is");
  line("right. Times are of the GPU, by events around graphs of calls on the same memory, in turns.");
  return text + '\n';
}

std::string main_text(const Realized& original, const Realized& winner) {
  const ProgramData data = standalone_data(original, winner);
  return fmt::format(
      "\nint main() {{\n  using namespace standalone;\n  cudaDeviceProp device;\n"
      "  check(cudaGetDeviceProperties(&device, 0), \"cudaGetDeviceProperties\");\n"
      "  std::printf(\"%s on %s\\n\", {}, device.name);\n"
      "  cudaStream_t stream = nullptr;\n  check(cudaStreamCreate(&stream), \"cudaStreamCreate\");\n"
      "  Contender original{{{}, &::original::one_call}};\n  Contender winner{{{}, &::winner::one_call}};\n\n{}\n"
      "  check(cudaDeviceSynchronize(), \"cudaDeviceSynchronize\");  // what the default stream copied is there\n"
      "  original.run_once(stream);\n  winner.run_once(stream);\n  bool finite = true;\n{}"
      "  time_in_turns(original, winner, stream);\n  return finite ? 0 : 1;\n}}\n",
      quoted(winner.problem.kernel + " " + winner.problem.workload.name), quoted(candidate_text(original.candidate)),
      quoted(candidate_text(winner.candidate)), data.memory, data.compare);
}

}  // namespace

std::string standalone_program(const Realized& original, const Realized& winner, const Origin& origin) {
  require_same_options(original, winner);
  const Side first = standalone_side("original", original), second = standalone_side("winner", winner);
  const bool maps = first.maps || second.maps;
  std::string text = program_head(original, winner, origin) + kHeaders;
  if (maps) text += "#include <cuda.h>\n";
  text += first.outside + second.outside + "\nnamespace standalone {\n";
  for (const char* part : {kValues, kInputs, kLaunches, maps ? kTensorMaps : "", kComparison, kContender})
    text += std::string("\n") + part;
  text += "\n}  // namespace standalone\n\n" + first.text + '\n' + second.text;
  return text + main_text(original, winner);
}

}  // namespace harness::package
