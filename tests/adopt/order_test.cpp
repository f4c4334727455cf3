#include "harness/adopt/observe/order.h"

#include <catch2/catch.hpp>

#include "tests/adopt/fixture.h"
#include "tests/support/turns.h"

// The order of the sizes in a shape, and sizes that are parts or multiples of others.
using namespace harness;
using namespace harness::adopt;
using namespace harness::tests;

namespace {

/// Parts of these lengths at these places.
Parts parts_at(const std::vector<std::int64_t>& places, std::int64_t length) {
  Parts parts;
  for (const std::int64_t each : places) parts.emplace_back(each, each + length);
  return parts;
}

std::string text_of(const Order& order) {
  std::string text;
  for (const FormulaPtr& each : order.shape)
    text += (text.empty() ? "" : ", ") + as_lua(*each, [](const std::string& symbol) { return symbol; });
  return text + (order.sure ? "" : " perhaps");
}

/// What `parts_of(a, b, c)` says of the order of [a, b, c].
std::string seen_order(const std::function<Parts(std::int64_t, std::int64_t, std::int64_t)>& parts_of) {
  Glimpse glimpse;
  for (const auto& [a, b, c] : std::vector<std::array<std::int64_t, 3>>{{31, 47, 29}, {53, 37, 43}, {59, 41, 67}}) {
    glimpse.points.push_back({{"a", a}, {"b", b}, {"c", c}});
    glimpse.parts.push_back(parts_of(a, b, c));
  }
  return text_of(order_of({symbol("a"), symbol("b"), symbol("c")}, {glimpse}, false));
}

}  // namespace

TEST_CASE("distances between what is touched are products of the innermost sizes") {
  // Three rows of each of two matrices: [b, c, a].
  CHECK(seen_order([](auto a, auto, auto c) {
          return parts_at({0, a, 2 * a, c * a, c * a + a, c * a + 2 * a}, 3);
        }) == "b, c, a");
  // One whole row.
  CHECK(seen_order([](auto, auto b, auto) { return parts_at({0}, b); }) == "a, c, b perhaps");
  // As many elements as a block has threads, or the whole array: nothing is known.
  CHECK(seen_order([](auto, auto, auto) { return parts_at({0}, 128); }) == "a, b, c perhaps");
  CHECK(seen_order([](auto a, auto b, auto c) { return parts_at({0}, a * b * c); }) == "a, b, c perhaps");
  // Halves of a row.
  CHECK(seen_order([](auto a, auto, auto) { return parts_at({0, a / 2}, 1); }) == "a, b, c perhaps");
}

TEST_CASE("a size that is only compared with is no distance") {
  const std::string text = "void f(int rows, int cols) { if (r < rows && rows > 0) y[r * cols + c] = 1; }";
  CHECK(only_compares(text, "rows"));
  CHECK(!only_compares(text, "cols"));
  CHECK(!only_compares("void f(int n) { g(n); }", "n"));
  CHECK(!only_compares("void f(int n) {}", "n"));
}

TEST_CASE("parts and multiples of sizes are likely extents") {
  const auto likely = [](const std::string& text) {
    std::string all;
    for (const FormulaPtr& each : likely_extents("{" + text + " }", {"n", "m"}))
      all += as_lua(*each, [](const std::string& symbol) { return symbol; }) + "; ";
    return all;
  };
  CHECK(likely("int h = n / 2, q = (m + 3) / 4;") == "n // 2; cdiv(m, 4); ");
  CHECK(likely("for (i = 0; i < n >> 1; ++i);") == "n // 2; ");
  CHECK(likely("int w = n * 2, v = 3 * m;") == "n * 2; m * 3; ");
  CHECK(likely("int oh = n * m;") == "n * m; ");
  CHECK(likely("int row_stride = n * 3; x[i * n / 2];").empty());
}

TEST_CASE("a rotary embedding and a pooling have the order of their strides") {
  if (tests::is_nightly()) return;
  CHECK(pointers_of(self_referenced(
            "__global__ void turn(float* q, const float* cosv, int tokens, int heads, int dim) {\n"
            "  const int i = blockIdx.x * 64 + threadIdx.x, half = dim / 2;\n"
            "  if (i >= tokens * heads * half) return;\n"
            "  const int d = i % half, h = i / half % heads, t = i / (half * heads);\n"
            "  float* p = q + (t * heads + h) * dim;\n"
            "  const float a = p[d];\n  p[d] = a * cosv[t * half + d] - p[d + half];\n  p[d + half] += a;\n}\n"
            "void run(float* q, const float* c, int tokens, int heads, int dim) {\n"
            "  turn<<<(tokens * heads * (dim / 2) + 63) / 64, 64>>>(q, c, tokens, heads, dim);\n}\n")) ==
        "q: inout f32 [tokens, heads, dim]\ncosv: input f32 [tokens, dim // 2]\n");
  const Adopted pool = self_referenced(
      "__global__ void pool(const float* in, float* out, int planes, int H, int W) {\n"
      "  const int oh = H / 2, ow = W / 2, i = blockIdx.x * 64 + threadIdx.x;\n"
      "  if (i >= planes * oh * ow) return;\n"
      "  const float* r = in + i / (ow * oh) * H * W + i / ow % oh * 2 * W + i % ow * 2;\n"
      "  out[i] = r[0] + r[1] + r[W] + r[W + 1];\n}\n"
      "void run(const float* in, float* out, int planes, int H, int W) {\n"
      "  pool<<<(planes * (H / 2) * (W / 2) + 63) / 64, 64>>>(in, out, planes, H, W);\n}\n");
  CHECK(pointers_of(pool) == "in: input f32 [planes, H, W]\nout: output f32 [planes, H // 2, W // 2]\n");
  CHECK(pool.kernel.size("H")->step == 2);
}

TEST_CASE("structures of arrays, counts of what a tensor has, and groups") {
  CHECK(pointers_of(self_referenced(
            "__global__ void lengths(const float* x, float* y, int count) {\n"
            "  const int i = blockIdx.x * 64 + threadIdx.x;\n"
            "  if (i < count) y[i] = x[i] * x[count + i] + x[2 * count + i];\n}\n"
            "void run(const float* x, float* y, int count) { lengths<<<(count + 63) / 64, 64>>>(x, y, count); }\n")) ==
        "x: input f32 [3, count]\ny: output f32 [count]\n");
  CHECK(pointers_of(self_referenced(
            "#include <torch/extension.h>\n"
            "__global__ void add_four(int n, const float* g, float* y, int C, int H, int W) {\n"
            "  const int i = blockIdx.x * 64 + threadIdx.x;\n  if (i >= n) return;\n"
            "  const int w = i % W, h = i / W % H, c = i / W / H, ow = W * 2, oh = H * 2;\n"
            "  const float* p = g + (c * oh + 2 * h) * ow + 2 * w;\n  y[i] = p[0] + p[1] + p[ow] + p[ow + 1];\n}\n"
            "void run(torch::Tensor g, torch::Tensor y) {\n"
            "  const int B = g.size(0), C = g.size(1), H = g.size(2) / 2, W = g.size(3) / 2;\n"
            "  const int n = B * C * H * W;\n"
            "  add_four<<<(n + 63) / 64, 64>>>(n, g.data_ptr<float>(), y.data_ptr<float>(), C, H, W);\n}\n")) ==
        "g: input f32 [g_size_0, C, H * 2, W * 2]\ny: output f32 [g_size_0, C, H, W]\n");
  CHECK(pointers_of(self_referenced(
            "__global__ void scaled(const float* x, const float* by, float* y, int n, int group) {\n"
            "  const int i = blockIdx.x * 64 + threadIdx.x;\n  if (i < n) y[i] = x[i] * by[i / group];\n}\n"
            "void run(const float* x, const float* by, float* y, int n, int group) {\n"
            "  scaled<<<(n + 63) / 64, 64>>>(x, by, y, n, group);\n}\n")) ==
        "x: input f32 [n]\nby: input f32 [cdiv(n, group)]\ny: output f32 [n]\n");
}

TEST_CASE("where sums of the smallest sizes cancel, the least size is raised") {
  if (tests::is_nightly()) return;
  const Adopted found = adopted_source(
      "__global__ void normalize(const float* x, float* y, int rows, int cols) {\n"
      "  const int r = blockIdx.x * 64 + threadIdx.x;\n  if (r >= rows) return;\n"
      "  float s = 0, q = 0;\n"
      "  for (int c = 0; c < cols; ++c) { s += x[r * cols + c]; q += x[r * cols + c] * x[r * cols + c]; }\n"
      "  const float m = s / cols, k = rsqrtf(q / cols - m * m + 1e-5f);\n"
      "  for (int c = 0; c < cols; ++c) y[r * cols + c] = (x[r * cols + c] - m) * k;\n}\n"
      "void run(const float* x, float* y, int rows, int cols) {\n"
      "  normalize<<<(rows + 63) / 64, 64>>>(x, y, rows, cols);\n}\n");
  CHECK(found.kernel.size("rows")->low == 1);
  CHECK(found.kernel.size("cols")->low >= 4);
  CHECK(found.kernel.size("cols")->low <= 32);
}

TEST_CASE("an index below a size that other arrays have, too, where no other size fits") {
  if (tests::is_nightly()) return;
  const Adopted found = self_referenced(
      "__global__ void gather(const float* state, const int* parent, float* next, int batch, int beams, int hidden) {\n"
      "  const int row = blockIdx.x, p = parent[row];\n"
      "  for (int h = threadIdx.x; h < hidden; h += 32)\n"
      "    next[row * hidden + h] = state[(row / beams * beams + p) * hidden + h];\n}\n"
      "void run(const float* state, const int* parent, float* next, int batch, int beams, int hidden) {\n"
      "  gather<<<batch * beams, 32>>>(state, parent, next, batch, beams, hidden);\n}\n");
  CHECK(pointers_of(found) ==
        "state: input f32 [batch, beams, hidden]\nparent: input s32 [batch, beams]\n"
        "next: output f32 [batch, beams, hidden]\n");
}

TEST_CASE("a size is no word of Lua in a manifest") {
  const Adopted found = self_referenced(
      "__global__ void add(const float* x, const float* by, float* y, int out, int in) {\n"
      "  const int i = blockIdx.x * 64 + threadIdx.x, o = blockIdx.y;\n"
      "  if (i < in && o < out) y[o * in + i] = x[o * in + i] + by[i];\n}\n"
      "void run(const float* x, const float* by, float* y, int out, int in) {\n"
      "  add<<<dim3((in + 63) / 64, out), 64>>>(x, by, y, out, in);\n}\n");
  CHECK(found.kernel.size("in")->name == "in_size");
  CHECK(found.files[0].second.find("w.in_size") != std::string::npos);
}

TEST_CASE("a tensor that the host makes, or counts, has its sizes in their order") {
  CHECK(pointers_of(self_referenced(
            "#include <torch/extension.h>\n"
            "__global__ void windows(const float* x, float* y, int B, int H, int C) {\n"
            "  const int h = blockIdx.x, b = blockIdx.y;\n"
            "  for (int c = threadIdx.x; c < C; c += 32)\n"
            "    y[((b * (H / 4) + h / 4) * 4 + h % 4) * C + c] = x[(b * H + h) * C + c];\n}\n"
            "torch::Tensor run(torch::Tensor x) {\n"
            "  const int B = x.size(0), H = x.size(1), C = x.size(2);\n  TORCH_CHECK(H % 4 == 0);\n"
            "  auto y = torch::empty({B * (H / 4), 4, C}, x.options());\n"
            "  windows<<<dim3(H, B), 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), B, H, C);\n  return y;\n}\n")) ==
        "x: input f32 [B, H, C]\ny: output f32 [B, H // 4, 4, C]\n");
  CHECK(
      pointers_of(self_referenced(
          "#include <torch/extension.h>\n"
          "__global__ void add(float* x, const float* by, long hidden, long numel) {\n"
          "  for (long i = blockIdx.x * 64 + threadIdx.x; i < numel; i += gridDim.x * 64) x[i] += by[i % hidden];\n}\n"
          "void run(torch::Tensor x, torch::Tensor by) {\n"
          "  const long hidden = x.size(-1), numel = x.numel();\n"
          "  add<<<(numel + 63) / 64, 64>>>(x.data_ptr<float>(), by.data_ptr<float>(), hidden, numel);\n}\n")) ==
      "x: inout f32 [x_size_0, hidden]\nby: input f32 [hidden]\n");
}

TEST_CASE("a part of what a tensor has is a size of its own") {
  CHECK(pointers_of(self_referenced(
            "#include <torch/extension.h>\n"
            "__global__ void heads_first(const float* x, float* y, int S, int H, int D) {\n"
            "  const int s = blockIdx.x;\n"
            "  for (int i = threadIdx.x; i < H * D; i += 32)\n"
            "    y[((i / D) * S + s) * D + i % D] = x[s * H * D + i];\n}\n"
            "torch::Tensor run(torch::Tensor x, int H) {\n"
            "  const int S = x.size(0), D = x.size(1) / H;\n"
            "  auto y = torch::empty({H, S, D}, x.options());\n"
            "  heads_first<<<S, 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), S, H, D);\n  return y;\n}\n")) ==
        "x: input f32 [S, H, D]\ny: output f32 [H, S, D]\n");
}

TEST_CASE("a head of 64 is innermost where a thread steps by it, and half a row is not") {
  CHECK(pointers_of(
            self_referenced("__global__ void sums(const float* k, float* out, int heads, int length) {\n"
                            "  const size_t row = blockIdx.y * heads + blockIdx.x;\n  float sum = 0;\n"
                            "  for (int j = 0; j < length; ++j) sum += k[(row * length + j) * 64 + threadIdx.x];\n"
                            "  out[row * 64 + threadIdx.x] = sum;\n}\n"
                            "void run(const float* k, float* out, int batch, int heads, int length) {\n"
                            "  sums<<<dim3(heads, batch), 64>>>(k, out, heads, length);\n}\n")) ==
        "k: input f32 [batch, heads, length, 64]\nout: output f32 [batch, heads, 64]\n");
  CHECK(pointers_of(self_referenced(
            "__global__ void gate(const float* x, float* y, int d) {\n"
            "  for (int i = threadIdx.x; i < d; i += 64)\n"
            "    y[blockIdx.x * d + i] = x[blockIdx.x * 2 * d + i] * x[blockIdx.x * 2 * d + d + i];\n}\n"
            "void run(const float* x, float* y, int rows, int d) { gate<<<rows, 64>>>(x, y, d); }\n")) ==
        "x: input f32 [rows, 2, d]\ny: output f32 [rows, d]\n");
}
