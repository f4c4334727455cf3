#include "harness/device/cuda/run/walled_memory.h"

#include <algorithm>
#include <cassert>

#include "harness/device/cuda/run/graphs.h"

namespace harness::cuda {
namespace {

constexpr std::size_t kAlignedTo = 4096;

/// A second address of memory that can be written there, for as long as this lives.
class WritableAlias {
 public:
  WritableAlias(const DriverApi& api, Device device, unsigned long long handle, std::size_t bytes)
      : api_(api), bytes_(bytes) {
    check(api, api.cuMemAddressReserve(&address_, bytes, 0, 0, 0), "cuMemAddressReserve");
    const Status mapped = api.cuMemMap(address_, bytes, 0, handle, 0);
    if (mapped != kSuccess) api.cuMemAddressFree(address_, bytes);
    check(api, mapped, "cuMemMap");
    const AccessDescription access{kMemoryOnDevice, device, kAccessReadWrite};
    opened_ = api.cuMemSetAccess(address_, bytes, &access, 1);
  }
  ~WritableAlias() {
    api_.cuMemUnmap(address_, bytes_);
    api_.cuMemAddressFree(address_, bytes_);
  }
  WritableAlias(const WritableAlias&) = delete;
  WritableAlias& operator=(const WritableAlias&) = delete;
  DevicePointer address() const {
    check(api_, opened_, "cuMemSetAccess");
    return address_;
  }

 private:
  const DriverApi& api_;
  std::size_t bytes_;
  DevicePointer address_ = 0;
  Status opened_ = kSuccess;
};

}  // namespace

WalledMemory::WalledMemory(const DriverApi& api, Device device, Stream stream, std::span<const std::byte> contents,
                           WalledAccess access, std::size_t phase)
    : api_(api), bytes_(contents.size()), begin_(phase) {
  assert(phase < kAlignedTo);
  create(device, stream, Parts(&contents, 1), 0, access);
}

WalledMemory::WalledMemory(const DriverApi& api, Device device, Stream stream, Parts parts, std::size_t stride)
    : api_(api), bytes_(stride * parts.size()) {
  assert(!parts.empty() && stride > 0 && stride % kAlignedTo == 0);
  create(device, stream, parts, stride, WalledAccess::read);
}

void WalledMemory::create(Device device, Stream stream, Parts parts, std::size_t stride, WalledAccess access) {
  AllocationProperties properties;
  properties.location_id = device;
  check(api_, api_.cuMemGetAllocationGranularity(&granule_, &properties, kGranularityMinimum),
        "cuMemGetAllocationGranularity");
  mapped_ = (std::max<std::size_t>(begin_ + bytes_, 1) + granule_ - 1) / granule_ * granule_;
  begin_ += (mapped_ - bytes_ - begin_) / kAlignedTo * kAlignedTo;
  try {
    check(api_, api_.cuMemCreate(&handle_, mapped_, &properties, 0), "cuMemCreate");
    created_ = true;
    check(api_, api_.cuMemAddressReserve(&address_, mapped_ + granule_, 0, 0, 0), "cuMemAddressReserve");
    check(api_, api_.cuMemMap(address_, mapped_, 0, handle_, 0), "cuMemMap");
    is_mapped_ = true;
    if (access == WalledAccess::read)
      fill(WritableAlias(api_, device, handle_, mapped_).address(), stream, parts, stride);
    const AccessDescription allowed{kMemoryOnDevice, device,
                                    access == WalledAccess::read ? kAccessRead : kAccessReadWrite};
    check(api_, api_.cuMemSetAccess(address_, mapped_, &allowed, 1), "cuMemSetAccess");
    if (access == WalledAccess::read_write) fill(address_, stream, parts, stride);
  } catch (...) {
    give_back();
    throw;
  }
}

// Waits: an alias lives no longer than this.
void WalledMemory::fill(DevicePointer memory, Stream stream, Parts parts, std::size_t stride) {
  if (const std::size_t end = begin_ + bytes_; end < mapped_)
    check(api_, api_.cuMemsetD8Async(memory + static_cast<DevicePointer>(end), 0xa5, mapped_ - end, stream),
          "cuMemsetD8Async");
  for (std::size_t i = 0; i < parts.size(); ++i)
    check(api_,
          api_.cuMemcpyHtoDAsync_v2(memory + static_cast<DevicePointer>(begin_ + i * stride), parts[i].data(),
                                    parts[i].size(), stream),
          "cuMemcpyHtoDAsync");
  synchronize(api_, stream);
}

WalledMemory::~WalledMemory() {
  give_back();
}

void WalledMemory::give_back() {
  if (is_mapped_) api_.cuMemUnmap(address_, mapped_);
  if (address_ != 0) api_.cuMemAddressFree(address_, mapped_ + granule_);
  if (created_) api_.cuMemRelease(handle_);
}

}  // namespace harness::cuda
