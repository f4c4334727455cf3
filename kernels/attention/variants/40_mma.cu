#include <harness/attention_mma.cuh>

// Idea (FlashAttention 2; playbook 104 and 105): the walk of 10_fa1 with both products on the tensor cores by mma.sync.
// The layout of every fragment is known, so the scores become the operand of the second product without leaving their
// registers; K and V stream through a ring of shared tiles by cp.async while earlier ones are multiplied; an XOR
// swizzle keeps ldmatrix free of bank conflicts; tiles that no mask touches have a loop of their own.
// Cost: registers. A lane holds TILES * (D + BLOCK_N) / 2 accumulators, and TILES * D / 4 more with the queries in
// registers. Causal blocks stop at their diagonal; the longest start first, so that none is left over at the end.
// Stops: mma.sync reaches about two thirds of the tensor cores' rate on Hopper (wgmma all of it, reading its operands
// from shared memory by itself); the exponentials of a warp wait for its own products; and few queries make few
// blocks (45_mma_split).
template <class T, int D, int WARPS, int TILES, int BLOCK_N, int RING, int Q_REGISTERS, int BLOCKS>
__global__ void __launch_bounds__(32 * WARPS, BLOCKS)
    attention_mma(const T* q, const T* k, const T* v, T* o, float* lse, float scale, int Hq, int Hkv, int Sq, int Sk,
                  int causal) {
  using Tile = harness::MmaTile<T, D, WARPS, TILES, BLOCK_N, RING, Q_REGISTERS != 0>;
  extern __shared__ float4 shared_memory[];
  const int block = causal ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
  const int first_query = block * Tile::kBlockM;
  const int queries = min(Tile::kBlockM, Sq - first_query);
  const long long head = static_cast<long long>(blockIdx.z) * Hq + blockIdx.y;
  const long long kv_head = static_cast<long long>(blockIdx.z) * Hkv + blockIdx.y / (Hq / Hkv);
  const long long first_of_out = head * Sq + first_query;

  // Row r of the tile sees key j iff j <= r + diagonal; the last row decides where the block may stop.
  const int diagonal = causal ? first_query + Sk - Sq : Sk;
  const int end = min(Sk, max(0, diagonal + queries));

  Tile tile(reinterpret_cast<char*>(shared_memory));
  tile.load_queries(q + first_of_out * D, queries);
  tile.attend(k + kv_head * Sk * D, v + kv_head * Sk * D, 0, end, harness::Diagonal{diagonal},
              scale * 1.4426950408889634f);
  tile.store(o + first_of_out * D, lse ? lse + first_of_out : nullptr, queries);
}
