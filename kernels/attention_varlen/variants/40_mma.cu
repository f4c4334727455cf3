#include <harness/attention_mma.cuh>

#include "sequence_tile.cuh"

// Idea (FlashAttention 2; playbook 104 and 105): attention's 40_mma on packed sequences. A block takes a tile of
// queries of one sequence and one head. It finds which from the list of starts (sequence_tile.cuh), so the grid is
// known without the lengths. The walk begins at the first key that its first row sees and ends behind the last key of
// its last row. Only tiles at these two edges are masked.
//   Soft cap: tanh from one exponential and one reciprocal, before the mask. Sink: one more term in the sum at the end.
// Cost: up to a block a sequence has no rows and ends at once. Rows of a head lie Hkv * D elements apart, so a tile is
// read in pieces of 2 * D bytes.
// Stops: at the rate of mma.sync, two thirds of the tensor cores'; a query head alone walks over keys that its whole
// group reads; a decoder's step fills one of 64 rows.
template <class T, int D, int WARPS, int TILES, int BLOCK_N, int RING, int Q_REGISTERS, int BLOCKS, int CAP>
__global__ void __launch_bounds__(32 * WARPS, BLOCKS)
    attention_mma(const T* q, const T* k, const T* v, const int* cu_q, const int* cu_k, const float* sinks, T* o,
                  float scale, float cap, int B, int Hq, int Hkv, int window, int causal) {
  using Tile = harness::MmaTile<T, D, WARPS, TILES, BLOCK_N, RING, Q_REGISTERS != 0, SequencePitch>;
  extern __shared__ float4 shared_memory[];
  // The longest walks of a sequence are its last queries': they come first.
  const SequenceTile work(gridDim.y - 1 - blockIdx.y, Tile::kBlockM, cu_q, cu_k, B, Sight{window, causal != 0});
  if (work.queries <= 0) return;
  const int head = blockIdx.x, kv_head = head / (Hq / Hkv);
  const SequencePitch pitch{Hq * D, Hkv * D};
  const long long first_of_out = (static_cast<long long>(work.first_query) * Hq + head) * D;
  const long long first_of_keys = (static_cast<long long>(work.first_key) * Hkv + kv_head) * D;
  const Logits<(CAP > 0)> logits(scale, cap);

  Tile tile(reinterpret_cast<char*>(shared_memory), pitch);
  tile.load_queries(q + first_of_out, work.queries);
  tile.attend(k + first_of_keys, v + first_of_keys, work.begin, work.end, SequenceRows<(CAP > 0)>{work, logits},
              logits.factor);
  if (sinks) tile.add_sink(sinks[head] * kLog2E);
  tile.store(o + first_of_out, nullptr, work.queries);
}
