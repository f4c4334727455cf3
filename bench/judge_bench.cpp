// Prints how long drawing and judging an image takes, without processes and devices. Run from the top folder:
//   judge_bench KERNEL WORKLOAD    on all cores; `taskset -c 0 judge_bench ...`: on one
// What is judged is right: the reference is made of the outputs' poison, which is left as the answer.
#include <fmt/format.h>

#include <chrono>
#include <cstring>

#include "harness/judge/elements.h"
#include "harness/judge/layout.h"
#include "harness/judge/paint.h"
#include "harness/judge/reference.h"
#include "harness/judge/verdict.h"
#include "harness/script/catalog/catalog.h"

using namespace harness;

namespace {

template <typename Work>
auto timed(const char* what, Work work) {
  const auto begin = std::chrono::steady_clock::now();
  auto result = work();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  fmt::print("{:16} {:.3f} s\n", what, seconds.count());
  return result;
}

/// Puts the image's outputs where a reference would have put its own; floating ones only, stored densely.
void answer(const Problem& problem, const ImageLayout& layout, std::span<const std::byte> image,
            const judge::ReferenceJob& job, std::span<std::byte> reference) {
  for (const Argument& a : problem.arguments) {
    if (!judge::is_judged(a) || !is_floating(a.dtype)) continue;
    std::vector<double> values(static_cast<std::size_t>(count_elements(a)));
    load_as_doubles(a.dtype, judge::payload(layout, a.name, image).data(), values);
    std::memcpy(judge::payload(job.executable.layout, a.name, reference).data(), values.data(),
                values.size() * sizeof(double));
  }
}

int measure(const std::string& kernel, const std::string& workload) {
  script::LuaCatalog catalog({"kernels"}, {"kernels/include"});
  const Problem problem = catalog.plugin(kernel).problem(workload);
  const Plan plan;
  const ImageLayout layout = judge::make_layout(problem, plan);
  fmt::print("{} {}: {} MB\n", kernel, workload, layout.bytes >> 20);
  const auto painted = [&](const char* form) {
    judge::Bytes image(static_cast<std::size_t>(layout.bytes));
    judge::paint(problem, plan, layout, 5, image, {.form = form});
    return image;
  };
  timed("few spikes", [&] { return painted("few spikes"); });
  const judge::Bytes image = timed("nominal", [&] { return painted("nominal"); });
  const judge::Bytes after = timed("a copy", [&] { return judge::copy_of(image); });
  const judge::ReferenceJob job = judge::make_reference_job(problem, "");
  judge::Bytes reference =
      timed("reference image", [&] { return judge::reference_image(problem, layout, image, job); });
  answer(problem, layout, image, job, reference);
  const auto values = timed("reference read", [&] { return judge::read_reference(problem, job, reference); });
  const Verdict verdict =
      timed("verdict", [&] { return judge::judge(problem, plan, layout, image, after, values, 5); });
  if (verdict.passed()) return 0;
  fmt::print("{}\n", first_failed(verdict.gates)->detail);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: {} KERNEL WORKLOAD\n", argv[0]);
    return 2;
  }
  try {
    return measure(argv[1], argv[2]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "judge_bench: {}\n", error.what());
    return 3;
  }
}
