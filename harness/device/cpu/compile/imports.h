#pragma once
#include <array>
#include <string_view>

namespace harness::cpu {

/// The functions and variables that the program exports to candidates (abi.h), as the linker has to know them.
inline constexpr std::array kExports = {
    "harness_cpu_barrier",
    "harness_cpu_barrier_arrive",
    "harness_cpu_warp",
    "harness_cpu_yield",
    "harness_cpu_fault",
    "harness_cpu_printf",
    "harness_cpu_thread_idx",
    "harness_cpu_block_idx",
    "harness_cpu_block_dim",
    "harness_cpu_grid_dim",
    "harness_cpu_passes",
    "harness_cpu_access",
    "harness_cpu_fence",
    "harness_cpu_misaligned",
    "harness_cpu_bad_index",
    "harness_cpu_allocated",
    "harness_cpu_released",
    "harness_cpu_shared_address",
    "harness_cpu_mbarrier_init",
    "harness_cpu_mbarrier_arrive",
    "harness_cpu_mbarrier_wait",
    "harness_cpu_mbarrier_test",
    "harness_cpu_tensor_load",
    "harness_cpu_tensor_store",
    "harness_cpu_bulk_load",
    "harness_cpu_bulk_store",
    "harness_cpu_bulk_commit",
    "harness_cpu_bulk_wait",
    "harness_cpu_proxy_fence",
    "harness_cpu_wgmma",
    "harness_cpu_wgmma_commit",
    "harness_cpu_wgmma_wait",
    "harness_cpu_mma_m16n8k16",
    "harness_cpu_ldmatrix",
    "harness_cpu_stmatrix",
    "harness_cpu_cp_async",
    "harness_cpu_cp_async_commit",
    "harness_cpu_cp_async_wait",
    "harness_cpu_wmma",
    "harness_cpu_cluster",
    "harness_cpu_cluster_arrive",
    "harness_cpu_cluster_wait",
    "harness_cpu_cluster_map",
    "harness_cpu_compared",
    "harness_cpu_grid_wait",
    "harness_cpu_grid_launch",
    "harness_cpu_mbarrier_arrive_at",
    "harness_cpu_tensor_load_multicast",
};

/// Whether a candidate may use what has this name and is not its own: an export, a function of <math.h>, memcpy and its
/// like, or the heap.
bool is_known_import(std::string_view name);

/// Whether an import lies outside of libc: in libm, in the loader, or in this program.
bool is_import_without_libc(std::string_view name);

/// Libraries that this program is linked with itself, so that loading a candidate opens no other file.
bool is_known_library(std::string_view name);

}  // namespace harness::cpu
