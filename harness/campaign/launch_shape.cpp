#include "harness/campaign/launch_shape.h"

namespace harness {
namespace {

std::int64_t volume(const Dim3& size) {
  return static_cast<std::int64_t>(size.x) * size.y * size.z;
}

}  // namespace

std::optional<LaunchShape> launch_shape(const Plan& plan) {
  LaunchShape shape;
  for (const Step& step : plan.steps) {
    const auto* launch = std::get_if<Launch>(&step);
    if (launch == nullptr) continue;
    if (volume(launch->block) == 0) return std::nullopt;  // its builder says, and this room builds nothing
    ++shape.kernels;
    if (volume(launch->grid) <= shape.ctas) continue;
    shape.ctas = volume(launch->grid);
    shape.threads_per_cta = volume(launch->block);
    shape.shared_bytes = launch->shared;
  }
  return shape.kernels > 0 ? std::optional(shape) : std::nullopt;
}

}  // namespace harness
