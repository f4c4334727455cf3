-- NVIDIA GeForce RTX 4090.
return gpu {
  name = "RTX4090",
  rank = 4,
  architecture = "sm_89",

  -- NVIDIA Ada GPU architecture (2022).
  multiprocessors = 128,
  clock_hz = 2.52e9,
  l2_bytes = 72 << 20,
  fma_flops = 82e12,
  tensor_flops = 165e12,

  bytes_per_s = 0.92e12, -- 0.9 of the data sheet's bandwidth
  launch_ns = 560, -- as the H200

  -- 64 bytes a cycle and multiprocessor, as far as the measured shares of an H200 and an H100 go;
  -- nobody measured it here. There are no clusters.
  l2_bytes_per_s = 5e12,
  l2_repeated_bytes_per_s = 17e12,
  l2_slices = 32, -- as the H200

  -- 16 a cycle and multiprocessor: CUDA C++ Programming Guide, "Throughput of Native Arithmetic
  -- Instructions".
  exps_per_s = 5.16e12,

  -- Of the order that micro-benchmarks find (Luo et al., arXiv:2402.13499; Abdelkhalik et al.,
  -- arXiv:2208.11174); nobody measured them here.
  memory_ns = 350,
  l2_ns = 110,
  l1_ns = 14,
  shared_ns = 12,

  -- What a multiprocessor holds: CUDA C++ Programming Guide, table "Technical Specifications per
  -- Compute Capability", column 8.9.
  warps = 48,
  blocks = 24,
  registers = 64 * 1024,
  shared_bytes = 100 * 1024,
  -- In which units: the same guide, and NVIDIA's occupancy calculator.
  warp_lanes = 32,
  register_unit = 256,
  shared_unit = 128,
  reserved_shared_bytes = 1024,
}
