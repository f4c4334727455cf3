#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

#include "harness/device/cuda/session.h"
#include "tests/device/cuda/on_gpu.h"
#include "tests/device/cuda/scratch.h"

// The libraries themselves, on a real GPU, against the definition in double.
using namespace harness;
using namespace harness::cuda;

namespace {

/// An image of tensors that are named one after the other, each at the next 4096 bytes.
struct LibraryImage {
  Executable executable;
  std::vector<std::byte> bytes;

  void add(const std::string& name, ArgumentKind kind, Dtype dtype, std::vector<std::int64_t> shape) {
    Argument argument;
    argument.name = name;
    argument.kind = kind;
    argument.dtype = dtype;
    argument.shape = shape;
    argument.strides.assign(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;) argument.strides[i - 1] = argument.strides[i] * shape[i];
    const std::int64_t count = argument.strides[0] * shape[0];
    executable.problem.arguments.push_back(argument);
    ImageLayout& layout = executable.layout;
    layout.buffers.push_back({name, layout.bytes, count * storage_bytes(dtype)});
    layout.bytes += (layout.buffers.back().bytes + 4095) / 4096 * 4096;
    bytes.resize(static_cast<std::size_t>(layout.bytes), std::byte{0xff});  // NaN, where nothing is written
    if (kind != ArgumentKind::input) return;
    for (std::int64_t i = 0; i < count; ++i) set(name, i, std::sin(0.7 * static_cast<double>(i * (i % 13 + 1))));
  }
  std::byte* at(const std::string& name, std::int64_t i) {
    const ImageBuffer& buffer = *find_buffer(executable.layout, name);
    const Dtype dtype = find_argument(executable.problem, name)->dtype;
    return bytes.data() + buffer.offset + i * storage_bytes(dtype);
  }
  Dtype dtype_of(const std::string& name) const { return find_argument(executable.problem, name)->dtype; }
  void set(const std::string& name, std::int64_t i, double value) { store_rounded(dtype_of(name), at(name, i), value); }
  double get(const std::string& name, std::int64_t i) { return load_as_double(dtype_of(name), at(name, i)); }
};

struct AttentionOnGpu : LibraryImage {
  std::int64_t batch, heads, kv_heads, queries, keys, width;
  bool causal;
  AttentionOnGpu(Dtype dtype, std::int64_t b, std::int64_t h, std::int64_t hkv, std::int64_t sq, std::int64_t sk,
                 std::int64_t d, bool masked)
      : batch(b), heads(h), kv_heads(hkv), queries(sq), keys(sk), width(d), causal(masked) {
    add("q", ArgumentKind::input, dtype, {b, h, sq, d});
    add("k", ArgumentKind::input, dtype, {b, hkv, sk, d});
    add("v", ArgumentKind::input, dtype, {b, hkv, sk, d});
    add("o", ArgumentKind::output, dtype, {b, h, sq, d});
    add("lse", ArgumentKind::output, Dtype::f32, {b, h, sq});
    set_engine(0);
  }
  void set_engine(int engine) {
    executable.plan.steps = {LibraryCall{"cudnn",
                                         "attention",
                                         {{"q", "q"},
                                          {"k", "k"},
                                          {"v", "v"},
                                          {"o", "o"},
                                          {"lse", "lse"},
                                          {"scale", 0.25},
                                          {"causal", causal},
                                          {"engine", engine}}}};
  }
  /// The largest absolute difference from the definition, of o and lse together.
  double error() {
    double worst = 0;
    for (std::int64_t row = 0; row < batch * heads * queries; ++row) {
      const std::int64_t i = row % queries, head = row / queries % heads, b = row / queries / heads;
      const std::int64_t first_key = (b * kv_heads + head / (heads / kv_heads)) * keys;
      const std::int64_t visible = causal ? i + keys - queries + 1 : keys;
      std::vector<double> weights, out(static_cast<std::size_t>(width));
      double sum = 0;
      for (std::int64_t j = 0; j < visible; ++j) {
        double score = 0;
        for (std::int64_t x = 0; x < width; ++x)
          score += get("q", row * width + x) * get("k", (first_key + j) * width + x);
        weights.push_back(std::exp(0.25 * score));
        sum += weights.back();
      }
      for (std::int64_t x = 0; x < width; ++x) {
        double value = 0;
        for (std::int64_t j = 0; j < visible; ++j)
          value += weights[static_cast<std::size_t>(j)] / sum * get("v", (first_key + j) * width + x);
        worst = std::max(worst, std::abs(value - get("o", row * width + x)));
        if (std::isnan(get("o", row * width + x))) return NAN;
      }
      worst = std::max(worst, std::abs(std::log(sum) - get("lse", row)));
    }
    return worst;
  }
};

/// "" if every engine that cuDNN offers is right, else what is wrong; `engines` counts them.
std::string attention_on_gpu(AttentionOnGpu bench, int& engines) {
  CudaSession session(0);
  for (engines = 0; engines < 10; ++engines) {
    bench.set_engine(engines);
    AttentionOnGpu run = bench;
    try {
      session.run(run.executable, run.bytes);
    } catch (const NotSupported& refusal) {
      return engines > 0 ? "" : refusal.what();
    }
    const double error = run.error();
    if (!(error < 2e-2)) return fmt::format("engine {}: off by {}", engines, error);
  }
  return "";
}

std::string attention_in_child(const AttentionOnGpu& bench) {
  return in_child([&] {
    int engines = 0;
    const std::string wrong = attention_on_gpu(bench, engines);
    return fmt::format("{}{}", engines > 0 ? "engines; " : "none; ", wrong);
  });
}

}  // namespace

TEST_CASE("every engine of cuDNN's attention is right on the GPU: full, causal, shifted, grouped, odd", "[gpu]") {
  if (no_gpu()) return;
  CHECK(attention_in_child({Dtype::f16, 1, 1, 1, 128, 128, 64, false}) == "engines; ");
  CHECK(attention_in_child({Dtype::bf16, 2, 4, 4, 65, 65, 64, true}) == "engines; ");
  CHECK(attention_in_child({Dtype::f16, 1, 4, 2, 37, 53, 64, false}) == "engines; ");
  CHECK(attention_in_child({Dtype::f16, 1, 4, 2, 37, 53, 128, true}) == "engines; ");
}

TEST_CASE("a product of cuBLASLt is right on the GPU, plain and transposed, with padded rows and batches", "[gpu]") {
  if (no_gpu()) return;
  const std::string wrong = in_child([] {
    constexpr std::int64_t m = 40, n = 24, k = 56, pitch = 64, batch = 3;
    CudaSession session(0);
    for (int form = 0; form < 4; ++form) {
      const bool transpose_a = form % 2 == 1, transpose_b = form >= 2;
      LibraryImage image;
      image.add("a", ArgumentKind::input, Dtype::bf16, {batch, pitch, pitch});
      image.add("b", ArgumentKind::input, Dtype::bf16, {batch, pitch, pitch});
      image.add("c", ArgumentKind::output, Dtype::f32, {batch, pitch, pitch});
      json options = {{"a", "a"}, {"b", "b"}, {"c", "c"},       {"m", m},
                      {"n", n},   {"k", k},   {"batch", batch}, {"alpha", 0.5}};
      for (const char* matrix : {"a", "b", "c"}) {
        options[std::string(matrix) + "_pitch"] = pitch;
        options[std::string(matrix) + "_stride"] = pitch * pitch;
      }
      options["transpose_a"] = transpose_a;
      options["transpose_b"] = transpose_b;
      image.executable.plan.steps = {LibraryCall{"cublas", "gemm", options}};
      session.run(image.executable, image.bytes);
      for (std::int64_t at = 0; at < batch * m * n; ++at) {
        const std::int64_t j = at % n, i = at / n % m, first = at / n / m * pitch * pitch;
        double expected = 0;
        for (std::int64_t x = 0; x < k; ++x)
          expected += image.get("a", first + (transpose_a ? x * pitch + i : i * pitch + x)) *
                      image.get("b", first + (transpose_b ? j * pitch + x : x * pitch + j));
        const double got = image.get("c", first + i * pitch + j);
        if (!(std::abs(got - expected / 2) < 1e-3)) return fmt::format("form {}: {} for {}", form, got, expected / 2);
      }
      if (!std::isnan(image.get("c", n))) return fmt::format("form {}: padding was written", form);
    }
    return std::string();
  });
  CHECK(wrong == "");
}

TEST_CASE("library steps are captured into graphs and timed on the GPU", "[gpu]") {
  if (no_gpu()) return;
  const std::string said = in_child([] {
    Scratch scratch;
    AttentionOnGpu bench(Dtype::bf16, 1, 16, 16, 1024, 1024, 128, true);
    CudaSession session(0, scratch.path("cache"));
    const std::vector<Executable> contenders = {bench.executable};
    const std::vector<ImageList> images = {{bench.bytes}};
    const auto samples = session.time(contenders, images, std::vector<ImageList>(1), {});
    if (samples.at(0).rotating_ns.size() < 6) return std::string("few samples");
    fmt::print("cuDNN, B1 H16 S1024 D128 causal bf16: {:.1f} us ({})\n", samples[0].rotating_ns[0] / 1e3,
               samples[0].method);
    return std::string();
  });
  CHECK(said == "");
}
