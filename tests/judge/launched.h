#pragma once
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "harness/core/contract.h"
#include "harness/judge/elements.h"
#include "harness/judge/indexing.h"
#include "harness/judge/layout.h"
#include "harness/judge/paint.h"
#include "harness/judge/reference.h"
#include "harness/judge/verdict.h"

// A launch made by hand: a problem, its painted image, a reference, and an image that a test changes as a kernel would.
namespace harness::judge {

inline Argument tensor(ArgumentKind kind, std::string name, Dtype dtype, std::vector<std::int64_t> shape,
                       std::vector<std::int64_t> strides = {}) {
  Argument a;
  a.name = std::move(name);
  a.kind = kind;
  a.dtype = dtype;
  a.shape = std::move(shape);
  a.strides = std::move(strides);
  if (kind == ArgumentKind::input || kind == ArgumentKind::inout) {
    a.gen = Generator{is_floating(dtype) ? "normal" : "integers", json::object()};
  }
  return a;
}

inline Argument drawn(std::string name, Dtype dtype, std::vector<std::int64_t> shape, std::string kind,
                      json options = json::object()) {
  Argument a = tensor(ArgumentKind::input, std::move(name), dtype, std::move(shape));
  a.gen = Generator{std::move(kind), std::move(options)};
  return a;
}

struct Launched {
  Problem problem;
  Plan plan;
  ImageLayout layout;
  std::vector<std::byte> before, after;
  ReferenceValues reference;

  explicit Launched(Problem p, std::uint64_t seed = 1) : problem(std::move(p)), layout(make_layout(problem, plan)) {
    before.resize(layout.bytes);
    paint(problem, plan, layout, seed, before);
    after = before;
  }

  const Argument& argument(const std::string& name) const { return *find_argument(problem, name); }

  std::byte* unit(const std::string& name, std::int64_t logical) {
    const Argument& a = argument(name);
    return after.data() + find_buffer(layout, name)->offset + Indexer(a).offset(logical) * storage_bytes(a.dtype);
  }
  double drawn_value(const std::string& name, std::int64_t logical) const {
    const Argument& a = argument(name);
    const auto offset = find_buffer(layout, name)->offset + Indexer(a).offset(logical) * storage_bytes(a.dtype);
    return load_as_double(a.dtype, before.data() + offset);
  }
  void write(const std::string& name, std::int64_t logical, double value) {
    store_rounded(argument(name).dtype, unit(name, logical), value);
  }

  /// Sets the reference of an output and writes what a correct kernel would.
  void compute(const std::string& name, const std::function<double(std::int64_t)>& f) {
    const Argument& a = argument(name);
    ReferenceArray array{a.dtype, a.shape, Uncleared<double>(static_cast<std::size_t>(count_elements(a))), {}};
    for (std::int64_t i = 0; i < count_elements(a); ++i) {
      array.values[static_cast<std::size_t>(i)] = f(i);
      std::byte exact[8];
      store_rounded(a.dtype, exact, f(i));
      if (!is_floating(a.dtype)) array.raw.insert(array.raw.end(), exact, exact + storage_bytes(a.dtype));
      write(name, i, f(i));
    }
    reference[name] = std::move(array);
  }

  Verdict verdict() const { return judge(problem, plan, layout, before, after, reference, 1); }
};

inline const GateResult& gate(const Verdict& verdict, const std::string& name) {
  for (const GateResult& g : verdict.gates) {
    if (g.name == name) return g;
  }
  throw std::runtime_error("no gate " + name);
}

}  // namespace harness::judge
