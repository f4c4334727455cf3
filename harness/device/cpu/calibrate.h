#pragma once
#include "harness/core/card.h"

namespace harness::cpu {

/// A copy beyond the caches and a loop of multiply-adds on one core, in turns of a millisecond or a few: shorter than
/// what a busy machine gives a thread at once. The faster turns count, since others share the cores.
CardCalibration calibrate();

}  // namespace harness::cpu
