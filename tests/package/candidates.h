#pragma once
#include <string>
#include <utility>
#include <vector>

#include "harness/core/catalog.h"

// Candidates made by hand: y and z of n floats from x.
namespace harness::package::test {

inline Argument tensor(const std::string& name, ArgumentKind kind, std::vector<std::int64_t> shape,
                       Dtype dtype = Dtype::f32) {
  Argument argument;
  argument.name = name;
  argument.kind = kind;
  argument.dtype = dtype;
  argument.strides = contiguous_strides(shape);
  argument.shape = std::move(shape);
  return argument;
}

inline Argument drawn(Argument argument, const std::string& generator, json options = json::object()) {
  argument.gen = Generator{generator, std::move(options)};
  return argument;
}

/// x -> y, z by the entry of `source`, in blocks of 32 threads.
inline Realized a_candidate(const std::string& variant, const std::string& entry, const std::string& source, int n) {
  Realized made;
  made.candidate = {"twins", variant, "technique", {{"BLOCK", std::int64_t{32}}}};
  made.problem.kernel = "twins";
  made.problem.workload.name = "n" + std::to_string(n);
  made.problem.arguments = {drawn(tensor("x", ArgumentKind::input, {n}), "normal"),
                            tensor("y", ArgumentKind::output, {n}), tensor("z", ArgumentKind::output, {n})};
  Launch launch;
  launch.entry = entry;
  launch.grid = {static_cast<std::uint32_t>(n + 31) / 32, 1, 1};
  launch.block = {32, 1, 1};
  launch.args = {NamedArgument{"x", 0}, NamedArgument{"y", 0}, NamedArgument{"z", 0},
                 ScalarArgument{Dtype::s32, std::int64_t{n}}};
  made.plan.steps = {launch};
  made.build.source_name = "kernels/twins/variants/" + variant + ".cu";
  made.build.source = source;
  made.build.entries = {entry};
  made.build.defines = {{"FACTOR", "2"}};
  made.source_hash = "0123";
  return made;
}

}  // namespace harness::package::test
