#pragma once
#include <harness/shared_address.cuh>
#include <harness/site.cuh>

// Matrices of 8 x 8 16-bit elements between shared memory and the registers of a warp, in the layout of mma.cuh's
// operands: PTX ISA, ldmatrix (sm_75) and stmatrix (sm_90), .m8n8.shared.b16.
//
// A matrix is 8 rows of 16 bytes, each anywhere in shared memory at a multiple of 16 bytes. Lane 8 m + r names row r of
// matrix m: the lanes 0-7 the first matrix, 8-15 the second (x2, x4), 16-31 the third and fourth (x4); what the other
// lanes pass is not used. Of each matrix, lane l gets (or gives) the elements 2 (l % 4) and 2 (l % 4) + 1 of row l / 4
// in one register, the lower column in the lower half. With _trans the matrix is transposed on the way: lane l gets the
// elements of rows 2 (l % 4) and 2 (l % 4) + 1 in column l / 4.
//
// Eight rows are moved at a time; they should lie in eight different 16-byte words of a 128-byte line (that is, of the
// banks). All 32 lanes execute it together. It orders no memory: rows that other threads have written need a barrier
// (__syncwarp for those of the same warp) before.
namespace harness {

#ifdef __HARNESS_CPU__
#define HARNESS_LDMATRIX(count, transposed) harness_cpu_ldmatrix(count, transposed, r, row, file, line)
#define HARNESS_STMATRIX(count, transposed) harness_cpu_stmatrix(count, transposed, row, r, file, line)
#endif

__device__ inline void ldmatrix_x1(unsigned (&r)[1], const void* row HARNESS_SITE) {
#ifdef __HARNESS_CPU__
  HARNESS_LDMATRIX(1, 0);
#else
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
               : "=r"(r[0])
               : "r"(shared_address(row))
               : "memory");
#endif
}
__device__ inline void ldmatrix_x1_trans(unsigned (&r)[1], const void* row HARNESS_SITE) {
#ifdef __HARNESS_CPU__
  HARNESS_LDMATRIX(1, 1);
#else
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
               : "=r"(r[0])
               : "r"(shared_address(row))
               : "memory");
#endif
}
__device__ inline void ldmatrix_x2(unsigned (&r)[2], const void* row HARNESS_SITE) {
#ifdef __HARNESS_CPU__
  HARNESS_LDMATRIX(2, 0);
#else
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"(shared_address(row))
               : "memory");
#endif
}
__device__ inline void ldmatrix_x2_trans(unsigned (&r)[2], const void* row HARNESS_SITE) {
#ifdef __HARNESS_CPU__
  HARNESS_LDMATRIX(2, 1);
#else
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"(shared_address(row))
               : "memory");
#endif
}
__device__ inline void ldmatrix_x4(unsigned (&r)[4], const void* row HARNESS_SITE) {
#ifdef __HARNESS_CPU__
  HARNESS_LDMATRIX(4, 0);
#else
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(row))
               : "memory");
#endif
}
__device__ inline void ldmatrix_x4_trans(unsigned (&r)[4], const void* row HARNESS_SITE) {
#ifdef __HARNESS_CPU__
  HARNESS_LDMATRIX(4, 1);
#else
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(row))
               : "memory");
#endif
}

__device__ inline void stmatrix_x4(void* row, const unsigned (&r)[4] HARNESS_SITE) {
#ifdef __HARNESS_CPU__
  HARNESS_STMATRIX(4, 0);
#else
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
               :
               : "r"(shared_address(row)), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
               : "memory");
#endif
}
__device__ inline void stmatrix_x4_trans(void* row, const unsigned (&r)[4] HARNESS_SITE) {
#ifdef __HARNESS_CPU__
  HARNESS_STMATRIX(4, 1);
#else
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};"
               :
               : "r"(shared_address(row)), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
               : "memory");
#endif
}

#undef HARNESS_LDMATRIX
#undef HARNESS_STMATRIX

}  // namespace harness
