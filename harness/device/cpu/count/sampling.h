#pragma once
#include <cstdint>
#include <vector>

namespace harness::cpu {

/// Which of a launch's blocks (or clusters) are counted, ascending, and for how many each stands.
struct Sample {
  std::vector<std::uint64_t> numbers;
  std::vector<std::int64_t> weights;  // together as many as there are
};

Sample all_blocks(std::uint64_t blocks);

/// At most `most` (at least 4), the same on every machine for one `seed`. Of four times as many or more: the first and
/// the last, which stand for themselves, and one of each of most - 2 equal stretches between them. Up to two are
/// counted all. Between that and four times `most` a counted block must not cost too much: of less than 12 two are
/// counted, else a sixth, at least 4 and at most half of `most`.
///
/// So few blocks are taken column by column: `columns` is how many there are of different place in the first dimension
/// of the grid that has more than one, which divides `blocks`; block i is of column i % columns. Those of one column
/// are mostly alike, and the last column has what is left over. Of two the last block stands for its column, one in
/// the middle of the others for them. Of more, the first and the last stand for their columns, but each for no more
/// than a third of all (of more than four for no more than an equal share), and the others for stretches between.
Sample sample_blocks(std::uint64_t blocks, int most, std::uint64_t columns, std::uint64_t seed = 0);

}  // namespace harness::cpu
