#pragma once
#include <harness/attention_wgmma.cuh>

// What the attention variants with specialized warps share: the rings between the warpgroup that copies and those that
// compute, and the walk of one consumer warpgroup over the tiles of K and V.
//
// The ring of tiles is addressed by steps that count from the block's first tile on: step s lies in stage s % STAGES,
// and its parity is that of s / STAGES.
//
// What a block works on is a tile of queries with the members of AttentionTile: `end_of`, `first_of_keys`, `load` and
// `shape`. A kernel whose sequences lie otherwise has a tile of its own (attention_varlen has one).
namespace harness {

template <int STAGES>
struct TileRing {
  harness::Mbarrier keys_full[STAGES], keys_empty[STAGES], values_full[STAGES], values_empty[STAGES];

  /// By one thread. `warps`: that consume; a tile is given back by one arrival of each.
  __device__ void init(int warps) {
    for (int s = 0; s < STAGES; ++s) {
      harness::mbarrier_init(&keys_full[s], 1);
      harness::mbarrier_init(&values_full[s], 1);
      harness::mbarrier_init(&keys_empty[s], warps);
      harness::mbarrier_init(&values_empty[s], warps);
    }
    harness::mbarrier_init_fence();
  }
  __device__ static int stage(int step) { return step % STAGES; }
  __device__ static int parity(int step) { return step / STAGES & 1; }
};

/// Query tiles in QUERIES buffers: that of turn t lies in buffer t % QUERIES.
template <int QUERIES>
struct QueryRing {
  harness::Mbarrier full[QUERIES], empty[QUERIES];

  __device__ void init(int warps) {
    for (int i = 0; i < QUERIES; ++i) {
      harness::mbarrier_init(&full[i], 1);
      harness::mbarrier_init(&empty[i], warps);
    }
    harness::mbarrier_init_fence();
  }
  __device__ static int buffer(int turn) { return turn % QUERIES; }
  __device__ static int parity(int turn) { return turn / QUERIES & 1; }
};

/// The producer's half: one thread fills the stages of one block, in the order in which they are consumed.
template <class T, int D, int BLOCK_N, int STAGES>
struct Producer {
  static constexpr int kTile = WgmmaRows<T, D, BLOCK_N>::kTile;
  TileRing<STAGES>& ring;
  const harness::TensorMap& k_map;
  const harness::TensorMap& v_map;
  T* k_tiles;
  T* v_tiles;

  template <class Tile>
  __device__ void keys(const Tile& tile, int step, int first_key) const {
    fill(k_tiles, k_map, ring.keys_full, ring.keys_empty, tile, step, first_key);
  }
  template <class Tile>
  __device__ void values(const Tile& tile, int step, int first_key) const {
    fill(v_tiles, v_map, ring.values_full, ring.values_empty, tile, step, first_key);
  }

 private:
  template <class Tile>
  __device__ void fill(T* tiles, const harness::TensorMap& map, harness::Mbarrier* full, harness::Mbarrier* empty,
                       const Tile& tile, int step, int first_key) const {
    const int stage = ring.stage(step);
    harness::mbarrier_wait(&empty[stage], ring.parity(step) ^ 1);
    harness::mbarrier_arrive_expect(&full[stage], 2 * kTile);
    tile.template load<D, BLOCK_N>(tiles + stage * kTile, map, &full[stage], first_key);
  }
};

// Named barriers: 0 is __syncthreads, then one for the turn of each consumer warpgroup.
template <int WARPGROUPS>
struct Turns {
  static constexpr unsigned kThreads = 256;  // those of who waits and who hands on

  __device__ static void wait(int warpgroup) {
    if (warpgroup == 0) harness::named_barrier_sync<1>(kThreads);
    else if (warpgroup == 1) harness::named_barrier_sync<2>(kThreads);
    else harness::named_barrier_sync<3>(kThreads);
  }
  __device__ static void hand_on(int warpgroup) {
    const int next = warpgroup + 1 == WARPGROUPS ? 0 : warpgroup + 1;
    if (next == 0) harness::named_barrier_arrive<1>(kThreads);
    else if (next == 1) harness::named_barrier_arrive<2>(kThreads);
    else harness::named_barrier_arrive<3>(kThreads);
  }
};

/// What setmaxnreg shares out: the registers with which BLOCKS blocks of WARPGROUPS + 1 warpgroups fit an SM of 65,536.
template <int WARPGROUPS, int BLOCKS = 1>
constexpr int kConsumerRegisters = BLOCKS == 2       ? (WARPGROUPS == 1 ? 216 : 104)
                                   : WARPGROUPS == 1 ? 256
                                   : WARPGROUPS == 2 ? 240
                                                     : 160;
template <int WARPGROUPS, int BLOCKS = 1>
constexpr int kProducerRegisters = BLOCKS == 2       ? (WARPGROUPS == 1 ? 40 : 32)
                                   : WARPGROUPS == 1 ? 56
                                   : WARPGROUPS == 2 ? 24
                                                     : 32;

/// One warpgroup's walk over all `tiles` of K and V, whose first is step `first_step` of the ring. It goes from the
/// last keys to the first: masked tiles come first.
///   SCHEDULE 0: a tile's scores, its exponentials, its second product, one after the other. Two warpgroups drift apart
///     by themselves, and one multiplies while the other exponentiates.
///   SCHEDULE 1, overlapped: the scores of the next tile are multiplied while the exponentials of this one are
///     computed, together with the second product of this one. Costs BLOCK_N / 2 more registers.
///   PINGPONG 1: named barriers give the tensor cores to one consumer warpgroup after the other, so that their
///     exponentials come at different times. Every tile is a turn.
///   POLYNOMIAL: quarters of the exponentials that are not left to the special function unit, which is as busy as the
///     tensor cores at D = 64.
/// A warpgroup passes over tiles that its own rows do not see: behind their diagonal, and all where it has no rows.
/// With blocks of 192 rows and tiles of 128 keys that is one in ten for causal attention over 2048 keys.
template <class T, int D, int WARPGROUPS, int BLOCK_N, int STAGES, int SCHEDULE, int PINGPONG, int POLYNOMIAL = 0>
struct Consumer {
  using Rows = WgmmaRows<T, D, BLOCK_N>;
  using Turn = Turns<WARPGROUPS>;
  static constexpr bool kTurns = PINGPONG && WARPGROUPS > 1;

  TileRing<STAGES>& ring;
  int warpgroup;
  const T *k_tiles, *v_tiles;
  float factor;
  bool speaks;  // for its warp

  __device__ Consumer(TileRing<STAGES>& ring, int warpgroup, const T* k_tiles, const T* v_tiles, float factor)
      : ring(ring),
        warpgroup(warpgroup),
        k_tiles(k_tiles),
        v_tiles(v_tiles),
        factor(factor),
        speaks(threadIdx.x % 32 == 0) {}

  /// The first turn is the first warpgroup's. It also takes the last one, so that no barrier is left half full.
  __device__ void begin_turns() const {
    if (kTurns && warpgroup == WARPGROUPS - 1) Turn::hand_on(warpgroup);
  }
  __device__ void end_turns() const {
    if (kTurns && warpgroup == 0) Turn::wait(warpgroup);
  }

  __device__ void give_back(harness::Mbarrier* empty) const {
    if (speaks) harness::mbarrier_arrive(empty);
  }

  /// The queries lie in `q_tile`, which is given back as soon as the last scores are there.
  template <class Tile>
  __device__ void walk(Rows& rows, const Tile& tile, int tiles, int first_step, const T* q_tile,
                       harness::Mbarrier* queries_empty) const {
    const T* const own_queries = q_tile + warpgroup * 64 * Rows::kPanelRow;  // first row of the first panel
    const int end = tile.end_of(warpgroup);
    int step = 0;
    for (; step < tiles && end <= tile.first_of_keys() + (tiles - 1 - step) * BLOCK_N; ++step) pass(first_step + step);
    if (step == tiles) {
      __syncwarp();  // no product brings the lanes together, and one may still be waiting for what is given back
      give_back(queries_empty);
    } else if constexpr (SCHEDULE == 0) {
      one_by_one(rows, tile, step, tiles, first_step, own_queries, queries_empty);
    } else {
      overlap(rows, tile, step, tiles, first_step, own_queries, queries_empty);
    }
  }

 private:
  /// A tile that this warpgroup does not see. It may be given back only once it is there: before, what is given back
  /// would be the stage's tile before.
  __device__ void pass(int at) const {
    if constexpr (kTurns) {
      Turn::wait(warpgroup);
      Turn::hand_on(warpgroup);
    }
    harness::mbarrier_wait(&ring.keys_full[ring.stage(at)], ring.parity(at));
    harness::mbarrier_wait(&ring.values_full[ring.stage(at)], ring.parity(at));
    __syncwarp();  // no lane waits any more for what is given back
    give_back(&ring.keys_empty[ring.stage(at)]);
    give_back(&ring.values_empty[ring.stage(at)]);
  }

  /// SCHEDULE 0, from step `step` of the walk to its end.
  template <class Tile>
  __device__ void one_by_one(Rows& rows, const Tile& tile, int step, int tiles, int first_step, const T* own_queries,
                             harness::Mbarrier* queries_empty) const {
    for (; step < tiles; ++step) {
      const int at = first_step + step;
      typename Rows::Scores score;
      typename Rows::Packed p;
      float rescale[2];
      if constexpr (kTurns) Turn::wait(warpgroup);
      start_scores(score, own_queries, at);
      harness::wgmma_wait<0>();
      give_back(&ring.keys_empty[ring.stage(at)]);
      if (step == tiles - 1) give_back(queries_empty);
      if constexpr (kTurns) Turn::hand_on(warpgroup);
      exponentiate(rows, score, rescale, tile, tiles - 1 - step);
      rows.rescale_output(rescale);
      Rows::pack(p, score);
      start_values(rows, p, at);
      harness::wgmma_wait<0>();
      give_back(&ring.values_empty[ring.stage(at)]);
    }
  }

  /// SCHEDULE 1: whole tiles, from step `step` of the walk to its end.
  template <class Tile>
  __device__ void overlap(Rows& rows, const Tile& tile, int step, int tiles, int first_step, const T* own_queries,
                          harness::Mbarrier* queries_empty) const {
    typename Rows::Scores score;
    typename Rows::Packed p;
    float rescale[2];
    if constexpr (kTurns) Turn::wait(warpgroup);
    start_scores(score, own_queries, first_step + step);
    if constexpr (kTurns) Turn::hand_on(warpgroup);
    harness::wgmma_wait<0>();
    give_back(&ring.keys_empty[ring.stage(first_step + step)]);
    exponentiate(rows, score, rescale, tile, tiles - 1 - step);
    Rows::pack(p, score);
    for (++step; step < tiles; ++step) {
      const int at = first_step + step;
      if constexpr (kTurns) Turn::wait(warpgroup);
      start_scores(score, own_queries, at);
      start_values(rows, p, at - 1);
      if constexpr (kTurns) Turn::hand_on(warpgroup);
      harness::wgmma_wait<1>();
      give_back(&ring.keys_empty[ring.stage(at)]);
      exponentiate(rows, score, rescale, tile, tiles - 1 - step);
      harness::wgmma_wait<0>();
      give_back(&ring.values_empty[ring.stage(at - 1)]);
      rows.rescale_output(rescale);
      Rows::pack(p, score);
    }
    give_back(queries_empty);
    start_values(rows, p, first_step + tiles - 1);
    harness::wgmma_wait<0>();
    give_back(&ring.values_empty[ring.stage(first_step + tiles - 1)]);
  }

  __device__ void start_scores(typename Rows::Scores& score, const T* own_queries, int step) const {
    harness::mbarrier_wait(&ring.keys_full[ring.stage(step)], ring.parity(step));
    harness::wgmma_fence();
    Rows::multiply_keys(score, own_queries, 64 * WARPGROUPS, k_tiles + ring.stage(step) * Rows::kTile);
    harness::wgmma_commit();
  }
  __device__ void start_values(Rows& rows, const typename Rows::Packed& p, int step) const {
    harness::mbarrier_wait(&ring.values_full[ring.stage(step)], ring.parity(step));
    harness::wgmma_fence();
    rows.multiply_values(p, v_tiles + ring.stage(step) * Rows::kTile);
    harness::wgmma_commit();
  }
  template <class Tile>
  __device__ void exponentiate(Rows& rows, typename Rows::Scores& score, float (&rescale)[2], const Tile& tile,
                               int tile_of_keys) const {
    tile.template shape<T, D, BLOCK_N>(rows, score, tile.first_of_keys() + tile_of_keys * BLOCK_N);
    rows.template exponentiate<POLYNOMIAL>(score, rescale, factor);
  }
};

}  // namespace harness
