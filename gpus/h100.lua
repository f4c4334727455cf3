-- NVIDIA H100 SXM: the chip of an H200 beside slower memory.
return gpu {
  name = "H100",
  rank = 2,
  architecture = "sm_90a", -- as the H200

  -- NVIDIA H100 data sheet (2023): as the H200.
  multiprocessors = 132,
  clock_hz = 1.98e9,
  l2_bytes = 50 << 20,
  fma_flops = 67e12,

  bytes_per_s = 2.76e12, -- two cards measured it (bench/h200/cards_h100.json)

  -- As the H200 (docs/reports/h200.md).
  l2_bytes_per_s = 5.8e12,
  launch_ns = 560,
  tensor_flops = 800e12,

  -- Measured on an H100 (bench/costs.cu, docs/profile.md).
  l2_repeated_bytes_per_s = 14e12,
  cluster_bytes_per_s = 3.6e12,
  l2_slices = 32,

  -- 16 a cycle and multiprocessor: CUDA C++ Programming Guide, "Throughput of Native Arithmetic
  -- Instructions".
  exps_per_s = 4.18e12,

  -- Of the order that micro-benchmarks find (Luo et al., arXiv:2402.13499; Abdelkhalik et al.,
  -- arXiv:2208.11174); nobody measured them here.
  memory_ns = 430,
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
