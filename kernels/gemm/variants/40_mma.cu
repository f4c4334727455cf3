#include "mma_tile.cuh"
#include "tile_order.cuh"

// Idea (playbook 104, 105): the tensor cores multiply 16 x 16 by 16 x 8 with one instruction of a warp, and add in
// fp32. Their operands come from shared memory by ldmatrix; cp.async fills the next slices meanwhile.
//
//
//
// Stops: at two thirds of an sm_90's tensor cores, whose full rate only wgmma reaches; below 128 rows at how many bytes
// of b are on their way at a time.
template <class T, class Out, bool BIAS, bool GELU, bool SILU, bool OTHER, bool RESIDUAL, bool LINEAR, int BLOCK_M,
          int BLOCK_N, int WARPS_M, int WARPS_N, int STAGES>
__global__ void __launch_bounds__(32 * WARPS_M * WARPS_N)
    gemm_mma(const T* a, const T* b, const T* bias, const T* other, const T* residual, Out* d, int M, int N, int K,
             long long lda, long long ldb, long long ldd, int group) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  const int2 at = TileOrder(M, N, BLOCK_M, BLOCK_N, group).tile(blockIdx.x);
  const int first_row = at.x * BLOCK_M, first_column = at.y * BLOCK_N;
  MmaTile<T, BLOCK_M, BLOCK_N, WARPS_M, WARPS_N, STAGES, LINEAR> tile;
  tile.multiply(reinterpret_cast<T*>(shared_memory), a, b, first_row, first_column, M, N, K, lda, ldb, 0,
                (K + 63) / 64);
  tile.store(Epilogue<T, Out, BIAS, GELU, SILU, OTHER, RESIDUAL>{d, bias, other, residual, M, N, ldd}, first_row,
             first_column);
}
