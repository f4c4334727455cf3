// Prints how long it takes to list a space of about a million valid points under ten constraints, and what a simulated
// evaluation costs the harness: by itself, and together with a Lua search that only asks. The first argument is the
// folder of strategies (default: strategies).
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>

#include "harness/script/catalog/catalog.h"
#include "harness/script/strategy/library.h"
#include "harness/simulate/simulation.h"
#include "tests/support/ten_constraints.h"

namespace {

using namespace harness;

double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

constexpr const char* kKernel = R"(return kernel {
  contract = 1, name = "tile", summary = "y = a x",
  domain = { N = range(1, 4096), dtype = one_of { "f32" } },
  workloads = { { name = "small", N = 4096, dtype = "f32" } },
  arguments = {
    input  { "x", dtype = "$dtype", shape = { "N" }, gen = normal {} },
    output { "y", dtype = "$dtype", shape = { "N" }, compare = relative {} },
  },
  reference = { source = "reference.cu", entry = "reference<$dtype>", sizes = { "N" }, threads = "N" },
  work = function(w) return { bytes = 2 * w.N, flops = { f32 = w.N }, exps = 0 } end,
}
)";

const std::string kVariant = std::string("return variant { technique = \"naive\",") + harness::tests::kTenConstraints +
                             R"(  steps = function(p, w, device)
    return { launch { entry = "scale<$dtype>", grid = { w.N }, block = { 32 }, args = { "x", "y" } } }
  end,
}
)";

void write(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

void list_a_space() {
  const auto root = std::filesystem::temp_directory_path() / fmt::format("harness-search-bench-{}", getpid());
  write(root / "tile/kernel.lua", kKernel);
  write(root / "tile/reference.cu", "");
  write(root / "tile/variants/00_naive.lua", kVariant);
  write(root / "tile/variants/00_naive.cu", "");
  DeviceInfo device;
  device.device = "cpu";
  Space space;
  const double took = seconds([&] {
    script::LuaCatalog catalog({root}, {});
    space = catalog.plugin("tile").space("00_naive", "small", device);
  });
  std::filesystem::remove_all(root);
  double product = 1;
  for (const Parameter& parameter : space.parameters) product *= static_cast<double>(parameter.values.size());
  fmt::print("a space of {} valid points of {:.0f}, 10 constraints{}: listed in {:.2f} s\n", space.points.size(),
             product, space.listed() ? "" : " (only sampled)", took);
}

simulate::RecordedSpace recorded() {
  simulate::RecordedSpaceBuilder builder;
  for (std::int64_t i = 0; i < 100'000; ++i) {
    simulate::NamedValues config;
    std::int64_t rest = i;
    for (const char* name : {"A", "B", "C", "D", "E"}) {
      config.emplace_back(name, rest % 10);
      rest /= 10;
    }
    for (const char* name : {"F", "G", "H", "I", "J"}) config.emplace_back(name, std::int64_t{1});
    builder.add("recorded", config, {OutcomeKind::passed, 1.0 + static_cast<double>(i * 7919 % 100'000), 1.0});
  }
  return builder.finish("bench/synthetic.json");
}

/// The least a search can do.
class InOrder : public Search {
 public:
  explicit InOrder(const simulate::RecordedSpace& space) : points_(space.arm.variants[0].second) {}
  ScriptIdentity identity() const override { return {"in-order", ""}; }
  std::optional<SearchAsk> ask() override {
    if (next_ == points_.points.size()) return std::nullopt;
    return SearchAsk{"recorded", configuration(points_, next_), {}};
  }
  void tell(const SearchResult&) override { ++next_; }

 private:
  const Space& points_;
  std::size_t next_ = 0;
};

void time_simulation(const std::filesystem::path& strategies) {
  const simulate::RecordedSpace space = recorded();
  const auto count = static_cast<double>(space.records.size());
  InOrder in_order(space);
  const double bare = seconds([&] { simulate::run_search(space, in_order, 0, 1e18); });
  fmt::print("a simulated evaluation costs the harness {:.2f} us (10 parameters, the asking included)\n",
             bare / count * 1e6);
  script::Library library({strategies});
  const auto exhaustive = library.search("exhaustive", space.arm, 1);
  const double lua = seconds([&] { simulate::run_search(space, *exhaustive, 0, 1e18); });
  fmt::print("and {:.2f} us with the search 'exhaustive', which announces 8 configurations with each\n",
             lua / count * 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  list_a_space();
  time_simulation(argc > 1 ? argv[1] : "strategies");
}
