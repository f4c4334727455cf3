// ---------------------------------------------------------------- the two that are compared

struct Contender {
  const char* name;
  void (*call)(const Memory&, cudaStream_t);
  Memory memory;
  std::vector<std::function<void(cudaStream_t)>> before;  // each call: what it found must not be what it left
  std::vector<double> microseconds;                       // a call
  int calls = 1, repeats = 5;                             // calls of a sample, and samples
  cudaGraphExec_t graph = nullptr;

  /// The memory of `what` is as `pristine` when a call begins.
  void restore(const char* what, const unsigned char* pristine, long long bytes) {
    unsigned char* const to = memory.at(what);
    before.push_back([=](cudaStream_t stream) {
      check(cudaMemcpyAsync(to, pristine, (std::size_t)bytes, cudaMemcpyDeviceToDevice, stream), "cudaMemcpyAsync");
    });
  }
  void zero(const char* what, long long bytes) {
    unsigned char* const to = memory.at(what);
    before.push_back([=](cudaStream_t stream) {
      check(cudaMemsetAsync(to, 0, (std::size_t)bytes, stream), "cudaMemsetAsync");
    });
  }
  void prepare(cudaStream_t stream) const {
    for (const auto& each : before) each(stream);
  }
  void run_once(cudaStream_t stream) const {
    prepare(stream);
    call(memory, stream);
    check(cudaStreamSynchronize(stream), name);
  }
  /// Samples of about 2 ms where calls need nothing between them; about a second of them, 5 to 101.
  void plan_timing(cudaStream_t stream) {
    graph = graph_of([&] { call(memory, stream); }, 1, stream);
    prepare(stream);
    const double once = std::max(1.0, timed(graph, stream));
    if (before.empty()) calls = std::max(1, std::min(20, (int)(2000 / once)));
    repeats = std::max(5, std::min(101, (int)(1e6 / (once * calls))));
    graph = graph_of([&] { call(memory, stream); }, calls, stream);
    prepare(stream);
    timed(graph, stream);  // warm
  }
  void sample(cudaStream_t stream) {
    if ((int)microseconds.size() >= repeats) return;
    prepare(stream);
    microseconds.push_back(timed(graph, stream) / calls);
  }
};

inline unsigned char* pointers_into(unsigned char* base, const Numbers& offsets) {
  std::vector<unsigned char*> pointers;
  for (long long offset : offsets) pointers.push_back(base + offset);
  Bytes bytes(pointers.size() * sizeof(void*));
  std::memcpy(bytes.data(), pointers.data(), bytes.size());
  return uploaded(bytes);
}

/// In turns, so that both meet the same clocks.
inline void time_in_turns(Contender& original, Contender& winner, cudaStream_t stream) {
  original.plan_timing(stream);
  winner.plan_timing(stream);
  for (int i = 0; i < std::max(original.repeats, winner.repeats); ++i) {
    original.sample(stream);
    winner.sample(stream);
  }
  const double slow = median(original.microseconds), fast = median(winner.microseconds);
  std::printf("original %-60s %12.2f us a call, median of %zu\n", original.name, slow, original.microseconds.size());
  std::printf("winner   %-60s %12.2f us a call, median of %zu, %.2fx\n", winner.name, fast,
              winner.microseconds.size(), slow / fast);
}
