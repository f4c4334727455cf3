#pragma once
#include "harness_cpu/abi.h"
#include "harness_cpu/keywords.h"

// What the table appended to a candidate is made of.

/// 1: an integer, 2: a floating-point number, 3: a pointer, 0: anything else.
template <typename T>
constexpr unsigned harness_cpu_kind() {
  return std::is_pointer_v<T>                         ? 3
         : std::is_floating_point_v<T>                ? 2
         : std::is_integral_v<T> || std::is_enum_v<T> ? 1
                                                      : 0;
}

/// A kernel's parameter sizes and a way to call it with an array of pointers to its arguments.
template <auto kernel>
struct HarnessCpuKernel;
template <typename... Parameters, void (*kernel)(Parameters...)>
struct HarnessCpuKernel<kernel> {
  static_assert(sizeof...(Parameters) <= HARNESS_CPU_MAX_PARAMETERS, "a kernel has at most 64 parameters");
  static_assert(!(std::is_reference_v<Parameters> || ...), "a kernel cannot take a reference");

  static constexpr int parameters = sizeof...(Parameters);
  static constexpr unsigned bytes[parameters + 1] = {sizeof(Parameters)...};
  static constexpr unsigned kinds[parameters + 1] = {harness_cpu_kind<std::remove_cv_t<Parameters>>()...};

  static void call(void** arguments) { unpack(arguments, std::index_sequence_for<Parameters...>{}); }
  template <std::size_t... i>
  static void unpack([[maybe_unused]] void** arguments, std::index_sequence<i...>) {
    kernel(*static_cast<std::remove_cv_t<Parameters>*>(arguments[i])...);
  }
};

/// The same facts as plain bytes, in a section that the builder reads without loading the candidate.
struct HarnessCpuEntryFacts {
  unsigned parameters;
  unsigned bytes[HARNESS_CPU_MAX_PARAMETERS];
  unsigned kinds[HARNESS_CPU_MAX_PARAMETERS];
};
template <typename Kernel>
constexpr HarnessCpuEntryFacts harness_cpu_facts() {
  HarnessCpuEntryFacts facts{Kernel::parameters, {}, {}};
  for (int i = 0; i < Kernel::parameters; ++i) {
    facts.bytes[i] = Kernel::bytes[i];
    facts.kinds[i] = Kernel::kinds[i];
  }
  return facts;
}
