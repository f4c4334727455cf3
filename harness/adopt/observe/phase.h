#pragma once
#include <fmt/format.h>

#include <chrono>
#include <functional>

#include "harness/adopt/observe/subject.h"

namespace harness::adopt {

/// Does the work, and says how long it took where a person would wonder.
inline void phase(const Say& say, const char* what, const std::function<void()>& work) {
  constexpr double kTold_s = 2;
  const auto begin = std::chrono::steady_clock::now();
  work();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (say && seconds >= kTold_s) say(fmt::format("  tried: {}, {:.0f} s", what, seconds));
}

}  // namespace harness::adopt
