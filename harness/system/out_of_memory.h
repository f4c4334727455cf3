#pragma once

namespace harness {

/// How many processes this machine has killed since it started because its memory, or that of a container, ran out;
/// 0 where it does not say.
long out_of_memory_kills();

}  // namespace harness
