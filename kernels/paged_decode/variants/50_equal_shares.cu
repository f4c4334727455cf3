#include <harness/chunked_tile.cuh>
#include <harness/equal_shares.cuh>
#include <harness/mbarrier.cuh>
#include <harness/tma.cuh>
#include <harness/warpgroup.cuh>

// Idea: two things keep 40_streamed from the memory's rate. It splits each sequence into SPLITS ranges, so the block
// with the longest range works on when the others are done: with lengths of 4,096 to 8,192 a third longer than the
// average. And a block reads one head: 256 bytes of a key, then nothing of the next few kilobytes.
//
// So here all keys of all sequences are one line, cut into equal shares, one a block. A share ends in the middle of a
// sequence, and the next begins there; where a sequence has several owners, the one that comes last puts their results
// together. And a block takes HEADS key heads, which lie next to each other: one bulk copy a key and operand (playbook
// 105) brings them all. One warp asks, a lane a copy, looks up the pages of what comes next meanwhile, and has RING
// rounds under way; it needs no registers for them, so what is under way is bounded by shared memory (some 190 KB a
// multiprocessor) and no longer by what a tile leaves. Each other warp has one head and 16 keys of a round.
//
// A key's place in shared memory is 16 bytes longer than its bytes: eight lanes then read their 16 bytes of four keys
// from different banks.
//
// Cost: every block adds up the lengths before it begins; a round is 16 * PARTS keys, and the last of each sequence is
// filled up with copies of its last key. Stops: at the bandwidth of memory; with few keys at three trips to it
// (lengths, table, keys) and the meeting of the owners.
/// Of one head and PARTS warps, in shared memory.
template <int PARTS, int GROUP, int D>
struct HeadResults {
  float out[PARTS][GROUP][D + 1], largest[PARTS][GROUP], sum[PARTS][GROUP];

  template <class Tile>
  __device__ void put_down(const Tile& tile, int part) {
#pragma unroll
    for (int h = 0; h < Tile::kRows / 8; ++h) {
      const float total = harness::warp_sum<4>(tile.sum[h]);
      if (tile.pair == 0 && 8 * h + tile.group < GROUP) {
        largest[part][8 * h + tile.group] = tile.largest[h];
        sum[part][8 * h + tile.group] = total;
      }
#pragma unroll
      for (int n = 0; n < tile.kOutTiles; ++n)
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const int row = 8 * h + 2 * tile.pair + i % 2;
          if (row < GROUP) out[part][row][tile.column(n) + i / 2] = tile.out[h][n][i];
        }
    }
  }
  __device__ harness::PackedPair together(int row, int column) const {
    harness::PackedPair each[PARTS], all;
#pragma unroll
    for (int p = 0; p < PARTS; ++p)
      each[p] = {{out[p][row][column], out[p][row][column + 1]}, largest[p][row], sum[p][row]};
    all.add(each);
    return all;
  }
};

/// In memory: [2 * shares, rows of a block] results. A share has at most two sequences with other owners: its first one
/// at `share`, one that only begins in it at shares + `share`.
template <int D, int ROWS_OF_SLOT>
struct Partials {
  float *o, *largest, *sum;

  __device__ void store(int slot, int row, int column, const harness::PackedPair& p) const {
    const int at = slot * ROWS_OF_SLOT + row;
    harness::store(o + static_cast<long long>(at) * D + column, harness::Vec<float, 2>{p.out[0], p.out[1]});
    if (column != 0) return;
    largest[at] = p.largest;
    sum[at] = p.sum;
  }
  /// Of the owners `begin` up to `end`, of which the first has its result in `slot`.
  __device__ harness::PackedPair together(int slot, int begin, int end, int row, int column) const {
    constexpr int kAtOnce = 8;
    harness::PackedPair all;
    for (int from = begin; from < end; from += kAtOnce) {
      harness::PackedPair each[kAtOnce];
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        if (from + i >= end) continue;
        const int at = (from + i == begin ? slot : from + i) * ROWS_OF_SLOT + row;
        const float2 two = __ldcg(reinterpret_cast<const float2*>(o + static_cast<long long>(at) * D + column));
        each[i] = {{two.x, two.y}, __ldcg(largest + at), __ldcg(sum + at)};
      }
      all.add(each);
    }
    return all;
  }
};

// Grid: shares x (Hkv / HEADS).
template <class T, int D, int BLOCK, int HQ, int HKV, int HEADS, int PARTS, int RING>
__global__ void __launch_bounds__(32 * (HEADS * PARTS + 1))
    decode_shares(const T* q, const T* k_pages, const T* v_pages, const int* lengths, const int* page_table, T* o,
                  float* o_partial, float* max_partial, float* sum_partial, unsigned* arrived, float scale, int B,
                  int max_pages) {
  constexpr int kGroup = HQ / HKV, ROWS = kGroup > 8 ? 16 : 8;  // query heads of a key head, in a tile of so many rows
  using Tile = harness::ChunkedTile<T, D, ROWS / 8>;
  constexpr int kWarps = HEADS * PARTS, kThreads = 32 * kWarps, kKeys = Tile::kKeys * PARTS;  // of a round
  constexpr int kBytes = HEADS * D * sizeof(T), kPitch = kBytes + 16, kOperand = kKeys * kPitch;
  extern __shared__ __align__(128) unsigned char shared_memory[];  // RING rounds of keys and values, then results
  __shared__ harness::Mbarrier full[RING], empty[RING];
  __shared__ harness::EqualShares<256> line;  // of rounds
  const int share = blockIdx.x, first_head = blockIdx.y * HEADS;
  constexpr long long kKeyStride = static_cast<long long>(HKV) * D;

  if (threadIdx.x == 0) {
    for (int s = 0; s < RING; ++s) {
      harness::mbarrier_init(&full[s], 1);
      harness::mbarrier_init(&empty[s], kThreads);
    }
    harness::mbarrier_init_fence();
  }
  line.lay_out(lengths, B, kKeys);
  const int shares = line.shares(gridDim.x);
  if (share >= shares) return;
  const int begin = line.begin(share, shares), end = line.begin(share + 1, shares);

  constexpr int kRows = HEADS * kGroup;  // of the block
  const long long own = static_cast<long long>(blockIdx.y) * 2 * shares * kRows;
  const Partials<D, kRows> partials{o_partial + own * D, max_partial + own, sum_partial + own};

  if (threadIdx.x >= kThreads) {  // the warp that asks: each lane for copies of its own
    constexpr int kCopies = 2 * kKeys / 32;
    const int lane = threadIdx.x % 32;
    int sequence = line.sequence_of(begin);
    for (int round = begin; round < end; ++round) {
      if (round == line.first[sequence + 1]) ++sequence;
      const int last = lengths[sequence] - 1, stage = (round - begin) % RING;
      const int* const table = page_table + static_cast<long long>(sequence) * max_pages;
      const T* from[kCopies];
#pragma unroll
      for (int c = 0; c < kCopies; ++c) {  // asked for while the stage is still in use
        const int key = min((round - line.first[sequence]) * kKeys + (c * 32 + lane) % kKeys, last);
        const long long row = static_cast<long long>(table[key / BLOCK]) * BLOCK + key % BLOCK;
        from[c] = (c * 32 + lane < kKeys ? k_pages : v_pages) + row * kKeyStride + first_head * D;
      }
      harness::mbarrier_wait(&empty[stage], ((round - begin) / RING & 1) ^ 1);
      if (lane == 0) harness::mbarrier_arrive_expect(&full[stage], 2 * kKeys * kBytes);
      __syncwarp();
#pragma unroll
      for (int c = 0; c < kCopies; ++c)
        harness::bulk_load(shared_memory + stage * 2 * kOperand + (c * 32 + lane) * kPitch, from[c], kBytes,
                           &full[stage]);
    }
  } else {
    auto* const results = reinterpret_cast<HeadResults<PARTS, kGroup, D>*>(shared_memory + RING * 2 * kOperand);
    const int head = harness::uniform(threadIdx.x / 32) / PARTS, part = harness::uniform(threadIdx.x / 32) % PARTS;
    const float factor = scale * 1.4426950408889634f;
    int round = begin;
    for (int sequence = line.sequence_of(begin); round < end; ++sequence) {
      const int first = line.first[sequence], behind = line.first[sequence + 1], to = min(end, behind);
      const int length = lengths[sequence];
      const long long first_row = static_cast<long long>(sequence) * HQ + first_head * kGroup;  // of the block's heads
      const bool whole = round == first && to == behind;
      const int slot = round == first && round != begin ? shares + share : share;
      Tile tile;
      tile.load_queries(q + (first_row + head * kGroup) * D, kGroup);
      for (; round < to; ++round) {
        const int stage = (round - begin) % RING, key = (round - first) * kKeys + part * Tile::kKeys;
        const unsigned char* const k =
            shared_memory + stage * 2 * kOperand + part * Tile::kKeys * kPitch + head * D * sizeof(T);
        harness::mbarrier_wait(&full[stage], (round - begin) / RING & 1);
        if (key < length) {
          const auto at = [&](int row, int column) {
            return harness::load<4>(reinterpret_cast<const unsigned*>(k + row * kPitch + column * sizeof(T)));
          };
          typename Tile::Keys keys;
#pragma unroll
          for (int n = 0; n < 2; ++n)
#pragma unroll
            for (int j = 0; j < Tile::kKeyLoads; ++j) keys[n][j] = at(tile.key_row(n), tile.key_column(j));
          float score[2][4] = {};
          tile.multiply_chunks(score[0], score[1], keys);
          typename Tile::Values values;
#pragma unroll
          for (int r = 0; r < 4; ++r)
#pragma unroll
            for (int j = 0; j < Tile::kValueLoads; ++j)
              values[r][j] = at(kKeys + tile.value_row(r), tile.value_column(j));
          unsigned p[ROWS / 8][2];
          tile.mask(score, key, length, harness::PackedRows{0, 1, length});
          tile.exponentiate(score, p, factor);
          tile.add_chunks(p, values);
        }
        harness::mbarrier_arrive(&empty[stage]);  // each lane for what it has read
      }

      // The warps of a head put their results together.
      const harness::PackedOutput<T, D> output{o + first_row * D, nullptr};
      results[head].put_down(tile, part);
      harness::named_barrier_sync<1>(kThreads);
      for (int i = 2 * threadIdx.x; i < kRows * D; i += 2 * kThreads) {
        const int row = i / D, column = i % D;
        const harness::PackedPair p = results[row / kGroup].together(row % kGroup, column);
        if (whole) output.store(row, column, p);
        else partials.store(slot, row, column, p);
      }
      harness::named_barrier_sync<1>(kThreads);  // results are free again
    }
  }

  // The owners of a sequence: the one that comes last puts their results together. A share has two such sequences at
  // most, its first and its last.
  for (int which = 0; which < 2; ++which) {
    const int sequence = line.sequence_of(which == 0 ? begin : end - 1);
    const int first = line.first[sequence], behind = line.first[sequence + 1];
    if (which == 1 && first <= begin) break;        // it is the first one, too
    if (begin <= first && behind <= end) continue;  // nobody else has any of it
    const int first_owner = line.owner(first, shares), last_owner = line.owner(behind - 1, shares);
    __syncthreads();  // all of this block's results are written, behind one fence for all
    bool is_last = false;
    if (threadIdx.x == 0) {
      __threadfence();
      const unsigned before = atomicAdd(arrived + sequence * gridDim.y + blockIdx.y, 1u);
      is_last = static_cast<int>(before) == last_owner - first_owner;
      __threadfence();
    }
    if (!__syncthreads_or(is_last)) continue;
    const int its_slot = line.begin(first_owner, shares) < first ? shares + first_owner : first_owner;
    const harness::PackedOutput<T, D> output{o + (static_cast<long long>(sequence) * HQ + first_head * kGroup) * D,
                                             nullptr};
    for (int i = 2 * threadIdx.x; i < kRows * D; i += 2 * blockDim.x)
      output.store(i / D, i % D, partials.together(its_slot, first_owner, last_owner + 1, i / D, i % D));
  }
}
