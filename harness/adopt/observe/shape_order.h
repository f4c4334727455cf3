#pragma once
#include "harness/adopt/observe/observing.h"

namespace harness::adopt {

/// Puts the sizes of the kernel's shapes into the order that they have in memory. Which size of a product is innermost,
/// what one block or one thread touches tells. Rows must be longer than what a block takes at once, so wide sizes are
/// tried first; matrices must be smaller, so others are tried, too. Shapes must be kept.
void order_shapes(const Observing& observing);

}  // namespace harness::adopt
