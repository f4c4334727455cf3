#pragma once
#include <cstdint>
#include <string>

namespace harness::cpu {

/// The 64 bits of an mbarrier object (PTX ISA, "Parallel Synchronization: mbarrier"): arrivals and bytes that its
/// current phase still waits for. Operations give a sentence where they break a rule, else "".
class Mbarrier {
 public:
  static constexpr std::uint32_t kMostArrivals = (1u << 20) - 1;

  explicit Mbarrier(void* object);

  std::string init(std::uint32_t arrivals);
  std::string arrive(std::uint32_t arrivals, std::uint32_t bytes);
  std::string complete(std::uint32_t bytes);
  /// Whether the phase of that parity has completed: the current one has the other.
  bool has_completed(unsigned parity) const;
  /// What is in the way: not initialized, misaligned. "" if it can be used.
  std::string problem() const;

 private:
  // Fields from the lowest bit: arrivals expected in each phase (20), still missing in this one (20), bytes still
  // missing + 2^20 (21), parity of the current phase (1), a mark (2).
  std::uint64_t field(int shift, int bits) const { return word() >> shift & ((std::uint64_t{1} << bits) - 1); }
  void set_field(int shift, int bits, std::uint64_t value);
  std::uint64_t word() const;
  void end_phase_if_complete();

  void* object_;
};

}  // namespace harness::cpu
