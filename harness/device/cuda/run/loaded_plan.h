#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "harness/core/device.h"
#include "harness/device/cuda/library/libraries.h"
#include "harness/device/cuda/run/filled_constants.h"
#include "harness/device/cuda/run/module_cache.h"

namespace harness::cuda {

/// A plan whose functions are loaded and allowed what the launches ask for, and whose library steps are prepared: it
/// can be enqueued, also into a capture. Refers to the executable, which must outlive it.
class LoadedPlan {
 public:
  /// Its module is freshly loaded: no variable of it holds what an earlier run left there.
  /// Throws LaunchRefused, NotSupported or DeviceFault; so do the calls of enqueue().
  LoadedPlan(const DriverApi& api, ModuleCache& modules, Libraries& libraries, const Executable& executable);

  /// Fills the `__constant__` variables of its module from the image at `base`, and waits: before the first enqueue(),
  /// never within a capture.
  void fill_constants(Stream stream, DevicePointer base) {
    if (constants_) constants_->fill(stream, base);
  }
  /// Waits. Throws DeviceFault if a launch has changed one since.
  void check_constants(Stream stream) const {
    if (constants_) constants_->check(stream);
  }
  /// Enqueues all steps in order over the image at `base`; does not wait.
  void enqueue(Stream stream, DevicePointer base) const;
  /// The same; `around` is called for each step and calls what enqueues it, once.
  using AroundStep = std::function<void(const Step& step, const std::function<void()>& enqueue_step)>;
  void enqueue(Stream stream, DevicePointer base, const AroundStep& around) const;
  /// Blocks of a launch of this plan that a multiprocessor holds at once; 0 where the driver does not tell.
  int blocks_at_once(const Launch& launch) const;
  /// Of the entry of a launch of this plan, as the driver says; spills as the compiler does.
  EntryResources resources(const Launch& launch) const;
  const std::vector<Step>& steps() const { return steps_; }
  const Executable& executable() const { return *executable_; }

 private:
  void allow(const Launch& launch);
  /// The launch with all numbers filled in, of which the device decides one (core/plan.h: resident).
  Launch resolved(const Launch& launch) const;
  void enqueue_launch(const Launch& launch, Stream stream, DevicePointer base) const;
  void enqueue_memset(const Memset& memset, Stream stream, DevicePointer base) const;

  const DriverApi& api_;
  const Executable* executable_;
  std::vector<Step> steps_;                     // of the plan, resolved
  std::shared_ptr<LoadedModule> module_;        // null: nothing of it is launched
  std::unique_ptr<FilledConstants> constants_;  // null: the plan fills none
  std::vector<LibraryStep> library_steps_;      // in the order of the plan
};

}  // namespace harness::cuda
