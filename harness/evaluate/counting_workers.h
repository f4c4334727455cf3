#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "harness/evaluate/worker_pool.h"
#include "harness/predict/counting.h"

namespace harness {

/// A kind of device that compiles without one, and how its builders are told.
struct OfflineCompiler {
  const DeviceKind* kind = nullptr;
  Target target;
};
/// For an architecture; nothing: it is missing here.
using FindOfflineCompiler = std::function<std::optional<OfflineCompiler>(const std::string& architecture)>;

/// What counting needs, by the workers of an emulation: its builders and judge, a runner of its own (the pool's holds
/// what is being judged), and a builder for each GPU's architecture. `workers` outlives it.
std::unique_ptr<CountingWorkers> counting_workers(WorkerPool& workers, FindOfflineCompiler find_compiler);

}  // namespace harness
