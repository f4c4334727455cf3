#include "harness/device/cpu/execute/mbarrier.h"

#include <fmt/format.h>

#include <cstring>

namespace harness::cpu {
namespace {

constexpr int kExpected = 0, kMissing = 20, kBytes = 40, kParity = 61, kMark = 62;
constexpr int kCountBits = 20, kBytesBits = 21;
constexpr std::int64_t kBytesBias = 1 << 20;
constexpr std::uint64_t kValidMark = 1;  // neither zeroed nor poisoned memory has it

}  // namespace

Mbarrier::Mbarrier(void* object) : object_(object) {}

std::uint64_t Mbarrier::word() const {
  std::uint64_t word;
  std::memcpy(&word, object_, sizeof word);
  return word;
}

void Mbarrier::set_field(int shift, int bits, std::uint64_t value) {
  const std::uint64_t mask = ((std::uint64_t{1} << bits) - 1) << shift;
  const std::uint64_t changed = (word() & ~mask) | (value << shift & mask);
  std::memcpy(object_, &changed, sizeof changed);
}

std::string Mbarrier::problem() const {
  if (reinterpret_cast<std::uintptr_t>(object_) % 8 != 0) return "the mbarrier is not aligned to 8 bytes";
  if (field(kMark, 2) != kValidMark) return "the mbarrier has not been initialized";
  return "";
}

std::string Mbarrier::init(std::uint32_t arrivals) {
  if (reinterpret_cast<std::uintptr_t>(object_) % 8 != 0) return problem();
  if (arrivals < 1 || arrivals > kMostArrivals) return fmt::format("an mbarrier of {} arrivals", arrivals);
  set_field(0, 64 - 1, 0);
  set_field(kExpected, kCountBits, arrivals);
  set_field(kMissing, kCountBits, arrivals);
  set_field(kBytes, kBytesBits, kBytesBias);
  set_field(kMark, 2, kValidMark);
  return "";
}

std::string Mbarrier::arrive(std::uint32_t arrivals, std::uint32_t bytes) {
  if (std::string wrong = problem(); !wrong.empty()) return wrong;
  const std::int64_t waited_for = static_cast<std::int64_t>(field(kBytes, kBytesBits)) + bytes;
  if (waited_for - kBytesBias > kMostArrivals)
    return fmt::format("the mbarrier would wait for {} bytes; its count ends at 2^20-1", waited_for - kBytesBias);
  if (arrivals > field(kMissing, kCountBits))
    return fmt::format("{} arrive at an mbarrier whose phase waits for {}", arrivals, field(kMissing, kCountBits));
  set_field(kBytes, kBytesBits, static_cast<std::uint64_t>(waited_for));
  set_field(kMissing, kCountBits, field(kMissing, kCountBits) - arrivals);
  end_phase_if_complete();
  return "";
}

std::string Mbarrier::complete(std::uint32_t bytes) {
  if (std::string wrong = problem(); !wrong.empty()) return wrong;
  // Bytes may come before they are expected: the phase cannot end while an arrival is missing.
  const std::int64_t left = static_cast<std::int64_t>(field(kBytes, kBytesBits)) - bytes;
  if (left <= 0) return fmt::format("copies complete {} bytes more than the mbarrier expects", kBytesBias - left);
  set_field(kBytes, kBytesBits, static_cast<std::uint64_t>(left));
  end_phase_if_complete();
  return "";
}

bool Mbarrier::has_completed(unsigned parity) const {
  return field(kParity, 1) != (parity & 1u);
}

void Mbarrier::end_phase_if_complete() {
  if (field(kMissing, kCountBits) != 0 || field(kBytes, kBytesBits) != static_cast<std::uint64_t>(kBytesBias)) return;
  set_field(kMissing, kCountBits, field(kExpected, kCountBits));
  set_field(kParity, 1, field(kParity, 1) ^ 1);
}

}  // namespace harness::cpu
