// ---------------------------------------------------------------- comparison

/// Elements of a ragged output that count: those with an index in dimension 1 below rows[index in dimension 0].
inline bool counts(const Tensor& tensor, const Numbers* rows, long long i) {
  if (rows == nullptr || tensor.shape.size() < 2) return true;
  long long inner = 1;
  for (std::size_t d = 2; d < tensor.shape.size(); ++d) inner *= tensor.shape[d];
  const long long row = i / inner % tensor.shape[1], outer = i / inner / tensor.shape[1];
  return row < (*rows)[(std::size_t)outer];
}

/// Prints how far two results lie apart; whether both are finite or not at the same places.
inline bool compare(const Tensor& tensor, const unsigned char* original, const unsigned char* winner,
                    const Numbers* rows) {
  const Bytes a = downloaded(original, tensor), b = downloaded(winner, tensor);
  double largest = 0, apart = 0, size = 0;
  long long different = 0, not_finite = 0;
  for (long long i = 0; i < tensor.count(); ++i) {
    if (!counts(tensor, rows, i)) continue;
    const std::size_t at = (std::size_t)(tensor.place(i) * bytes_of(tensor.type));
    const double x = decode(tensor.type, &a[at]), y = decode(tensor.type, &b[at]);
    if (x == y || (std::isnan(x) && std::isnan(y))) {
      if (std::isfinite(x)) size += x * x;
      continue;
    }
    ++different;
    if (!std::isfinite(x) || !std::isfinite(y)) {
      ++not_finite;
      continue;
    }
    largest = std::max(largest, std::fabs(x - y));
    apart += (x - y) * (x - y);
    size += x * x;
  }
  const double relative = apart == 0 ? 0 : size > 0 ? std::sqrt(apart / size) : INFINITY;
  std::printf("output %s: max abs error %.3g, relative L2 error %.3g, %lld of %lld elements differ", tensor.name,
              largest, relative, different, tensor.count());
  if (not_finite > 0) std::printf(", %lld of them are not finite in one of the two", not_finite);
  std::printf("\n");
  return not_finite == 0;
}

/// One call, or several, as a graph: events around it time the GPU and not the host.
template <typename Call>
cudaGraphExec_t graph_of(Call call, int calls, cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  for (int i = 0; i < calls; ++i) call();
  check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  check(cudaGraphInstantiateWithFlags(&executable, graph, 0), "cudaGraphInstantiateWithFlags");
  return executable;
}

/// Microseconds from before a graph to behind it.
inline double timed(cudaGraphExec_t graph, cudaStream_t stream) {
  static cudaEvent_t begin = nullptr, end = nullptr;
  if (begin == nullptr) {
    check(cudaEventCreate(&begin), "cudaEventCreate");
    check(cudaEventCreate(&end), "cudaEventCreate");
  }
  check(cudaEventRecord(begin, stream), "cudaEventRecord");
  check(cudaGraphLaunch(graph, stream), "cudaGraphLaunch");
  check(cudaEventRecord(end, stream), "cudaEventRecord");
  check(cudaEventSynchronize(end), "the timed calls");
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
  return 1000.0 * milliseconds;
}

inline double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + (std::ptrdiff_t)(values.size() / 2), values.end());
  return values[values.size() / 2];
}
