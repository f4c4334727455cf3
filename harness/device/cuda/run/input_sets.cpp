#include "harness/device/cuda/run/input_sets.h"

#include <sys/random.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/device/cuda/api/check.h"
#include "harness/device/cuda/run/graphs.h"
#include "harness/device/cuda/run/relocation.h"

namespace harness::cuda {
namespace {

constexpr std::int64_t kPage = 4096;
constexpr std::int64_t kRotations = 4096;  // of a refresh: what harness_refresh counts on, more than any graph's calls

std::uint64_t secret_word() {
  std::uint64_t word = 0;
  if (getrandom(&word, sizeof word, 0) != sizeof word) {
    throw environment_error("the operating system gives no random numbers; timing needs them to be unpredictable.");
  }
  return word;
}

std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

/// Four numbers a buffer: HarnessRotation.
std::vector<std::int64_t> rotation_table(const ImageLayout& layout) {
  std::vector<std::int64_t> table;
  for (const ImageBuffer& b : layout.buffers) {
    if (b.rows > 1) table.insert(table.end(), {b.offset, b.unit_bytes, b.row_bytes, b.rows});
  }
  return table;
}

std::vector<std::int64_t> relocation_table(const ImageLayout& layout) {
  std::vector<std::int64_t> table;
  for (const Relocation& r : layout.relocations) table.insert(table.end(), {r.at, r.target});
  return table;
}

std::int64_t table_bytes(const ImageLayout& layout) {
  const std::size_t words = rotation_table(layout).size() + relocation_table(layout).size();
  return set_stride(static_cast<std::int64_t>(words * sizeof(std::int64_t)));
}

}  // namespace

std::int64_t set_stride(std::int64_t image_bytes) {
  return std::max<std::int64_t>(1, (image_bytes + kPage - 1) / kPage) * kPage;
}

std::int64_t count_sets(std::int64_t image_bytes, std::int64_t images, std::int64_t l2_bytes,
                        std::int64_t budget_bytes) {
  constexpr std::int64_t kLeastBytes = std::int64_t{4} << 30;
  const std::int64_t stride = set_stride(image_bytes);
  const std::int64_t wanted = (std::max(kLeastBytes, 8 * l2_bytes) + stride - 1) / stride;
  return std::clamp<std::int64_t>(budget_bytes / stride - 2 * images, 1, std::min(wanted, kMostCalls));
}

std::int64_t InputSets::bytes_needed(const ImageLayout& layout, std::int64_t images, std::int64_t sets) {
  return set_stride(layout.bytes) * (2 * images + sets) + table_bytes(layout);
}

InputSets::InputSets(const DriverApi& api, Stream stream, const MeasuringKernels& kernels, DevicePointer base,
                     const ImageLayout& layout, std::span<const std::span<std::byte>> images, std::int64_t sets)
    : api_(api),
      stream_(stream),
      kernels_(kernels),
      base_(base),
      layout_(layout),
      images_(static_cast<std::int64_t>(images.size())),
      sets_(sets),
      stride_(set_stride(layout.bytes)),
      rotations_(rotation_table(layout)),
      relocations_(relocation_table(layout)),
      key_{secret_word(), secret_word()},
      chance_(secret_word()),
      seen_(images.size()),
      aside_(images.size()) {
  for (std::int64_t image = 0; image < images_; ++image) {
    const auto& bytes = images[static_cast<std::size_t>(image)];
    check(api_, api_.cuMemcpyHtoDAsync_v2(place(image), bytes.data(), bytes.size(), stream_), "cuMemcpyHtoDAsync");
  }
  std::vector<std::int64_t> tables = rotations_;
  tables.insert(tables.end(), relocations_.begin(), relocations_.end());
  if (!tables.empty()) {
    check(api_, api_.cuMemcpyHtoDAsync_v2(place(tables_at()), tables.data(), tables.size() * sizeof tables[0], stream_),
          "cuMemcpyHtoDAsync");
  }
  synchronize(api_, stream_);
}

bool InputSets::has_restored() const {
  return std::ranges::any_of(layout_.buffers, &ImageBuffer::restored);
}

std::uint64_t InputSets::rotation(const std::array<std::uint64_t, 2>& key, std::uint64_t refresh, std::int64_t set) {
  return mix(mix(key[0] + refresh * kRotations + static_cast<std::uint64_t>(set)) ^ key[1]);
}

void InputSets::enqueue_refresh(std::int64_t first, std::int64_t count, std::int64_t phase) {
  constexpr std::int64_t kChunksPerBlock = 4 * 256;
  const auto rows = static_cast<std::uint32_t>(count);
  const auto blocks = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>((stride_ / 16 + kChunksPerBlock - 1) / kChunksPerBlock, 1, 1 << 16));
  kernels_.refreshing().launch("harness_refresh", {.blocks = blocks, .rows_of_blocks = rows}, stream_, address(0),
                               place(0), stride_, images_, first, phase, ++refreshes_, key_[0], key_[1],
                               place(tables_at()), static_cast<std::int64_t>(rotations_.size() / 4));
  if (relocations_.empty()) return;
  const auto entries = static_cast<std::int64_t>(relocations_.size() / 2);
  const DevicePointer table = place(tables_at()) + rotations_.size() * sizeof rotations_[0];
  kernels_.refreshing().launch("harness_relocate",
                               {.blocks = static_cast<std::uint32_t>((entries + 255) / 256), .rows_of_blocks = rows},
                               stream_, address(0), stride_, first, table, entries);
}

void InputSets::enqueue_audit(std::int64_t used, std::int64_t phase) {
  for (std::int64_t image = 0; image < images_; ++image) {
    const std::int64_t first = ((image - phase) % images_ + images_) % images_;
    if (first >= used) continue;
    const auto eligible = static_cast<std::uint64_t>((used - first + images_ - 1) / images_);
    const auto k = static_cast<std::size_t>(image);
    seen_[k] += eligible;
    const std::uint64_t drawn = std::uniform_int_distribution<std::uint64_t>(0, seen_[k] - 1)(chance_);
    if (drawn >= eligible) continue;
    const std::int64_t set = first + static_cast<std::int64_t>(drawn) * images_;
    aside_[k] = Aside{set, rotation(key_, refreshes_, set)};
    check(api_,
          api_.cuMemcpyDtoDAsync_v2(place(images_ + image), address(set), static_cast<std::size_t>(layout_.bytes),
                                    stream_),
          "cuMemcpyDtoDAsync");
  }
}

bool InputSets::audited() const {
  return std::ranges::all_of(aside_, [](const auto& aside) { return aside.has_value(); });
}

std::vector<std::uint64_t> InputSets::retrieve(std::span<const std::span<std::byte>> images) const {
  std::vector<std::uint64_t> rotations;
  for (std::size_t k = 0; k < aside_.size(); ++k) {
    const RelocatedImage relocated(layout_, images[k], address(aside_[k]->set));
    check(api_,
          api_.cuMemcpyDtoHAsync_v2(images[k].data(), place(images_ + static_cast<std::int64_t>(k)), images[k].size(),
                                    stream_),
          "cuMemcpyDtoHAsync");
    synchronize(api_, stream_);
    rotations.push_back(aside_[k]->rotation);
  }
  return rotations;
}

}  // namespace harness::cuda
