-- NVIDIA A100 80 GB SXM.
return gpu {
  name = "A100",
  rank = 3,
  architecture = "sm_80",

  -- NVIDIA A100 80 GB data sheet (2021).
  multiprocessors = 108,
  clock_hz = 1.41e9,
  l2_bytes = 40 << 20,
  fma_flops = 19.5e12,
  tensor_flops = 280e12, -- 0.9 of the peak of f16 and bf16

  bytes_per_s = 1.8e12, -- 0.9 of the data sheet's bandwidth
  launch_ns = 560, -- as the H200

  -- The share of 64 bytes a cycle and multiprocessor that was measured on an H200 (0.35) and an H100
  -- (0.84); nobody measured it here. There are no clusters.
  l2_bytes_per_s = 3.4e12,
  l2_repeated_bytes_per_s = 8.2e12,
  l2_slices = 32, -- as the H200

  -- 16 a cycle and multiprocessor: CUDA C++ Programming Guide, "Throughput of Native Arithmetic
  -- Instructions".
  exps_per_s = 2.44e12,

  -- Of the order that micro-benchmarks find (Luo et al., arXiv:2402.13499; Abdelkhalik et al.,
  -- arXiv:2208.11174); nobody measured them here.
  memory_ns = 400,
  l2_ns = 150,
  l1_ns = 25,
  shared_ns = 18,

  -- What a multiprocessor holds: CUDA C++ Programming Guide, table "Technical Specifications per
  -- Compute Capability", column 8.0.
  warps = 64,
  blocks = 32,
  registers = 64 * 1024,
  shared_bytes = 164 * 1024,
  -- In which units: the same guide, and NVIDIA's occupancy calculator.
  warp_lanes = 32,
  register_unit = 256,
  shared_unit = 128,
  reserved_shared_bytes = 1024,
}
