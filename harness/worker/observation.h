#pragma once
#include <functional>
#include <memory>

#include "harness/core/observation.h"
#include "harness/device/port/device_kind.h"

namespace harness {

/// Observes on a device whose memory checker is an instrumented build. `kind` and what it returns must outlive the
/// observer. `stop`: somebody wants to end.
std::unique_ptr<Observer> make_observer(const DeviceKind& kind, const Target& target, std::function<bool()> stop);

}  // namespace harness
