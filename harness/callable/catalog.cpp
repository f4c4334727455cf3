#include "harness/callable/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "harness/core/error.h"
#include "harness/core/gates.h"
#include "harness/core/hash.h"

namespace harness::callable {
namespace {

// Nobody has said what a configuration may gain: the width of what tuners of such functions find.
constexpr Prior kExpected{1, 3, 0.8, 20};

std::string contract_of(const Question& question) {
  Sha256 hash;
  hash.field("callable").field(std::to_string(kGatesVersion)).field(question.baseline_source);
  for (const Argument& argument : question.arguments)
    hash.field(argument.name)
        .field(name(argument.kind))
        .field(name(argument.dtype))
        .field(fmt::format("{}", fmt::join(argument.shape, ",")));
  return hash.hex();
}

VariantInfo variant_of(const char* name, const char* technique, const std::string& source) {
  VariantInfo variant;
  variant.name = name;
  variant.technique = technique;
  variant.risk = "low";
  variant.prior = kExpected;
  variant.source_hash = sha256_hex(source);
  return variant;
}

Problem problem_of(const Question& question) {
  Problem problem;
  problem.kernel = question.name;
  problem.contract_hash = contract_of(question);
  problem.workload.name = workload_name(question);
  problem.workload.sets = {"default"};
  problem.arguments = question.arguments;
  for (const Argument& argument : question.arguments) {
    for (std::size_t d = 0; d < argument.shape.size() && argument.kind != ArgumentKind::output; ++d)
      problem.workload.values[fmt::format("{}_{}", argument.name, d)] = argument.shape[d];
    problem.work.bytes += static_cast<double>(count_elements(argument) * storage_bytes(argument.dtype));
  }
  return problem;
}

}  // namespace

DeviceInfo device_of(const Question& question) {
  DeviceInfo device;
  device.device = question.device;
  device.name = question.device_name + " (in the caller's process)";
  device.available = true;
  device.driver = question.program;
  device.admission_key = fmt::format("{}, {}", device.name, question.program);
  return device;
}

CallableKernel::CallableKernel(Question question)
    : question_(std::move(question)),
      problem_(problem_of(question_)),
      process_(std::to_string(std::random_device{}())) {
  info_.name = question_.name;
  info_.summary = "a function of a running program (" + question_.program + ")";
  info_.workloads = {problem_.workload};
  info_.variants = {variant_of(kBaseline, "baseline", question_.baseline_source),
                    variant_of(kCompiled, "configuration", question_.compile_source)};
  info_.variants.back().parameters = question_.parameters;
}

Problem CallableKernel::problem(const std::string&) {
  return problem_;
}

Prior CallableKernel::prior(const std::string&, const std::string&) {
  return kExpected;
}

const std::string& CallableKernel::source_of(const std::string& variant) const {
  return variant == kBaseline ? question_.baseline_source : question_.compile_source;
}

VariantTexts CallableKernel::variant_texts(const std::string& variant) {
  return {"", source_of(variant), {}};
}

Space CallableKernel::space(const std::string& variant, const std::string&, const DeviceInfo&) {
  Space space;
  if (variant == kBaseline) space.points = {{}};
  else {
    space.parameters = question_.parameters;
    space.points = question_.points;
  }
  return space;
}

Config CallableKernel::default_config(const std::string& variant, const std::string& workload, const DeviceInfo& device,
                                      const Config& given) {
  if (!given.empty()) return given;
  return configuration(space(variant, workload, device), 0);
}

Realized CallableKernel::realize(const Candidate& candidate, const std::string&, const DeviceInfo&) {
  Realized realized;
  realized.candidate = candidate;
  realized.problem = problem_;
  realized.build.source_name = candidate.variant + ".py";
  realized.build.source = source_of(candidate.variant);
  realized.source_hash = sha256_hex(realized.build.source);
  realized.sources = {{realized.build.source_name, realized.build.source}};
  return realized;
}

std::string CallableKernel::admission_hash() {
  return sha256_hex("admission of " + problem_.contract_hash + " in " + process_);
}

KernelPlugin& CallableCatalog::plugin(const std::string& kernel) {
  if (kernel != kernel_.info().name) throw bad_input(fmt::format("there is no kernel '{}'", kernel));
  return kernel_;
}

}  // namespace harness::callable
