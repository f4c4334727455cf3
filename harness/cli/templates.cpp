#include "harness/cli/templates.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/cli/pattern_template.h"
#include "harness/core/error.h"
#include "harness/system/files.h"

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
    R"lua(-- Chooses the arm for the next evaluation. strategies/README.md tells how, strategies/api.lua has every field of `campaign`.

local forecast = use("lib/forecast")   -- what an arm is expected to bring and to cost

return strategy {
  name = "@NAME@",
  summary = "the open arm with the fewest evaluations; risky ones only at the weekend",
  rules = { "rules/enough", "rules/time-overrun", "rules/plateau" },

  decide = function(campaign)
    local weekday = campaign.now.weekday <= 5   -- 1 Monday to 7 Sunday
    local chosen
    for _, arm in ipairs(campaign.open) do
      local allowed = arm.risk ~= "high" or not weekday
      if allowed and (not chosen or arm.evaluations < chosen.evaluations) then chosen = arm end
    end
    if not chosen then return { action = "stop", reason = "exhausted", why = "no arm is left to try today" } end
    local context = forecast.context(campaign)
    return {
      action = "try", arm = chosen,
      why = ("%s has had %d evaluations, the fewest"):format(chosen.name, chosen.evaluations),
      predict = forecast.predict(context, forecast.arm(context, chosen), chosen.prior.evaluations),
    }
  end,
}
)lua";

constexpr const char* kRule = R"lua(-- One reason to leave an arm. A strategy obeys it once it lists "rules/@NAME@".
return rule {
  name = "@NAME@",
  summary = "leaves an arm of which nothing passed for a number of evaluations",
  source = "where the rule and its numbers come from",
  effect = "close",   -- or "pivot": another arm goes first; or "stop": the campaign ends
  defaults = { failures = 5 },

  -- A reason in words and the numbers behind it, or nil to stay.
  when = function(_, options, arm)
    if arm.passed > 0 or arm.evaluations < options.failures then return nil end
    return ("%s was evaluated %d times and nothing passed"):format(arm.name, arm.evaluations),
      { evaluations = arm.evaluations, failures = options.failures }
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

bool is_identifier(const std::string& name) {
  return !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
                              std::string::npos;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

std::vector<TemplateFile> kernel_files(const NewArguments& arguments, Shell&) {
  const std::string folder = "kernels/" + plain_name(arguments) + "/";
  return {{folder + "kernel.lua", kKernelManifest},
          {folder + "reference.cu", kReference},
          {folder + "variants/00_naive.lua", replaced(kVariantManifest, "@NAME@", "naive")},
          {folder + "variants/00_naive.cu", replaced(kVariantSource, "NAME", "naive")}};
}

/// The part of "20_split_kv" behind the number, as a technique is written: "split-kv".
std::string technique_of(const std::string& stem) {
  const std::size_t begin = stem.find_first_not_of("0123456789_");
  return replaced(begin == std::string::npos ? stem : stem.substr(begin), "_", "-");
}

/// A copy of the kernel's baseline under another name and technique: it works at once, and is changed from there.
std::vector<TemplateFile> variant_files(const NewArguments& arguments, Shell& shell) {
  const auto slash = arguments.name.find('/');
  if (slash == std::string::npos || !is_identifier(arguments.name.substr(0, slash)) ||
      !is_identifier(arguments.name.substr(slash + 1)))
    throw bad_input(
        fmt::format("'{}' names no variant; write KERNEL/NN_NAME, for example softmax/30_fast", arguments.name));
  const std::string kernel = arguments.name.substr(0, slash), stem = arguments.name.substr(slash + 1);
  const Places places = shell.places();
  const VariantInfo baseline = shell.rooms.catalog(places)->kernel(kernel).variants.front();
  for (const std::string& folder : places.kernel_folders) {
    const std::filesystem::path variants = std::filesystem::path(folder) / kernel / "variants";
    if (!std::filesystem::exists(variants / (baseline.name + ".lua"))) continue;
    std::string manifest = read_file(variants / (baseline.name + ".lua"), Error::Kind::bad_input);
    manifest = replaced(manifest, '"' + baseline.technique + '"', '"' + technique_of(stem) + '"');
    const std::string to = "kernels/" + kernel + "/variants/" + stem;
    std::vector<TemplateFile> files{{to + ".lua", manifest}};
    if (std::filesystem::exists(variants / (baseline.name + ".cu")))
      files.push_back({to + ".cu", read_file(variants / (baseline.name + ".cu"), Error::Kind::bad_input)});
    return files;
  }
  throw bad_input(fmt::format("the baseline '{}' of kernel '{}' has no file to begin from", baseline.name, kernel));
}

std::vector<TemplateFile> strategy_files(const NewArguments& arguments, Shell&) {
  return {{"strategies/" + plain_name(arguments) + ".lua", kStrategy}};
}

std::vector<TemplateFile> rule_files(const NewArguments& arguments, Shell&) {
  return {{"strategies/rules/" + plain_name(arguments) + ".lua", kRule}};
}

std::vector<TemplateFile> search_files(const NewArguments& arguments, Shell&) {
  return {{"strategies/search/" + plain_name(arguments) + ".lua", kSearch}};
}

}  // namespace

std::string plain_name(const NewArguments& arguments) {
  if (is_identifier(arguments.name)) return arguments.name;
  throw bad_input(fmt::format("'{}' is not a name; use letters, digits, _ and -", arguments.name));
}

const std::vector<Scaffold>& scaffolds() {
  static const std::vector<Scaffold> table{
      {"kernel", "NAME", kernel_files, "harness check @NAME@ --device cpu"},
      {"variant", "KERNEL/NN_NAME", variant_files, "it is a copy of the baseline; change it, then harness eval"},
      {"strategy", "NAME", strategy_files,
       "harness strategies --check @NAME@; harness run softmax --device cpu --strategy @NAME@ --dry-run"},
      {"rule", "NAME", rule_files, "harness strategies --check rules/@NAME@; list \"rules/@NAME@\" in a strategy"},
      {"search", "NAME", search_files,
       "harness strategies --check search/@NAME@; harness run softmax --device cpu --search @NAME@ --budget 1m"},
      {"pattern", "NAME", pattern_files, "say when it applies and what to do; harness playbook @NAME@ reads it"},
  };
  return table;
}

}  // namespace harness
