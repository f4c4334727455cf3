#include "harness/device/cuda/run/walled_image.h"

#include <algorithm>

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

ReadOnlyMemory::ReadOnlyMemory(const DriverApi& api, Device device, Stream stream, std::span<const std::byte> contents)
    : api_(api), bytes_(contents.size()) {
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
      check(api,
            api.cuMemcpyHtoDAsync_v2(alias.address() + static_cast<DevicePointer>(mapped_ - bytes_), contents.data(),
                                     bytes_, stream),
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

bool WalledImage::suits(const Executable& executable) {
  const auto is_library = [](const Step& step) { return std::holds_alternative<LibraryCall>(step); };
  return !executable.layout.read_only.empty() && executable.layout.relocations.empty() &&
         std::ranges::none_of(executable.plan.steps, is_library);
}

WalledImage::WalledImage(const DriverApi& api, Device device, Stream stream, const Executable& executable,
                         std::span<const std::byte> image, DevicePointer base)
    : api_(api), stream_(stream), executable_(executable), base_(base) {
  for (const ImagePages& pages : executable.layout.read_only) {
    inputs_.push_back(std::make_unique<ReadOnlyMemory>(
        api, device, stream,
        image.subspan(static_cast<std::size_t>(pages.offset), static_cast<std::size_t>(pages.bytes))));
    // Nothing of an earlier image stays where the input would lie in an open one.
    check(api,
          api.cuMemsetD8Async(base + static_cast<DevicePointer>(pages.offset), 0xa5,
                              static_cast<std::size_t>(pages.bytes), stream),
          "cuMemsetD8Async");
  }
  for_open_ranges([&](std::int64_t begin, std::int64_t end) {
    check(api,
          api.cuMemcpyHtoDAsync_v2(base + static_cast<DevicePointer>(begin), image.data() + begin,
                                   static_cast<std::size_t>(end - begin), stream),
          "cuMemcpyHtoDAsync");
  });
}

template <typename F>
void WalledImage::for_open_ranges(F f) const {
  std::int64_t begin = 0;
  for (const ImagePages& pages : executable_.layout.read_only) {
    if (begin < pages.offset) f(begin, pages.offset);
    begin = pages.offset + pages.bytes;
  }
  if (begin < executable_.layout.bytes) f(begin, executable_.layout.bytes);
}

DevicePointer WalledImage::address(std::int64_t offset) const {
  const auto& pages = executable_.layout.read_only;
  for (std::size_t i = 0; i < pages.size(); ++i)
    if (offset >= pages[i].offset && offset < pages[i].offset + pages[i].bytes)
      return inputs_[i]->address() + static_cast<DevicePointer>(offset - pages[i].offset);
  return base_ + static_cast<DevicePointer>(offset);
}

Executable WalledImage::addressed() const {
  Executable copy = executable_;
  for (ImageBuffer& buffer : copy.layout.buffers) buffer.offset = static_cast<std::int64_t>(address(buffer.offset));
  return copy;
}

void WalledImage::download(std::span<std::byte> image) const {
  for_open_ranges([&](std::int64_t begin, std::int64_t end) {
    check(api_,
          api_.cuMemcpyDtoHAsync_v2(image.data() + begin, base_ + static_cast<DevicePointer>(begin),
                                    static_cast<std::size_t>(end - begin), stream_),
          "cuMemcpyDtoHAsync");
  });
}

}  // namespace harness::cuda
