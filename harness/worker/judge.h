#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "harness/core/outcome.h"
#include "harness/worker/process.h"
#include "harness/worker/shared_memory.h"
#include "harness/worker/target.h"

namespace harness {

/// The trusted process: it draws inputs, paints images, computes the reference after the candidate ran, compares and
/// decides. It never holds a candidate's code, and a candidate's process never holds a reference value.
class Judge {
 public:
  Judge(Target target, std::function<bool()> stop) : target_(std::move(target)), stop_(std::move(stop)) {}

  /// Artifacts of kernel-author code the judge runs: the reference, and custom generators or comparisons by source
  /// path.
  struct Trusted {
    Artifact reference;
    std::map<std::string, Artifact> custom;
  };

  /// Paints `image` with a fresh draw of `seed`. `keep`: remembers it for `verdict` under the seed.
  void paint(const Executable& executable, const Trusted& trusted, std::uint64_t seed, bool keep,
             const SharedMemory& image);
  /// Judges the image that a candidate has changed since it was painted with `seed`; forgets the draw.
  Verdict verdict(const Executable& executable, const Trusted& trusted, std::uint64_t seed, const SharedMemory& image);
  void start();

 private:
  json ask(const json& body, const SharedMemory& image);
  Target target_;
  std::function<bool()> stop_;
  std::optional<Process> process_;
};

/// Thrown out of a Judge call when the supervisor was asked to stop.
struct InterruptedWork {};

/// The worker's side: serves on descriptor 3 until it is closed.
int serve_judge();

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Judge::Trusted, reference, custom)

}  // namespace harness
