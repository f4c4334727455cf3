-- NVIDIA H200 SXM.
return gpu {
  name = "H200",
  rank = 1,
  architecture = "sm_90a", -- with the suffix: wgmma and TMA need it (PTX ISA, "Target architectures")

  -- NVIDIA H200 data sheet (2024).
  multiprocessors = 132,
  clock_hz = 1.98e9,
  l2_bytes = 50 << 20,
  fma_flops = 67e12,

  -- Measured on an H200 (docs/reports/h200.md): copies, hits, an empty kernel in a graph.
  bytes_per_s = 4.2e12,
  l2_bytes_per_s = 5.8e12,
  launch_ns = 560,
  tensor_flops = 800e12, -- 795 TFLOP/s before the power cap, products of bf16

  -- Measured on an H100, which is the same chip (bench/costs.cu, docs/profile.md). 14 TB/s are 0.84
  -- of 64 bytes a cycle and multiprocessor.
  l2_repeated_bytes_per_s = 14e12,
  cluster_bytes_per_s = 3.6e12,
  l2_slices = 32, -- as many atomic operations at once (docs/profile.md)

  -- 16 a cycle and multiprocessor: CUDA C++ Programming Guide, "Throughput of Native Arithmetic
  -- Instructions".
  exps_per_s = 4.18e12,

  -- Of the order that micro-benchmarks find (Luo et al., arXiv:2402.13499; Abdelkhalik et al.,
  -- arXiv:2208.11174); nobody measured them here.
  memory_ns = 450,
  l2_ns = 140,
  l1_ns = 20,
  shared_ns = 15,

  -- What a multiprocessor holds: CUDA C++ Programming Guide, table "Technical Specifications per
  -- Compute Capability", column 9.0.
  warps = 64,
  blocks = 32,
  registers = 64 * 1024,
  shared_bytes = 228 * 1024,
  -- In which units: the same guide, and NVIDIA's occupancy calculator.
  warp_lanes = 32,
  register_unit = 256,
  shared_unit = 128,
  reserved_shared_bytes = 1024,
}
