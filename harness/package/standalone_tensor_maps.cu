// ---------------------------------------------------------------- tensor maps

/// Extents, strides (in elements) and box innermost first, as the driver wants them; the innermost stride is 1.
inline CUtensorMap tensor_map(void* address, CUtensorMapDataType type, int element_bytes,
                              std::vector<unsigned long long> extents, std::vector<unsigned long long> strides,
                              std::vector<unsigned> box, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result;
#if CUDART_VERSION >= 12050
  check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result),
        "cuTensorMapEncodeTiled");
#else
  check(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &found, cudaEnableDefault, &result),
        "cuTensorMapEncodeTiled");
#endif
  alignas(64) CUtensorMap map;
  std::vector<cuuint64_t> sizes(extents.begin(), extents.end()), distances;
  for (std::size_t i = 1; i < strides.size(); ++i) distances.push_back(strides[i] * (unsigned)element_bytes);
  std::vector<cuuint32_t> boxes(box.begin(), box.end()), steps(box.size(), 1);
  const auto encode_tiled = (decltype(&cuTensorMapEncodeTiled))found;
  if (found == nullptr ||
      encode_tiled(&map, type, (cuuint32_t)sizes.size(), address, sizes.data(), distances.data(), boxes.data(),
                   steps.data(), CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, promotion,
                   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS) {
    std::fprintf(stderr, "cuTensorMapEncodeTiled failed; this needs a driver of CUDA 12 and sm_90 or later\n");
    std::exit(1);
  }
  return map;
}
