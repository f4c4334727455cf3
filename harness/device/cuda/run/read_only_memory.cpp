#include "harness/device/cuda/run/read_only_memory.h"

#include <algorithm>
#include <cassert>

#include "harness/device/cuda/run/graphs.h"

namespace harness::cuda {
namespace {

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

ReadOnlyMemory::ReadOnlyMemory(const DriverApi& api, Device device, Stream stream, Parts parts, std::size_t stride)
    : api_(api), bytes_(stride == 0 ? parts.front().size() : stride * parts.size()) {
  assert(!parts.empty() && stride % 4096 == 0 && (stride > 0 || parts.size() == 1));
  AllocationProperties properties;
  properties.location_id = device;
  check(api, api.cuMemGetAllocationGranularity(&granule_, &properties, kGranularityMinimum),
        "cuMemGetAllocationGranularity");
  mapped_ = (std::max<std::size_t>(bytes_, 1) + granule_ - 1) / granule_ * granule_;
  try {
    check(api, api.cuMemCreate(&handle_, mapped_, &properties, 0), "cuMemCreate");
    created_ = true;
    check(api, api.cuMemAddressReserve(&address_, mapped_ + granule_, 0, 0, 0), "cuMemAddressReserve");
    check(api, api.cuMemMap(address_, mapped_, 0, handle_, 0), "cuMemMap");
    is_mapped_ = true;
    {
      const WritableAlias alias(api, device, handle_, mapped_);
      for (std::size_t i = 0; i < parts.size(); ++i)
        check(api,
              api.cuMemcpyHtoDAsync_v2(alias.address() + static_cast<DevicePointer>(mapped_ - bytes_ + i * stride),
                                       parts[i].data(), parts[i].size(), stream),
              "cuMemcpyHtoDAsync");
      synchronize(api, stream);
    }
    const AccessDescription access{kMemoryOnDevice, device, kAccessRead};
    check(api, api.cuMemSetAccess(address_, mapped_, &access, 1), "cuMemSetAccess");
  } catch (...) {
    give_back();
    throw;
  }
}

ReadOnlyMemory::~ReadOnlyMemory() {
  give_back();
}

void ReadOnlyMemory::give_back() {
  if (is_mapped_) api_.cuMemUnmap(address_, mapped_);
  if (address_ != 0) api_.cuMemAddressFree(address_, mapped_ + granule_);
  if (created_) api_.cuMemRelease(handle_);
}

}  // namespace harness::cuda
