#include "harness/campaign/resemblance.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace harness;

namespace {

Workload named_workload(std::string name, std::int64_t heads, std::int64_t keys, bool causal) {
  Workload workload;
  workload.name = std::move(name);
  workload.values = {{"H", heads}, {"S", keys}, {"causal", causal}, {"dtype", std::string("bf16")}};
  return workload;
}

KernelInfo a_kernel() {
  KernelInfo kernel;
  kernel.workloads = {named_workload("short", 8, 128, false), named_workload("long", 8, 1024, false),
                      named_workload("long_causal", 8, 1024, true)};
  return kernel;
}

}  // namespace

TEST_CASE("workloads lie apart by the logarithms of their sizes, and by their flags") {
  const KernelInfo kernel = a_kernel();
  const Resemblance resemblance(kernel, "long");
  CHECK(resemblance.distance("long") == 0);
  CHECK(*resemblance.distance("short") == Approx(std::log(8)));
  CHECK(*resemblance.distance("long_causal") == Approx(std::log(4)));
}

TEST_CASE("a shape of one's own is known by its name") {
  const KernelInfo kernel = a_kernel();
  const Resemblance resemblance(kernel, "H=12 S=1024 causal=false dtype=bf16");
  CHECK(*resemblance.distance("long") == Approx(std::log(1.5)));
  CHECK(*resemblance.distance("H=24 S=1024 causal=false dtype=bf16") == Approx(std::log(2)));
  CHECK(*Resemblance(kernel, "short").distance("H=8 S=128 causal=false dtype=f16") == Approx(std::log(4)));
}

TEST_CASE("a workload whose values nobody knows is like none") {
  const KernelInfo kernel = a_kernel();
  CHECK_FALSE(Resemblance(kernel, "long").distance("gone"));
  CHECK_FALSE(Resemblance(kernel, "long").distance("H=8 S=128"));
  CHECK_FALSE(Resemblance(kernel, "gone").distance("long"));
  CHECK(Resemblance(kernel, "gone").distance("gone") == 0);
}
