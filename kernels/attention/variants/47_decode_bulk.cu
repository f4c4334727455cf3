#include <harness/chunked_tile.cuh>
#include <harness/tma.cuh>

// Idea (playbook 112): 46_decode with tiles that bulk copies bring to shared memory. What memory delivers depends on
// how it is asked. The keys of a head lie next to each other, so one lane can ask for thousands of bytes in a row, and
// what is under way costs no registers. (docs/attention.md has what bare readings take.)
//
// Each warp has a ring of its own, of RING copies of KEYS keys, K and V in turn, and waits for nobody; a place that has
// been read is filled again at once. From shared memory a lane reads what it reads from global memory in 46_decode.
// That two lanes (K) or four (V) of eight meet in a bank there is hidden: memory needs some 400 cycles for 16 keys.
//
// Cost: WARPS * RING * KEYS rows of shared memory; sm_90 and later. Stops: as 46_decode.

template <class T, int D, int HALVES, int KEYS, int RING>
struct RingTile : harness::ChunkedTile<T, D, HALVES> {
  using Base = harness::ChunkedTile<T, D, HALVES>;

  T* ring;                  // [RING][KEYS, D]
  harness::Mbarrier* full;  // [RING]
  const T *k, *v;           // of the head
  int begin, end, stride;   // the warp's tiles: KEYS keys at begin, begin + stride... before end

  /// Copy 2 i brings the keys of tile i, copy 2 i + 1 its values.
  __device__ void ask(int copy) const {
    const int first = begin + copy / 2 * stride;
    if (first >= end || threadIdx.x % 32 != 0) return;
    const unsigned bytes = min(KEYS, end - first) * D * sizeof(T);
    harness::mbarrier_arrive_expect(&full[copy % RING], bytes);
    harness::bulk_load(ring + copy % RING * KEYS * D, (copy % 2 ? v : k) + first * D, bytes, &full[copy % RING]);
  }

  __device__ void start() const {
    if (threadIdx.x % 32 == 0) {
      for (int i = 0; i < RING; ++i) harness::mbarrier_init(&full[i], 1);
      harness::mbarrier_init_fence();
    }
    __syncwarp();
    for (int copy = 0; copy < RING; ++copy) ask(copy);
  }

  __device__ void attend(harness::PackedRows rows, float factor) {
    int copy = 0;
    for (int first = begin; first < end; first += stride) {
      const int last = min(KEYS, end - first) - 1;  // row that came
      float score[KEYS / 8][4] = {};
      multiply_tile(score, wait(copy), last);
      give_back(copy++);
      this->mask(score, first, end, rows);
      unsigned p[HALVES][KEYS / 8];
      this->exponentiate(score, p, factor);
      add_tile(p, wait(copy), last);
      give_back(copy++);
    }
  }

 private:
  __device__ const T* wait(int copy) const {
    harness::mbarrier_wait(&full[copy % RING], copy / RING & 1);
    return ring + copy % RING * KEYS * D;
  }
  __device__ void give_back(int copy) const {
    __syncwarp();  // all lanes have read it
    ask(copy + RING);
  }

  __device__ static harness::Vec<unsigned, 4> chunk(const T* at) {
    return harness::load<4>(reinterpret_cast<const unsigned*>(at));
  }

  /// What lies behind row `last` never came: that row stands in for it, and will weigh nothing.
  __device__ void multiply_tile(float (&score)[KEYS / 8][4], const T* tile, int last) const {
#pragma unroll
    for (int t = 0; t < KEYS; t += Base::kKeys) {
      typename Base::Keys keys;
#pragma unroll
      for (int n = 0; n < 2; ++n)
#pragma unroll
        for (int j = 0; j < Base::kKeyLoads; ++j)
          if (this->has_key_column(j))
            keys[n][j] = chunk(tile + min(t + this->key_row(n), last) * D + this->key_column(j));
          else keys[n][j] = {};
      this->multiply_chunks(score[t / 8], score[t / 8 + 1], keys);
    }
  }

  __device__ void add_tile(const unsigned (&p)[HALVES][KEYS / 8], const T* tile, int last) {
#pragma unroll
    for (int t = 0; t < KEYS; t += Base::kKeys) {
      typename Base::Values values;
#pragma unroll
      for (int r = 0; r < 4; ++r)
#pragma unroll
        for (int j = 0; j < Base::kValueLoads; ++j)
          if (this->has_value_column(j))
            values[r][j] = chunk(tile + min(t + this->value_row(r), last) * D + this->value_column(j));
          else values[r][j] = {};
      unsigned weights[HALVES][2];
#pragma unroll
      for (int h = 0; h < HALVES; ++h)
#pragma unroll
        for (int i = 0; i < 2; ++i) weights[h][i] = p[h][t / 8 + i];
      this->add_chunks(weights, values);
    }
  }
};

template <class T, int D, int ROWS, int WARPS, int KEYS, int RING>
__global__ void __launch_bounds__(32 * WARPS)
    attention_decode_bulk(const T* q, const T* k, const T* v, T* o, float* lse, float* o_partial, float* max_partial,
                          float* sum_partial, unsigned* arrived, float scale, int Hq, int Hkv, int Sq, int Sk,
                          int causal, int splits) {
  using Tile = RingTile<T, D, ROWS / 8, KEYS, RING>;
  constexpr int kRound = WARPS * KEYS;
  extern __shared__ __align__(128) unsigned char shared_memory[];
  __shared__ harness::Mbarrier full[WARPS][RING];
  const harness::PackedBlock block(ROWS, Hq, Hkv, Sq, Sk, causal != 0, splits);
  const int warp = threadIdx.x / 32;

  Tile tile;
  tile.ring = reinterpret_cast<T*>(shared_memory) + warp * RING * KEYS * D;
  tile.full = full[warp];
  tile.k = k + block.kv_head * Sk * D;
  tile.v = v + block.kv_head * Sk * D;
  tile.begin = block.begin(Sk, splits, kRound) + warp * KEYS;
  tile.end = block.end(Sk, splits, kRound);
  tile.stride = kRound;
  tile.start();
  tile.load_queries(q + block.first_of_out * D, block.valid);
  tile.attend(block.rows, scale * 1.4426950408889634f);

  __syncthreads();  // the rings are free: combine writes there
  const long long partial = block.tile_of_grid * splits * ROWS;
  harness::combine<WARPS>(
      tile, shared_memory, block.valid, block.split, splits,
      harness::PackedOutput<T, D>{o + block.first_of_out * D, lse ? lse + block.first_of_out : nullptr},
      harness::PackedPartials{o_partial + partial * D, max_partial + partial, sum_partial + partial,
                              arrived + block.tile_of_grid},
      [&](int n) { return tile.column(n); });
}
