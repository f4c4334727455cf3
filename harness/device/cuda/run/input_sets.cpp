#include "harness/device/cuda/run/input_sets.h"

#include <sys/random.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "harness/core/error.h"
#include "harness/device/cuda/api/check.h"
#include "harness/device/cuda/run/graphs.h"
#include "harness/device/cuda/run/relocation.h"

namespace harness::cuda {
namespace {

constexpr std::int64_t kPage = 4096;
constexpr std::uint64_t kSetsOfANumber = 4096;  // what harness_seed counts on: more than any graph's calls

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

std::uint64_t seed_of(std::uint64_t number, std::int64_t which, std::uint64_t key0, std::uint64_t key1) {
  return mix(mix(key0 + number * kSetsOfANumber + static_cast<std::uint64_t>(which)) ^ key1) >> 1;
}

/// Enough for `work` items that a thread takes eight of.
std::uint32_t blocks_for(std::int64_t work) {
  constexpr std::int64_t kWorkOfABlock = 8 * 256;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>((work + kWorkOfABlock - 1) / kWorkOfABlock, 1, 1 << 16));
}

}  // namespace

std::int64_t set_stride(std::int64_t image_bytes) {
  return std::max<std::int64_t>(1, (image_bytes + kPage - 1) / kPage) * kPage;
}

std::int64_t most_gap(std::int64_t image_bytes) {
  constexpr std::int64_t kShare = 8;
  return std::max(kPage, set_stride(image_bytes) / kShare / kPage * kPage);
}

std::vector<std::int64_t> place_sets(std::int64_t image_bytes, std::int64_t sets, std::mt19937_64& chance) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(sets)), places(order.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::ranges::shuffle(order, chance);
  std::uniform_int_distribution<std::int64_t> gap_pages(0, most_gap(image_bytes) / kPage);
  std::int64_t at = 0;
  for (const std::int64_t set : order) {
    at += gap_pages(chance) * kPage;
    places[static_cast<std::size_t>(set)] = at;
    at += set_stride(image_bytes);
  }
  return places;
}

std::int64_t count_sets(std::int64_t image_bytes, std::int64_t others, std::int64_t l2_bytes,
                        std::int64_t budget_bytes) {
  constexpr std::int64_t kLeastBytes = std::int64_t{4} << 30;
  const std::int64_t stride = set_stride(image_bytes), room = stride + most_gap(image_bytes);
  const std::int64_t wanted = (std::max(kLeastBytes, 8 * l2_bytes) + stride - 1) / stride;
  return std::clamp<std::int64_t>(budget_bytes / room - others, 1, std::min(wanted, kMostCalls));
}

std::int64_t InputSets::bytes_needed(const ImageLayout& layout, std::int64_t sets) {
  return (set_stride(layout.bytes) + most_gap(layout.bytes)) * sets +
         set_stride(8 * SetTables(layout).digest_words * sets);
}

InputSets::InputSets(const DriverApi& api, Device device, Stream stream, const MeasuringKernels& kernels,
                     DevicePointer base, const ImageLayout& layout, std::span<const std::span<std::byte>> images,
                     std::int64_t sets)
    : api_(api),
      stream_(stream),
      kernels_(kernels),
      base_(base),
      layout_(layout),
      images_(static_cast<std::int64_t>(images.size())),
      sets_(sets),
      stride_(set_stride(layout.bytes)),
      tables_(layout),
      key_{secret_word(), secret_word()},
      chance_(secret_word()),
      places_(place_sets(layout.bytes, sets, chance_)) {
  const std::vector<std::span<const std::byte>> parts(images.begin(), images.end());
  pristine_ = std::make_unique<WalledMemory>(api, device, stream, parts, static_cast<std::size_t>(stride_));
  std::vector<std::int64_t> all = tables_.words;
  all.insert(all.end(), places_.begin(), places_.end());
  const std::span<const std::byte> words = std::as_bytes(std::span(all));
  words_ =
      std::make_unique<WalledMemory>(api, device, stream, WalledMemory::Parts(&words, 1),
                                     static_cast<std::size_t>(set_stride(static_cast<std::int64_t>(words.size()))));
}

bool InputSets::has_restored() const {
  return std::ranges::any_of(layout_.buffers, &ImageBuffer::restored);
}

std::uint64_t InputSets::chance(std::uint64_t below) {
  return std::uniform_int_distribution<std::uint64_t>(0, below - 1)(chance_);
}

DrawnSets InputSets::fresh(std::int64_t first, std::int64_t count, std::int64_t phase) {
  return {first, count, std::max(first + count, std::int64_t{1}), 0, phase, ++pairs_, ++launches_};
}

DrawnSets InputSets::again(const DrawnSets& drawn, std::int64_t first) {
  DrawnSets other = drawn;
  other.launch = ++launches_;
  if (drawn.count > 1) {  // the whole of them, each draw at another set
    other.shift = static_cast<std::int64_t>(1 + chance(static_cast<std::uint64_t>(drawn.used - 1)));
    return other;
  }
  other.used = std::max(drawn.used, first + 1);
  other.first = first;
  other.shift = (drawn.draw_of(drawn.first) - first + other.used) % other.used;
  return other;
}

RefreshWords InputSets::words(const DrawnSets& drawn) const {
  return {stride_,
          drawn.first,
          drawn.used,
          drawn.shift,
          images_,
          drawn.phase,
          drawn.pair,
          drawn.launch,
          key_[0],
          key_[1],
          words_->address() + static_cast<DevicePointer>(tables_.bytes())};
}

FreshSeeds InputSets::seeds(const std::array<std::uint64_t, 2>& key, const DrawnSets& drawn, std::int64_t set) {
  return {seed_of(drawn.pair, drawn.draw_of(set), key[0], key[1]), seed_of(drawn.launch, set, key[1], key[0])};
}

FreshSeeds InputSets::seeds(const DrawnSets& drawn, std::int64_t set) const {
  return seeds(key_, drawn, set);
}

void InputSets::enqueue_refresh(const DrawnSets& drawn) {
  const auto rows = static_cast<std::uint32_t>(drawn.count);
  const OwnKernels& own = kernels_.refreshing();
  own.launch("harness_copy", {.blocks = blocks_for(tables_.copied_bytes / 16), .rows_of_blocks = rows}, stream_, base_,
             pristine_->address(), words(drawn), words_->address(), tables_.ranges);
  const DevicePointer draws = words_->address() + static_cast<DevicePointer>(tables_.draws_at());
  for (std::size_t i = 0; i < tables_.draws.size(); ++i) {
    own.launch("harness_draw", {.blocks = blocks_for(tables_.draws[i].elements), .rows_of_blocks = rows}, stream_,
               base_, words(drawn), draws, static_cast<std::int64_t>(i));
  }
  if (tables_.relocations == 0) return;
  own.launch("harness_relocate",
             {.blocks = static_cast<std::uint32_t>((tables_.relocations + 255) / 256), .rows_of_blocks = rows}, stream_,
             base_, words(drawn), words_->address() + static_cast<DevicePointer>(tables_.relocations_at()),
             tables_.relocations);
}

std::vector<std::uint64_t> InputSets::digests(const DrawnSets& drawn) {
  const auto of_a_set = static_cast<std::size_t>(8 * tables_.digest_words);
  std::vector<std::uint64_t> digests(static_cast<std::size_t>(drawn.count * tables_.digest_words));
  if (digests.empty()) return digests;
  const DevicePointer first = digests_at() + static_cast<DevicePointer>(drawn.first) * of_a_set;
  const std::size_t bytes = static_cast<std::size_t>(drawn.count) * of_a_set;
  check(api_, api_.cuMemsetD8Async(first, 0, bytes, stream_), "cuMemsetD8Async");
  const DevicePointer outputs = words_->address() + static_cast<DevicePointer>(tables_.outputs_at());
  for (std::size_t i = 0; i < tables_.outputs.size(); ++i) {
    kernels_.refreshing().launch("harness_digest",
                                 {.blocks = std::min(blocks_for(tables_.outputs[i].elements / 4), std::uint32_t{1024}),
                                  .rows_of_blocks = static_cast<std::uint32_t>(drawn.count)},
                                 stream_, base_, words(drawn), outputs, static_cast<std::int64_t>(i), digests_at(),
                                 tables_.digest_words);
  }
  check(api_, api_.cuMemcpyDtoHAsync_v2(digests.data(), first, bytes, stream_), "cuMemcpyDtoHAsync");
  synchronize(api_, stream_);
  return digests;
}

void InputSets::retrieve(std::int64_t set, std::span<std::byte> image) const {
  for (const Relocation& r : layout_.relocations) std::memcpy(image.data() + r.at, &r.target, sizeof r.target);
  const RelocatedImage relocated(layout_, image, address(set));
  check(api_, api_.cuMemcpyDtoHAsync_v2(image.data(), address(set), image.size(), stream_), "cuMemcpyDtoHAsync");
  synchronize(api_, stream_);
}

}  // namespace harness::cuda
