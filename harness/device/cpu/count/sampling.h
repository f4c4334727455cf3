#pragma once
#include <cstdint>
#include <vector>

namespace harness::cpu {

/// Which of a launch's blocks (or clusters) are counted, ascending, and for how many each stands.
struct Sample {
  std::vector<std::uint64_t> numbers;
  std::vector<std::int64_t> weights;  // together as many as there are
};

/// All where there are no more than `most` (at least 4); else the first and the last, which stand for themselves, and
/// one of each of most - 2 equal stretches between them. Of fewer blocks than four times `most` a sixth, at most half
/// as many and at least 4. The same on every machine.
Sample sample_blocks(std::uint64_t blocks, int most);

}  // namespace harness::cpu
