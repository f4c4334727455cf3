#include "harness/device/cuda/run/separate_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "harness/core/error.h"
#include "harness/device/cuda/run/graphs.h"
#include "harness/device/cuda/run/loaded_plan.h"

namespace harness::cuda {
namespace {

/// Allocations are aligned to this at least.
constexpr std::int64_t kAllocationAlign = 256;

bool is_view(const Executable& executable, const ImageBuffer& buffer) {
  const Argument* argument = find_argument(executable.problem, buffer.name);
  return argument && argument->kind == ArgumentKind::view;
}

/// Whether it holds something before the plan runs: inputs, inouts, arrays of pointers and zeroed workspaces do.
bool is_given(const Executable& executable, const ImageBuffer& buffer) {
  if (const Argument* argument = find_argument(executable.problem, buffer.name)) {
    return argument->kind != ArgumentKind::output;
  }
  return std::ranges::any_of(executable.plan.workspaces,
                             [&](const Workspace& w) { return w.name == buffer.name && w.zeroed; });
}

class SeparateImage {
 public:
  SeparateImage(const DriverApi& api, const Executable& executable) : api_(api), executable_(executable) {
    for (const ImageBuffer& buffer : executable.layout.buffers) {
      if (is_view(executable, buffer)) continue;
      const std::int64_t front = buffer.offset % kAllocationAlign;
      memory_.push_back(allocate(api, static_cast<std::size_t>(std::max<std::int64_t>(front + buffer.bytes, 1))));
      places_.push_back({buffer, memory_.back().get() + static_cast<DevicePointer>(front)});
    }
  }

  /// The device address of a place in the image, which may be the end of a buffer.
  DevicePointer address(std::int64_t offset) const {
    for (const auto& [buffer, address] : places_) {
      if (offset >= buffer.offset && offset <= buffer.offset + buffer.bytes) {
        return address + static_cast<DevicePointer>(offset - buffer.offset);
      }
    }
    throw environment_error(fmt::format("byte {} of an image lies in none of its buffers.", offset));
  }

  void upload(Stream stream, std::vector<std::byte> image, bool uninitialized) const {
    for (const Relocation& relocation : executable_.layout.relocations) {
      const DevicePointer target = address(relocation.target);
      std::memcpy(image.data() + relocation.at, &target, sizeof target);
    }
    for (const auto& [buffer, address] : places_) {
      if (buffer.bytes == 0 || (uninitialized && !is_given(executable_, buffer))) continue;
      check(api_,
            api_.cuMemcpyHtoDAsync_v2(address, image.data() + buffer.offset, static_cast<std::size_t>(buffer.bytes),
                                      stream),
            "cuMemcpyHtoDAsync");
    }
    synchronize(api_, stream);
  }

  /// The executable with addresses for offsets: an image whose base is 0.
  Executable addressed() const {
    Executable copy = executable_;
    for (ImageBuffer& buffer : copy.layout.buffers) buffer.offset = static_cast<std::int64_t>(address(buffer.offset));
    return copy;
  }

  std::vector<SeparateBuffer> buffers() const {
    std::vector<SeparateBuffer> all;
    for (const auto& [buffer, address] : places_) all.push_back({buffer.name, address, buffer.bytes});
    return all;
  }

 private:
  struct BufferPlace {
    ImageBuffer buffer;
    DevicePointer address = 0;
  };
  const DriverApi& api_;
  const Executable& executable_;
  std::vector<OwnedMemory> memory_;
  std::vector<BufferPlace> places_;
};

}  // namespace

void run_separately(const DriverApi& api, int ordinal, const Executable& executable, std::span<const std::byte> image,
                    bool uninitialized, const std::function<void(const std::vector<SeparateBuffer>&)>& placed) {
  const PrimaryContext context(api, ordinal);
  const OwnedStream stream = create_stream(api);
  ModuleCache modules(api);
  Libraries libraries(api);
  const SeparateImage separate(api, executable);
  placed(separate.buffers());
  separate.upload(stream.get(), {image.begin(), image.end()}, uninitialized);
  const Executable addressed = separate.addressed();
  LoadedPlan plan(api, modules, libraries, addressed);
  plan.fill_constants(stream.get(), 0);
  plan.enqueue(stream.get(), 0);
  synchronize(api, stream.get());
  plan.check_constants(stream.get());
}

void run_separately(int ordinal, const Executable& executable, std::span<const std::byte> image, bool uninitialized,
                    const std::function<void(const std::vector<SeparateBuffer>&)>& placed) {
  const DriverLibrary& library = driver_library();
  if (!library.api) throw environment_error(library.missing);
  run_separately(*library.api, ordinal, executable, image, uninitialized, placed);
}

}  // namespace harness::cuda
