#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "harness/device/cuda/api/check.h"
#include "harness/device/cuda/api/driver_api.h"

namespace harness::cuda {

/// A driver object that is destroyed with its owner. Destruction after a fault fails and that is all right: the process
/// is about to end.
template <typename Handle, Status (*DriverApi::*kDestroy)(Handle)>
class Owned {
 public:
  Owned() = default;
  Owned(const DriverApi& api, Handle handle) : api_(&api), handle_(handle) {}
  Owned(Owned&& other) noexcept : api_(other.api_), handle_(std::exchange(other.handle_, Handle{})) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(api_, other.api_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() {
    if (handle_) (api_->*kDestroy)(handle_);
  }
  Handle get() const { return handle_; }
  explicit operator bool() const { return handle_ != Handle{}; }

 private:
  const DriverApi* api_ = nullptr;
  Handle handle_{};
};

using OwnedMemory = Owned<DevicePointer, &DriverApi::cuMemFree_v2>;
using OwnedModule = Owned<Module, &DriverApi::cuModuleUnload>;
using OwnedStream = Owned<Stream, &DriverApi::cuStreamDestroy_v2>;
using OwnedEvent = Owned<Event, &DriverApi::cuEventDestroy_v2>;
using OwnedGraph = Owned<Graph, &DriverApi::cuGraphDestroy>;
using OwnedGraphExec = Owned<GraphExec, &DriverApi::cuGraphExecDestroy>;

/// Throws DeviceMemoryExhausted when there is no room.
OwnedMemory allocate(const DriverApi& api, std::size_t bytes);
/// Memory of the host whose pages stay where they are, so that copies go straight to them (cuMemHostRegister), for as
/// long as the result lives. Null where the system does not allow it, and for less than is worth the call.
std::shared_ptr<void> hold_pages(const DriverApi& api, std::span<std::byte> memory);
/// A stream that does not wait for the legacy default stream.
OwnedStream create_stream(const DriverApi& api);
OwnedEvent create_event(const DriverApi& api);
/// Nanoseconds between two recorded events of finished work.
double elapsed_ns(const DriverApi& api, Event start, Event end);

/// The primary context of a GPU, current on the constructing thread for as long as the process runs its kernels.
class PrimaryContext {
 public:
  /// Calls cuInit. Throws Error with a sentence if there is no such GPU.
  PrimaryContext(const DriverApi& api, int ordinal);
  ~PrimaryContext();
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;
  Device device() const { return device_; }
  Context get() const { return context_; }

 private:
  const DriverApi& api_;
  Device device_ = 0;
  Context context_ = nullptr;
};

}  // namespace harness::cuda
