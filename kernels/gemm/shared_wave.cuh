#pragma once

// How tiles are given to resident blocks so that no wave is a half-empty one. As many tiles as make whole waves go
// whole, one to a block. The others lie in a line, slice of K after slice of K, and the line is cut into equal pieces,
// one for each block: so a block may have the end of one tile and the beginning of the next (stream-K). Shared tiles
// come first, so that the way of their sums is spread over the whole tiles behind them.
struct Piece {
  int tile, begin, end;  // slices
};

class SharedWave {
 public:
  struct Owners {
    int first, count;
  };

  /// `most`: pieces of a tile, more or less; each has a slice at least.
  __device__ SharedWave(int tiles, int slices, int most) : tiles_(tiles), slices_(slices) {
    const int blocks = gridDim.x;
    shared_ = tiles % blocks;
    if (20 * shared_ > 17 * blocks) shared_ = 0;  // a wave that is nearly full stays as it is
    sharers_ = max(1, min(blocks, min(shared_ * most, shared_ * slices)));
    if (sharers_ <= shared_) shared_ = 0;  // nobody to share with
    at_ = begin_of(number());
    whole_ = shared_ + number();
  }

  __device__ static int number() { return blockIdx.x; }
  /// This block's next piece; false where there is none.
  __device__ bool next(Piece& piece) {
    const int until = begin_of(number() + 1);
    if (at_ < until) {
      const int tile = at_ / slices_, begin = at_ - tile * slices_, end = min(slices_, begin + until - at_);
      piece = {tile, begin, end};
      at_ += end - begin;
      return true;
    }
    if (whole_ >= tiles_) return false;
    piece = {whole_, 0, slices_};
    whole_ += gridDim.x;
    return true;
  }
  __device__ bool is_whole(const Piece& piece) const { return piece.end - piece.begin == slices_; }

  /// The blocks that have pieces of a shared tile, in the order of the slices.
  __device__ Owners owners(int tile) const {
    int first = number(), behind = number() + 1;
    while (begin_of(first) > tile * slices_) --first;
    while (begin_of(behind) < (tile + 1) * slices_) ++behind;
    return {first, behind - first};
  }
  /// Where block `number` leaves its sums of that tile: a block has pieces of two tiles that others have pieces of.
  __device__ int slot(int tile, int number) const { return 2 * number + (begin_of(number) > tile * slices_ ? 1 : 0); }

 private:
  /// Where block `number` begins on the line.
  __device__ int begin_of(int number) const {
    if (number >= sharers_) return shared_ * slices_;
    return static_cast<int>(static_cast<long long>(shared_ * slices_) * number / sharers_);
  }
  int tiles_, slices_, shared_, sharers_, at_, whole_;
};
