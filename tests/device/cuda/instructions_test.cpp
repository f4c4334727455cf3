#include <catch2/catch.hpp>
#include <cstring>

#include "harness/device/cuda/compile/compiler.h"
#include "harness/device/cuda/probe.h"
#include "harness/device/cuda/session.h"
#include "tests/device/cuda/on_gpu.h"
#include "tests/device/cuda/scratch.h"
#include "tests/device/instructions_sm90.h"

// The same kernels, inputs and expected bits as on the cpu device.
using namespace harness;
using namespace harness::cuda;
using namespace harness::test;

namespace {

BuildResult build_instructions(const std::string& cache, const std::string& architecture, const char* source,
                               const std::vector<std::string>& entries) {
  NvrtcCompiler compiler(cache, architecture, find_toolkit_include());
  BuildSpec spec{"instructions.cu", source, entries};
  spec.include_dirs = {HARNESS_SOURCE_DIR "/kernels/include"};
  return compiler.build(spec);
}

std::vector<std::uint32_t> run_instruction(CudaSession& session, const Artifact& artifact, const std::string& entry,
                                           const std::vector<std::uint32_t>& in, std::size_t out, unsigned threads = 32,
                                           const std::vector<TensorMap>& maps = {}) {
  Executable executable;
  executable.artifact = artifact;
  const auto in_bytes = static_cast<std::int64_t>(4 * in.size()), out_bytes = static_cast<std::int64_t>(4 * out);
  const std::int64_t place = (in_bytes + 4095) / 4096 * 4096;
  executable.layout = {place + out_bytes, {{"in", 0, in_bytes, false}, {"out", place, out_bytes, true}}, {}};
  Launch launch;
  launch.entry = entry;
  launch.block.x = threads;
  launch.args = {NamedArgument{"in"}, NamedArgument{"out"}};
  for (const TensorMap& map : maps) launch.args.emplace_back(map);
  executable.plan.steps = {launch};
  std::vector<std::byte> image(static_cast<std::size_t>(executable.layout.bytes));
  std::memcpy(image.data(), in.data(), 4 * in.size());
  session.run(executable, image);
  std::vector<std::uint32_t> got(out);
  std::memcpy(got.data(), image.data() + place, 4 * out);
  return got;
}

std::string compare_instructions() {
  const Scratch scratch;
  const BuildResult built = build_instructions(scratch.path("cache"), probe_cuda().at(0).architecture,
                                               kInstructionSource, instruction_entries());
  if (const auto* failure = std::get_if<CompileFailure>(&built)) return failure->log;
  const auto& artifact = std::get<Artifact>(built);
  CudaSession session(0);
  std::string wrong;
  for (const InstructionCase& test : instruction_cases())
    if (run_instruction(session, artifact, test.entry, test.in, test.expected.size()) != test.expected)
      wrong += test.entry + " differs; ";
  const auto powers = [&](const char* entry) {
    return run_instruction(session, artifact, entry, exp2_arguments(), 32);
  };
  if (!are_powers_of_two(powers("exp2_of"), kExp2Error)) wrong += "exp2_approx is far off; ";
  if (!are_powers_of_two(powers("exp2_polynomial_of"), kExp2PolynomialError)) wrong += "exp2_polynomial is far off";
  return wrong.empty() ? "the same bits" : wrong;
}

std::string compare_sm90() {
  const Scratch scratch;
  const std::string architecture = probe_cuda().at(0).architecture;
  if (architecture != "sm_90a") return "another architecture";
  const BuildResult built = build_instructions(scratch.path("cache"), architecture, kSm90Source, sm90_entries());
  if (const auto* failure = std::get_if<CompileFailure>(&built)) return failure->log;
  const auto& artifact = std::get<Artifact>(built);
  CudaSession session(0);
  std::string wrong;
  for (const auto& [basic, threads, maps] : sm90_cases()) {
    const std::string differs =
        difference(run_instruction(session, artifact, basic.entry, basic.in, basic.expected.size(), threads, maps),
                   basic.expected);
    if (!differs.empty()) wrong += basic.entry + ": " + differs + "; ";
  }
  return wrong.empty() ? "the same bits" : wrong;
}

void compiles_for_an_h200(const char* source, const std::vector<std::string>& entries) {
  if (!nvrtc_available()) return tests::skip("no NVRTC");
  const Scratch scratch;
  const BuildResult built = build_instructions(scratch.path("cache"), "sm_90a", source, entries);
  const auto* const failure = std::get_if<CompileFailure>(&built);
  CHECK((failure ? failure->log : "") == "");
}

}  // namespace

TEST_CASE("each warp instruction gives the same bits on a GPU as on the cpu device", "[gpu]") {
  if (no_gpu()) return;
  CHECK(in_child(compare_instructions) == "the same bits");
}

TEST_CASE("each instruction of sm_90 gives the same bits on a GPU as on the cpu device", "[gpu]") {
  if (no_gpu()) return;
  const std::string seen = in_child(compare_sm90);
  if (seen == "another architecture") return tests::skip("the GPU is no sm_90");
  CHECK(seen == "the same bits");
}

TEST_CASE("NVRTC compiles the wrappers of the warp instructions for an H200") {
  compiles_for_an_h200(kInstructionSource, instruction_entries());
}

TEST_CASE("NVRTC compiles the wrappers of the instructions of sm_90") {
  compiles_for_an_h200(kSm90Source, sm90_entries());
}
