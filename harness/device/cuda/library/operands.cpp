#include "harness/device/cuda/library/operands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace harness::cuda {
namespace {

/// The options of one call, read by name.
class OperandOptions {
 public:
  OperandOptions(const LibraryCall& call, const Problem& problem, const ImageLayout& layout)
      : call_(call), problem_(problem), layout_(layout) {}

  [[noreturn]] void refuse(const std::string& what) const {
    throw LaunchRefused(fmt::format("library {} {}: {}.", call_.library, call_.operation, what));
  }
  bool has(const std::string& name) const { return call_.options.contains(name); }
  const json& need(const std::string& name) const {
    if (!has(name)) refuse(fmt::format("the option '{}' is missing", name));
    return call_.options[name];
  }
  std::int64_t whole(const std::string& name, std::optional<std::int64_t> absent = {}) const {
    if (!has(name) && absent) return *absent;
    const json& value = need(name);
    if (!value.is_number_integer() || value.get<std::int64_t>() < 0)
      refuse(fmt::format("'{}' is {}, which is no whole number from 0", name, json_text(value)));
    return value.get<std::int64_t>();
  }
  bool flag(const std::string& name) const {
    if (!has(name)) return false;
    if (!need(name).is_boolean())
      refuse(fmt::format("'{}' is {}, which is neither true nor false", name, json_text(need(name))));
    return need(name).get<bool>();
  }
  /// A number, or the name of a scalar argument.
  float number(const std::string& name, float absent) const {
    if (!has(name)) return absent;
    const json& value = need(name);
    if (value.is_number()) return value.get<float>();
    const Argument* scalar = value.is_string() ? find_argument(problem_, value.get<std::string>()) : nullptr;
    if (scalar && scalar->kind == ArgumentKind::scalar && scalar->value) {
      if (const auto* given = std::get_if<double>(&*scalar->value)) return static_cast<float>(*given);
      if (const auto* given = std::get_if<std::int64_t>(&*scalar->value)) return static_cast<float>(*given);
    }
    refuse(fmt::format("'{}' is {}, which is neither a number nor a scalar argument", name, json_text(value)));
  }
  Dtype dtype(const std::string& name, std::optional<Dtype> absent) const {
    if (!has(name) && absent) return *absent;
    const json& text = need(name);
    const auto parsed = text.is_string() ? parse_dtype(text.get<std::string>()) : std::nullopt;
    if (!parsed) refuse(fmt::format("'{}' is {}, which is no type", name, json_text(text)));
    return *parsed;
  }
  /// One of `known`; the first where nothing is said.
  std::string word(const std::string& name, const std::vector<std::string>& known) const {
    if (!has(name)) return known.front();
    const json& value = need(name);
    if (!value.is_string() || std::ranges::find(known, value.get<std::string>()) == known.end())
      refuse(fmt::format("'{}' is {}, which is none of {}", name, json_text(value), fmt::join(known, ", ")));
    return value.get<std::string>();
  }
  const Argument* argument(const std::string& option) const {
    return find_argument(problem_, need(option).get<std::string>());
  }
  const ImageBuffer& buffer(const std::string& option) const {
    const json& name = need(option);
    const ImageBuffer* buffer = name.is_string() ? find_buffer(layout_, name.get<std::string>()) : nullptr;
    if (!buffer) refuse(fmt::format("'{}' is {}, which is no argument and no workspace", option, json_text(name)));
    return *buffer;
  }

 private:
  const LibraryCall& call_;
  const Problem& problem_;
  const ImageLayout& layout_;
};

/// The largest power of two that divides the place, 16 at most: what a vectorized load may count on.
unsigned int alignment_of(std::int64_t offset, std::int64_t step_bytes) {
  unsigned int alignment = 16;
  while (alignment > 1 && (offset % alignment != 0 || step_bytes % alignment != 0)) alignment /= 2;
  return alignment;
}

/// Operand `name` of `rows` x `columns` as it is stored; its pitch and stride are options of that name.
GemmMatrix read_matrix(const OperandOptions& options, const std::string& name, std::int64_t rows, std::int64_t columns,
                       std::int64_t batch, Dtype usual) {
  const ImageBuffer& buffer = options.buffer(name);
  GemmMatrix matrix;
  const Argument* argument = options.argument(name);
  matrix.dtype = options.dtype(name + "_dtype", argument ? argument->dtype : usual);
  matrix.pitch = options.whole(name + "_pitch", columns);
  matrix.stride = options.whole(name + "_stride", rows * matrix.pitch);
  const std::int64_t size = storage_bytes(matrix.dtype);
  matrix.alignment = alignment_of(buffer.offset, matrix.stride * size);
  if (matrix.pitch < columns) options.refuse(fmt::format("'{}_pitch' is less than a row of {}", name, columns));
  const std::int64_t elements = (batch - 1) * matrix.stride + (rows - 1) * matrix.pitch + columns;
  if (elements * size > buffer.bytes)
    options.refuse(
        fmt::format("'{}' reaches over {} bytes, and '{}' has {}", name, elements * size, buffer.name, buffer.bytes));
  return matrix;
}

/// A tensor [d0, d1, d2, d3] of the contract.
const Argument& read_tensor(const OperandOptions& options, const std::string& name, Dtype dtype) {
  const Argument* argument = options.argument(name);
  if (!argument || !is_tensor(argument->kind) || argument->shape.size() != 4 || argument->dtype != dtype)
    options.refuse(fmt::format("'{}' must be an argument of four extents of type {}", name, harness::name(dtype)));
  if (options.buffer(name).offset % 16 != 0)
    throw NotSupported(fmt::format("cuDNN's attention needs '{}' aligned to 16 bytes.", argument->name));
  std::int64_t contiguous = 1;
  for (std::size_t i = 4; i-- > 0; contiguous *= argument->shape[i]) {
    if (argument->shape[i] > 1 && argument->strides[i] != contiguous)
      throw NotSupported(
          fmt::format("this harness asks cuDNN for contiguous tensors, and '{}' is none.", argument->name));
  }
  return *argument;
}

}  // namespace

GemmCall read_gemm(const LibraryCall& given, const Problem& problem, const ImageLayout& layout) {
  const OperandOptions options(given, problem, layout);
  GemmCall call;
  GemmShape& shape = call.shape;
  shape.m = options.whole("m"), shape.n = options.whole("n"), shape.k = options.whole("k");
  shape.batch = options.whole("batch", 1);
  if (std::min({shape.m, shape.n, shape.k, shape.batch}) < 1) options.refuse("m, n, k and batch must be 1 or more");
  shape.transpose_a = options.flag("transpose_a"), shape.transpose_b = options.flag("transpose_b");
  const auto stored = [&](const std::string& name, bool transposed, std::int64_t rows, std::int64_t columns) {
    if (transposed) std::swap(rows, columns);
    return read_matrix(options, name, rows, columns, shape.batch, Dtype::f32);
  };
  shape.a = stored("a", shape.transpose_a, shape.m, shape.k);
  shape.b = stored("b", shape.transpose_b, shape.k, shape.n);
  shape.c = stored("c", false, shape.m, shape.n);
  call.a = options.buffer("a").offset, call.b = options.buffer("b").offset, call.c = options.buffer("c").offset;
  const auto is_given = [&](const std::string& name) {
    return options.has(name) && !(options.argument(name) && options.argument(name)->absent);
  };
  if (is_given("residual")) {
    shape.residual = stored("residual", false, shape.m, shape.n);
    call.residual = options.buffer("residual").offset;
  }
  if (is_given("bias")) {
    const Argument* bias = options.argument("bias");
    shape.bias = options.dtype("bias_dtype", bias ? std::optional(bias->dtype) : std::nullopt);
    call.bias = options.buffer("bias").offset;
    if (options.buffer("bias").bytes < shape.n * storage_bytes(*shape.bias))
      options.refuse("'bias' has too few elements");
  }
  shape.gelu = options.word("activation", {"none", "gelu"}) == "gelu";
  call.alpha = options.number("alpha", 1), call.beta = options.number("beta", shape.residual ? 1.0f : 0.0f);
  call.algorithm = static_cast<std::size_t>(options.whole("algorithm", 0));
  return call;
}

AttentionCall read_attention(const LibraryCall& given, const Problem& problem, const ImageLayout& layout) {
  const OperandOptions options(given, problem, layout);
  const Argument* first = options.argument("q");
  const Dtype dtype = first ? first->dtype : Dtype::f16;
  const Argument& q = read_tensor(options, "q", dtype);
  const Argument& k = read_tensor(options, "k", dtype);
  const Argument& v = read_tensor(options, "v", dtype);
  const Argument& o = read_tensor(options, "o", dtype);
  const auto& of_q = q.shape;
  const auto& of_k = k.shape;
  if (of_q != o.shape || of_k != v.shape || of_q[0] != of_k[0] || of_q[3] != of_k[3] || of_q[1] % of_k[1] != 0)
    options.refuse(
        "q and o must be [batch, heads, queries, width], k and v [batch, kv_heads, keys, width], with whole "
        "groups of heads");
  AttentionCall call;
  call.shape = {dtype, of_q[0], of_q[1], of_k[1], of_q[2], of_k[2], of_q[3], options.flag("causal"), false};
  call.q = options.buffer("q").offset, call.k = options.buffer("k").offset;
  call.v = options.buffer("v").offset, call.o = options.buffer("o").offset;
  const Argument* lse = options.has("lse") ? options.argument("lse") : nullptr;
  if (options.has("lse") && !(lse && lse->absent)) {
    call.lse = options.buffer("lse").offset;
    call.shape.log_sum_exp = true;
    if (options.buffer("lse").bytes < 4 * of_q[0] * of_q[1] * of_q[2]) options.refuse("'lse' has too few elements");
  }
  call.scale = options.number("scale", 1);
  call.engine = static_cast<std::size_t>(options.whole("engine", 0));
  return call;
}

}  // namespace harness::cuda
