#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/match.h"
#include "harness/package/launcher/formula_text.h"
#include "harness/package/launcher/launcher.h"
#include "harness/package/resolved.h"
#include "harness/script/catalog/catalog.h"
#include "harness/system/files.h"
#include "tests/package/fake_cuda.h"
#include "tests/support/turns.h"

// What a launcher does at random points of the domain, beside the harness's own plan there: grids, blocks, shared
// memory, attributes, arguments, tensor maps, workspaces, and whether a configuration is valid at all.
using namespace harness;
using namespace harness::package;
using namespace harness::package::test;
using harness::tests::Finished;
using harness::tests::run_program;
using harness::tests::Scratch;

namespace {

constexpr int kPointsOfAKernel = 10000;
constexpr std::size_t kConfigurationsOfAVariant = 2;
constexpr unsigned long long kWorkspace = 1ull << 52;

unsigned long long address_of(std::size_t argument) {
  return (argument + 1) << 44;
}

/// Sizes of a launch's parameters, for the fake's symbol.
std::size_t parameter_bytes(const FormulaLaunchArgument& argument, const FormulaPlan& plan) {
  if (std::holds_alternative<FormulaTensorMap>(argument)) return 128;
  if (const auto* scalar = std::get_if<FormulaScalar>(&argument))
    return static_cast<std::size_t>(storage_bytes(scalar->dtype));
  const auto& name = std::get<FormulaPointer>(argument).name;
  for (const FormulaArgument& each : plan.arguments)
    if (each.name == name && each.kind == ArgumentKind::scalar)
      return static_cast<std::size_t>(storage_bytes(each.dtype));
  return 8;
}

std::string symbol_of(const FormulaLaunch& launch, const FormulaPlan& plan, std::size_t number) {
  std::vector<std::string> bytes;
  for (const FormulaLaunchArgument& argument : launch.args)
    bytes.push_back(std::to_string(parameter_bytes(argument, plan)));
  return fmt::format("k{}:{}", number, fmt::join(bytes, ","));
}

/// A launcher of several configurations, and the points at which it is asked.
class Asked {
 public:
  Asked(script::LuaCatalog& catalog, const std::string& kernel) : catalog_(catalog), kernel_(catalog.kernel(kernel)) {
    launcher_.kernel = kernel;
    launcher_.summary = kernel_.summary;
    launcher_.program = "a test";
    launcher_.fields = catalog.plugin(kernel).fields();
    launcher_.architectures = {"sm_90a"};
    launcher_.units = {{{"an image"}}};
    for (const VariantInfo& variant : kernel_.variants) add(variant);
  }

  const Launcher& launcher() const { return launcher_; }
  std::size_t configurations() const { return launcher_.configurations.size(); }

  /// The line for the program, and what the harness itself does there.
  std::pair<std::string, std::string> point(int number) {
    const std::size_t configuration = static_cast<std::size_t>(number) % configurations();
    const Candidate& candidate = launcher_.configurations[configuration].candidate;
    const Workload point = catalog_.plugin(kernel_.name)
                               .random_point(kernel_.workloads.front(), 77 + 13ull * static_cast<unsigned>(number));
    const LauncherInstance& instance = instance_at(configuration, point);
    std::string line = std::to_string(configuration);
    for (const FieldLimits& field : launcher_.fields) line += " " + c_value(field, point.values.at(field.name));
    return {line, expected(candidate, instance, point)};
  }

 private:
  void add(const VariantInfo& variant) {
    for (const Workload& workload : kernel_.workloads) {
      const Space space = catalog_.plugin(kernel_.name).space(variant.name, workload.name, device_);
      if (space.points.empty()) continue;
      const std::size_t count = std::min(kConfigurationsOfAVariant, space.points.size());
      for (std::size_t i = 0; i < count; ++i) {
        const Candidate candidate{kernel_.name, variant.name, variant.technique,
                                  configuration(space, i * space.points.size() / count)};
        try {
          fixed_[launcher_.configurations.size()] =
              catalog_.plugin(candidate.kernel).formulas(candidate, workload, device_).fixed;
        } catch (const Error& refusal) {
          CHECK_THAT(refusal.what(), Catch::Contains("calls a library"));
          return;
        }
        launcher_.configurations.push_back({candidate, &variant == &kernel_.variants.front()});
        base_.push_back(workload);
      }
      return;
    }
  }

  const LauncherInstance& instance_at(std::size_t configuration, const Workload& point) {
    Config fixed;
    for (const auto& [name, value] : fixed_.at(configuration)) fixed[name] = point.values.at(name);
    const auto key = std::make_pair(configuration, to_text(fixed));
    const auto known = instances_.find(key);
    if (known != instances_.end()) return launcher_.instances[known->second];
    LauncherInstance made{
        configuration,
        catalog_.plugin(kernel_.name).formulas(launcher_.configurations[configuration].candidate, point, device_),
        {}};
    for (const FormulaStep& step : made.plan.steps)
      if (const auto* launch = std::get_if<FormulaLaunch>(&step)) {
        made.kernels.push_back(launcher_.kernels.size());
        launcher_.kernels.push_back({launch->entry, 0, symbol_of(*launch, made.plan, launcher_.kernels.size())});
      }
    instances_[key] = launcher_.instances.size();
    launcher_.instances.push_back(std::move(made));
    return launcher_.instances.back();
  }

  std::string c_value(const FieldLimits& field, const Value& value) const {
    if (const auto* text = std::get_if<std::string>(&value))
      return std::to_string(enumerator(launcher_, field.name, *text));
    if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "1" : "0";
    return to_text(value);
  }

  std::string expected(const Candidate& candidate, const LauncherInstance& instance, const Workload& point) {
    std::optional<Realized> realized;
    try {
      realized = catalog_.plugin(candidate.kernel).at_point(candidate, point, device_);
    } catch (const Error&) {
      return "status 4\n";
    }
    if (!realized) return "status 12\n";
    std::string text;
    unsigned long long end = 0;
    std::map<std::string, unsigned long long> addresses;
    for (std::size_t i = 0; i < realized->problem.arguments.size(); ++i)
      addresses[realized->problem.arguments[i].name] = realized->problem.arguments[i].absent ? 0 : address_of(i);
    for (const Workspace& workspace : realized->plan.workspaces) {
      const auto align = static_cast<unsigned long long>(workspace.align);
      const unsigned long long at = (end + align - 1) / align * align;
      end = at + static_cast<unsigned long long>(workspace.bytes);
      addresses[workspace.name] = kWorkspace + at;
      if (workspace.zeroed && workspace.bytes > 0)
        text += fmt::format("memset {:x} 0 {}\n", kWorkspace + at, workspace.bytes);
    }
    std::size_t place = 0;
    for (const Step& step : realized->plan.steps)
      std::visit(Match{[&](const Launch& launch) {
                         text += launch_text(launch, realized->problem, addresses,
                                             launcher_.kernels[instance.kernels[place]].symbol);
                         ++place;
                       },
                       [&](const Memset& memset) {
                         text +=
                             fmt::format("memset {:x} {} {}\n",
                                         addresses.at(memset.target) + static_cast<unsigned long long>(memset.offset),
                                         memset.value, memset.bytes);
                       },
                       [](const LibraryCall&) {}},
                 step);
    return fmt::format("status 0\n{}workspace {}\n", text, end);
  }

  template <typename T>
  static std::string bytes_text(T value) {
    std::string text = " ";
    unsigned char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
    return text;
  }

  static std::string scalar_text(Dtype dtype, const Value& value) {
    if (is_floating(dtype)) {
      const double number = std::holds_alternative<double>(value) ? std::get<double>(value)
                                                                  : static_cast<double>(std::get<std::int64_t>(value));
      return dtype == Dtype::f32 ? bytes_text(static_cast<float>(number)) : bytes_text(number);
    }
    const std::int64_t whole = std::get<std::int64_t>(value);
    return storage_bytes(dtype) == 4 ? bytes_text(static_cast<std::uint32_t>(whole)) : bytes_text(whole);
  }

  std::string map_line(const TensorMap& map, unsigned long long address) {
    static const std::map<Dtype, int> kTypes = {{Dtype::f16, 6}, {Dtype::bf16, 9}, {Dtype::f32, 7}};
    std::string text;
    for (std::size_t i = map.shape.size(); i-- > 0;) text += fmt::format(" {}", map.shape[i]);
    for (std::size_t i = map.shape.size() - 1; i-- > 0;)
      text += fmt::format(" {}", map.strides[i] * storage_bytes(map.dtype));
    for (std::size_t i = map.shape.size(); i-- > 0;) text += fmt::format(" {}/1", map.box[i]);
    const auto place = [](const auto& list, const std::string& word) {
      return std::ranges::find(list, word) - list.begin();
    };
    return fmt::format("map {}: {} 0x{:x}{} 0 {} {} 0\n", ++maps_, kTypes.at(map.dtype), address, text,
                       place(kSwizzles, map.swizzle), place(kPromotions, map.promotion));
  }

  std::string launch_text(const Launch& launch, const Problem& problem,
                          const std::map<std::string, unsigned long long>& addresses, const std::string& symbol) {
    std::string before, arguments;
    for (const LaunchArgument& argument : launch.args)
      std::visit(Match{[&](const NamedArgument& named) {
                         const Argument* declared = find_argument(problem, named.name);
                         if (declared != nullptr && declared->kind == ArgumentKind::scalar)
                           arguments += scalar_text(declared->dtype, Value(3.25));
                         else
                           arguments +=
                               bytes_text(addresses.at(named.name) + static_cast<unsigned long long>(named.offset));
                       },
                       [&](const ScalarArgument& scalar) { arguments += scalar_text(scalar.dtype, scalar.value); },
                       [&](const TensorMap& map) {
                         before += map_line(map, addresses.at(map.of));
                         arguments += bytes_text(maps_);
                       }},
                 argument);
    const std::uint64_t cluster = std::uint64_t{launch.cluster.x} * launch.cluster.y * launch.cluster.z;
    const std::uint64_t threads = std::uint64_t{launch.block.x} * launch.block.y * launch.block.z;
    const Dim3 grid = blocks_that_fit(launch, cluster > 1 ? 33 * cluster : (threads > 256 ? 1u : 2u) * 132u);
    return before +
           fmt::format(
               "launch {} grid {} {} {} block {} {} {} cluster {} {} {} shared {} flags {} {}{} stream 0x5000\n",
               symbol.substr(0, symbol.find(':')), grid.x, grid.y, grid.z, launch.block.x, launch.block.y,
               launch.block.z, launch.cluster.x, launch.cluster.y, launch.cluster.z, launch.shared,
               launch.cooperative ? 1 : 0, launch.pdl ? 1 : 0, arguments);
  }

  script::LuaCatalog& catalog_;
  const KernelInfo& kernel_;
  const DeviceInfo device_ = fake_h200();
  Launcher launcher_;
  std::vector<Workload> base_;
  std::map<std::size_t, Config> fixed_;
  std::map<std::pair<std::size_t, std::string>, std::size_t> instances_;
  unsigned long long maps_ = 0;
};

/// Reads "choice sizes..." lines and calls the launcher; its statuses stand among the launches in the fake's log.
std::string asking_program(const Launcher& launcher) {
  const std::string name = launcher_name(launcher.kernel);
  std::string reads, arguments;
  for (const FieldLimits& field : launcher.fields) reads += fmt::format(" >> sizes.{}", c_name(field.name));
  const std::vector<std::string> parameters = launcher_parameters(launcher);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string type = parameters[i].substr(0, parameters[i].rfind(' '));
    arguments += type.back() == '*' ? fmt::format("({}){}ull, ", type, address_of(i)) : fmt::format("({})3.25, ", type);
  }
  return fmt::format(
      "#include \"{0}.h\"\n#include <cstdio>\n#include <cstdlib>\n#include <fstream>\n#include <iostream>\n#include "
      "<sstream>\n"
      "int main() {{\n  std::string line;\n  {0}_sizes sizes = {{}};\n  int choice = 0;\n"
      "  FILE* const log = std::fopen(std::getenv(\"FAKE_CUDA_LOG\"), \"a\");\n"
      "  while (std::getline(std::cin, line)) {{\n"
      "    std::istringstream(line) >> choice{1};\n    size_t bytes = 0;\n"
      "    const int asked = {0}_workspace_bytes_as(choice, &sizes, &bytes);\n"
      "    std::fprintf(log, \"point %d\\n\", asked); std::fflush(log);\n"
      "    const int status = {0}_run_as(choice, &sizes, {2}(void*){3}ull, bytes, (void*)0x5000);\n"
      "    std::fprintf(log, \"end %d %zu\\n\", status, bytes); std::fflush(log);\n  }}\n}}\n",
      name, reads, arguments, kWorkspace);
}

/// By point: "status S\n", launches, "workspace N\n".
std::vector<std::string> told(const std::string& log) {
  std::ifstream file(log);
  std::vector<std::string> points;
  std::string line, launches;
  while (std::getline(file, line)) {
    if (line.starts_with("load ")) continue;
    if (line.starts_with("point ")) {
      launches.clear();
    } else if (line.starts_with("end ")) {
      int status = 0;
      std::size_t bytes = 0;
      std::istringstream(line.substr(4)) >> status >> bytes;
      points.push_back(status == 0 ? fmt::format("status 0\n{}workspace {}\n", launches, bytes)
                                   : fmt::format("status {}\n", status));
    } else {
      launches += line + "\n";
    }
  }
  return points;
}

/// What the launcher does at each line of `points`.
std::vector<std::string> answers(const Launcher& launcher, const std::string& points) {
  const Scratch scratch;
  const FakeCuda cuda(scratch);
  const LauncherFiles files = launcher_files(launcher);
  const std::string name = launcher_name(launcher.kernel);
  scratch.write(name + ".h", files.header);
  scratch.write(name + ".cpp", files.source);
  scratch.write(name + "_code.h", files.code_header);
  scratch.write(name + "_math.h", files.math);
  scratch.write(name + "_code.cpp", files.code);
  scratch.write("ask.cpp", asking_program(launcher));
  scratch.write("points.txt", points);
  const Finished built =
      run_program({"c++", "-std=c++17", "-O0", "-Wall", "-Wextra", "-Werror", scratch.path(name + ".cpp"),
                   scratch.path(name + "_code.cpp"), scratch.path("ask.cpp"), "-o", scratch.path("ask"), "-ldl"},
                  scratch.path(""));
  INFO(built.err);
  REQUIRE(built.status == 0);
  const Finished ran = run_program({"sh", "-c", "./ask < points.txt"}, scratch.path(""), cuda.environment());
  REQUIRE(ran.status == 0);
  return told(cuda.log());
}

void compare_kernel(const std::string& kernel) {
  const std::string kernels = std::string(HARNESS_SOURCE_DIR) + "/kernels";
  script::LuaCatalog catalog({kernels}, {kernels + "/include"}, {"cpu", "cuda"});
  Asked asked(catalog, kernel);
  std::string lines;
  std::vector<std::string> expected, points;
  for (int i = 0; i < kPointsOfAKernel; ++i) {
    auto [line, text] = asked.point(i);
    lines += line + "\n";
    points.push_back(std::move(line));
    expected.push_back(std::move(text));
  }
  const std::vector<std::string> found = answers(asked.launcher(), lines);
  REQUIRE(found.size() == expected.size());
  int launched = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    launched += expected[i].starts_with("status 0") ? 1 : 0;
    if (found[i] == expected[i]) continue;
    const auto& configuration = asked.launcher().configurations[i % asked.configurations()];
    INFO(candidate_text(configuration.candidate) << " at " << points[i]);
    REQUIRE(found[i] == expected[i]);
  }
  CHECK(launched > kPointsOfAKernel / 20);
}

}  // namespace

TEST_CASE("a launcher launches what the harness does, at 10,000 points of vector_scale") {
  if (tests::is_nightly()) return;
  compare_kernel("vector_scale");
}
TEST_CASE("sizes that a launch's types do not hold launch nothing") {
  const Scratch scratch;
  namespace fs = std::filesystem;
  const std::string own = std::string(HARNESS_SOURCE_DIR) + "/kernels/vector_scale";
  for (const char* file : {"kernel.lua", "reference.cu", "variants/00_naive.lua", "variants/00_naive.cu"}) {
    fs::create_directories(fs::path(scratch.path("kernels/vector_scale/") + file).parent_path());
    fs::copy_file(own + "/" + file, scratch.path("kernels/vector_scale/") + file);
  }
  std::string manifest = read_file(own + "/kernel.lua");
  manifest.replace(manifest.find("67108864"), 8, "1099511627776");  // of the domain alone: 2^40
  scratch.write("kernels/vector_scale/kernel.lua", manifest);
  script::LuaCatalog catalog({scratch.path("kernels")}, {std::string(HARNESS_SOURCE_DIR) + "/kernels/include"},
                             {"cpu", "cuda"});
  Asked asked(catalog, "vector_scale");
  for (int i = 0; i < 40; ++i) asked.point(i);  // of each type
  const std::vector<std::string> found = answers(
      asked.launcher(), "0 2147483647 0\n0 2147483648 0\n0 4294967296 0\n0 1099511627776 0\n0 1099511627777 0\n");
  REQUIRE(found.size() == 5);
  CHECK_THAT(found[0], Catch::StartsWith("status 0\nlaunch") && Catch::Contains("ffffff7f"));
  for (int i = 1; i < 4; ++i) CHECK(found[i] == "status 4\n");  // TOO_LARGE: the kernel counts in an int
  CHECK(found[4] == "status 3\n");                              // OUTSIDE_DOMAIN
}
TEST_CASE("a launcher launches what the harness does, at 10,000 points of softmax") {
  if (tests::is_nightly()) return;
  compare_kernel("softmax");
}
TEST_CASE("a launcher launches what the harness does, at 10,000 points of rmsnorm_int8") {
  if (tests::is_nightly()) return;
  compare_kernel("rmsnorm_int8");
}
TEST_CASE("a launcher launches what the harness does, at 10,000 points of paged_gather") {
  compare_kernel("paged_gather");
}
TEST_CASE("a launcher launches what the harness does, at 10,000 points of attention") {
  if (tests::is_nightly()) return;
  compare_kernel("attention");
}
