#include "harness/cli/templates.h"

#include "harness/core/error.h"

namespace harness {
namespace {

constexpr const char* kKernelManifest = R"lua(return kernel {
  contract = 1,
  name = "@NAME@",
  summary = "what @NAME@ computes, in one line",
  domain = { n = range(1, 16777216) },
  workloads = {
    { name = "n65536_f32", sets = { "default" }, n = 65536, dtype = "f32" },
  },
  arguments = {
    input { "x", dtype = "$dtype", shape = { "n" }, gen = normal {} },
    output { "y", dtype = "$dtype", shape = { "n" }, compare = relative {} },
  },
  reference = { source = "reference.cu", entry = "reference<$dtype>", sizes = { "n" }, threads = function(w) return w.n end },
  -- A lower bound: each input read once, each output written once, 4 bytes an element.
  work = function(w) return { bytes = 8 * w.n, flops = { f32 = w.n } } end,
}
)lua";

constexpr const char* kReference =
    R"cu(// Each output as a double, from the stored inputs; one thread an independent piece of work.
template <typename T>
__global__ void reference(const T* x, double* y, long long n) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0 * (double)x[i];
}
)cu";

constexpr const char* kVariantManifest = R"lua(return variant {
  technique = "@NAME@",
  risk = "low",
  estimate = { speedup = { 1, 2 }, probability = 0.8, evaluations = 4 },
  params = { BLOCK = { values = { 64, 128, 256, 512 }, bind = "launch" } },
  steps = function(p, w)
    return { launch { entry = "@NAME@<$dtype>", grid = { cdiv(w.n, p.BLOCK) }, block = { p.BLOCK }, args = { "x", "y", i32(w.n) } } }
  end,
}
)lua";

constexpr const char* kVariantSource = R"cu(template <typename T>
__global__ void NAME(const T* x, T* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = (T)(2.0f * (float)x[i]);
}
)cu";

constexpr const char* kStrategy =
    R"lua(-- Chooses the arm for the next evaluation. strategies/README.md and strategies/api.lua say what `campaign` holds.
return strategy {
  name = "@NAME@",
  summary = "the open arm with the fewest evaluations",
  rules = { "rules/plateau" },
  decide = function(campaign)
    local chosen
    for _, arm in ipairs(campaign.arms) do
      if not arm.exhausted and not arm.closed and (not chosen or arm.evaluations < chosen.evaluations) then chosen = arm end
    end
    if not chosen then return { action = "stop", reason = "exhausted", why = "every arm is exhausted or closed" } end
    return {
      action = "try", kernel = chosen.kernel, workload = chosen.workload, technique = chosen.technique,
      why = ("%s has had %d evaluations, the fewest"):format(chosen.technique, chosen.evaluations),
    }
  end,
}
)lua";

constexpr const char* kRule = R"lua(-- One reason to leave the current arm: return it in words, or nil to stay.
return rule {
  name = "@NAME@",
  source = "where the rule comes from",
  defaults = { failures = 5 },
  when = function(campaign, options)
    local arm = campaign.current
    if arm and arm.evaluations >= options.failures and not arm.best_ns then
      return ("%s was evaluated %d times and nothing passed"):format(arm.technique, arm.evaluations)
    end
  end,
}
)lua";

constexpr const char* kSearch =
    R"lua(-- Chooses configurations of one arm: straight-line code, every evaluate() is one evaluation.
return search {
  name = "@NAME@",
  summary = "random points, then the neighbours of the best",
  run = function(space, evaluate)
    local best, best_ns
    for _ = 1, math.min(8, space.size) do
      local config = space:random()
      local result = evaluate(config)
      if result.passed and (not best or result.time_ns < best_ns) then best, best_ns = config, result.time_ns end
    end
    if not best then return end
    for _, config in ipairs(space:neighbours(best)) do evaluate(config) end
  end,
}
)lua";

}  // namespace

std::vector<TemplateFile> template_files(const std::string& kind, const std::string& name) {
  if (kind == "kernel") {
    const std::string folder = "kernels/" + name + "/";
    std::string source = kVariantSource;
    source.replace(source.find("NAME"), 4, "naive");
    std::string manifest = kVariantManifest;
    for (std::size_t at = 0; (at = manifest.find("@NAME@")) != std::string::npos;) manifest.replace(at, 6, "naive");
    return {{folder + "kernel.lua", kKernelManifest},
            {folder + "reference.cu", kReference},
            {folder + "variants/00_naive.lua", manifest},
            {folder + "variants/00_naive.cu", source}};
  }
  if (kind == "variant") {
    const auto slash = name.find('/');
    const std::string stem = name.substr(slash + 1);
    // A C++ name: the part behind the number.
    const std::string function = stem.substr(
        stem.find_first_not_of("0123456789_") == std::string::npos ? 0 : stem.find_first_not_of("0123456789_"));
    std::string manifest = kVariantManifest, source = kVariantSource;
    for (std::size_t at = 0; (at = manifest.find("@NAME@")) != std::string::npos;) manifest.replace(at, 6, function);
    source.replace(source.find("NAME"), 4, function);
    const std::string folder = "kernels/" + name.substr(0, slash) + "/variants/";
    return {{folder + stem + ".lua", manifest}, {folder + stem + ".cu", source}};
  }
  if (kind == "strategy") return {{"strategies/" + name + ".lua", kStrategy}};
  if (kind == "rule") return {{"strategies/rules/" + name + ".lua", kRule}};
  return {{"strategies/search/" + name + ".lua", kSearch}};
}

}  // namespace harness
