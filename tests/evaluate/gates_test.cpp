#include "harness/evaluate/gates.h"

#include <catch2/catch.hpp>

using namespace harness;

namespace {

Realized one_launch(std::uint32_t block, std::int64_t shared) {
  Realized realized;
  Argument x;
  x.name = "x";
  x.shape = {16};
  x.strides = {1};
  realized.problem.arguments = {x};
  Launch launch;
  launch.entry = "f";
  launch.block.x = block;
  launch.shared = shared;
  launch.args = {NamedArgument{"x", 0}, ScalarArgument{Dtype::s32, std::int64_t{3}}};
  realized.plan.steps = {launch};
  return realized;
}

Artifact compiled(std::vector<std::int64_t> parameters, int registers = 32) {
  Artifact artifact;
  EntryResources entry;
  entry.entry = "f";
  entry.registers = registers;
  entry.parameter_bytes = std::move(parameters);
  artifact.entries = {entry};
  artifact.code_hash = "c";
  return artifact;
}

DeviceInfo device() {
  DeviceInfo info;
  info.max_shared_bytes = 1000;
  return info;
}

}  // namespace

TEST_CASE("argument sizes are compared with the compiled parameters") {
  CHECK(check_arguments(one_launch(32, 0), compiled({8, 4})).passed);
  const GateResult wrong = check_arguments(one_launch(32, 0), compiled({8, 8}));
  CHECK_FALSE(wrong.passed);
  CHECK(wrong.detail == "f: parameter 2 has 8 bytes and is given s32 scalar (4 bytes)");
  CHECK_FALSE(check_arguments(one_launch(32, 0), compiled({8})).passed);
}

TEST_CASE("a number is not handed to a parameter that reads its bits as something else") {
  const auto with = [](ParameterKind kind, LaunchArgument argument) {
    Realized realized = one_launch(32, 0);
    std::get<Launch>(realized.plan.steps.front()).args[1] = std::move(argument);
    Artifact artifact = compiled({8, 4});
    artifact.entries[0].parameter_kinds = {ParameterKind::pointer, kind};
    return check_arguments(realized, artifact);
  };
  const ScalarArgument whole{Dtype::s32, std::int64_t{3}}, real{Dtype::f32, 3.0};
  CHECK(with(ParameterKind::integer, whole).passed);
  CHECK(with(ParameterKind::floating, real).passed);
  CHECK(with(ParameterKind::unknown, whole).passed);
  CHECK(
      with(ParameterKind::floating, whole).detail ==
      "f: parameter 2 is a floating-point number and is given s32 scalar, whose bits would be read as something else");
  CHECK_FALSE(with(ParameterKind::integer, real).passed);
  CHECK_FALSE(with(ParameterKind::pointer, whole).passed);
}

TEST_CASE("a block beyond the launch bounds is refused with the reason") {
  Artifact artifact = compiled({});
  artifact.entries[0].max_threads = 128;
  CHECK(check_resources(one_launch(128, 0), artifact, device()).passed);
  CHECK(check_resources(one_launch(256, 0), artifact, device()).detail ==
        "f: a block of 256 threads, the limit is 128 (its __launch_bounds__ or its registers)");
}

TEST_CASE("resources are compared with the device") {
  CHECK(check_resources(one_launch(1024, 1000), compiled({}), device()).passed);
  CHECK(check_resources(one_launch(1025, 0), compiled({}), device()).detail.find("1025 threads") != std::string::npos);
  CHECK_FALSE(check_resources(one_launch(32, 1001), compiled({}), device()).passed);
  CHECK_FALSE(check_resources(one_launch(1024, 0), compiled({}, 65), device()).passed);
  auto clustered = one_launch(32, 0);
  auto& launch = std::get<Launch>(clustered.plan.steps.front());
  launch.grid = {6};
  launch.cluster = {2};
  CHECK(check_resources(clustered, compiled({}), device()).passed);
  launch.cluster = {4};
  CHECK(check_resources(clustered, compiled({}), device()).detail.find("no multiple of its cluster of 4 x 1 x 1") !=
        std::string::npos);
}

TEST_CASE("launches are told a line a step") {
  Realized realized = one_launch(256, 4096);
  auto& launch = std::get<Launch>(realized.plan.steps.front());
  launch.grid = {6, 2};
  launch.cluster = {2};
  launch.pdl = true;
  const std::string first =
      launch.entry + " grid 6x2 block 256 cluster 2 shared 4096 B may begin before the one before it ends";
  CHECK(launches_text(compiled({}), realized.plan) == first);
  realized.plan.steps.push_back(Memset{"partial", 0, 64, 0});
  for (int step = 0; step < 30; ++step) realized.plan.steps.push_back(LibraryCall{"cublaslt", "matmul"});
  const std::string text = launches_text(compiled({}), realized.plan);
  CHECK(text.starts_with(first + "\nmemset partial 64 B\ncublaslt matmul\n"));
  CHECK(text.ends_with("\nand 12 more"));
}

TEST_CASE("identity is machine code and launches together") {
  const Artifact artifact = compiled({});
  CHECK(binary_identity(artifact, one_launch(32, 0).plan) == binary_identity(artifact, one_launch(32, 0).plan));
  CHECK(binary_identity(artifact, one_launch(32, 0).plan) != binary_identity(artifact, one_launch(64, 0).plan));
}
