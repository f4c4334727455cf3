#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <sstream>

#include "harness/capture/trace.h"
#include "harness/core/error.h"
#include "harness/core/suggest.h"
#include "harness/core/torch_call.h"
#include "harness/service/arguments.h"
#include "harness/service/model_shapes.h"
#include "harness/system/files.h"

namespace harness {
namespace {

/// Shapes in the order in which they came first, each with all its calls.
class CalledShapes {
 public:
  void add(const std::string& shape, double calls) {
    const auto known = std::ranges::find(shapes_, shape, &std::pair<std::string, double>::first);
    if (known == shapes_.end()) shapes_.emplace_back(shape, calls);
    else known->second += calls;
  }
  bool empty() const { return shapes_.empty(); }
  std::vector<std::string> words() const {
    std::vector<std::string> words;
    for (const auto& [shape, calls] : shapes_) words.push_back(fmt::format("{} weight={}", shape, calls));
    return words;
  }

 private:
  std::vector<std::pair<std::string, double>> shapes_;
};

std::string trimmed_words(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r"), end = text.find_last_not_of(" \t\r");
  return begin == std::string::npos ? "" : text.substr(begin, end + 1 - begin);
}

/// The sizes of a workload of the kernel as a shape; a shape stays as it is.
std::string shape_of_words(const std::string& words, const KernelInfo& kernel) {
  if (words.find('=') != std::string::npos) return words;
  const auto known = std::ranges::find(kernel.workloads, words, &Workload::name);
  if (known != kernel.workloads.end()) return to_text(known->values);
  std::vector<std::string> names;
  for (const Workload& workload : kernel.workloads) names.push_back(workload.name);
  throw bad_input(fmt::format("kernel '{}' has no workload '{}'{}; a shape is written SIZE=NUMBER", kernel.name, words,
                              did_you_mean(words, names)));
}

CalledShapes read_mix(const std::string& path, FormulaKernel& kernel, const DeviceInfo& device) {
  constexpr std::uintmax_t kLargest = 4 << 20;
  std::error_code failed;
  const auto bytes = std::filesystem::file_size(path, failed);
  if (failed || bytes > kLargest || !std::filesystem::is_regular_file(path, failed))
    throw bad_input(fmt::format("the mix '{}' is no text file of at most 4 MiB", path));
  std::istringstream lines(read_file(path));
  CalledShapes shapes;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line = trimmed_words(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const auto refuse = [&](const std::string& why) { return bad_input(fmt::format("{}:{}: {}", path, number, why)); };
    const std::size_t comma = line.rfind(',');
    const Value calls = parse_value(comma == std::string::npos ? "" : trimmed_words(line.substr(comma + 1)));
    const auto* whole = std::get_if<std::int64_t>(&calls);
    const auto* real = std::get_if<double>(&calls);
    const double times = whole != nullptr ? static_cast<double>(*whole) : real != nullptr ? *real : 0;
    if (!(times > 0) || times > 1e15) throw refuse("a line is SHAPE, CALLS: \"B=4 Sq=3000 causal, 120\"");
    try {
      shapes.add(kernel.add_shape(shape_of_words(trimmed_words(line.substr(0, comma)), kernel.info()), device), times);
    } catch (const Error& error) {
      throw refuse(error.what());
    }
  }
  return shapes;
}

/// Of a value that a launch passed; nothing where it is none of these types, or its bytes are not as many.
std::optional<std::int64_t> whole_of(const std::vector<unsigned char>& bytes, Dtype dtype) {
  const auto as = [&](auto number) -> std::optional<std::int64_t> {
    if (bytes.size() != sizeof number) return std::nullopt;
    std::memcpy(&number, bytes.data(), sizeof number);
    return static_cast<std::int64_t>(number);
  };
  if (dtype == Dtype::s32) return as(std::int32_t{});
  if (dtype == Dtype::u32) return as(std::uint32_t{});
  if (dtype == Dtype::s64) return as(std::int64_t{});
  return dtype == Dtype::u64 ? as(std::uint64_t{}) : std::nullopt;
}

std::string function_of_entry(const std::string& entry) {
  const std::string name = entry.substr(0, entry.find('<'));
  return name.substr(name.rfind(':') + 1);
}

/// The sizes that a launch passed as they are: "T=64 N=4096"; "" where a size is no argument.
std::string shape_of_launch(const capture::LaunchGroup& group, const FormulaLaunch& launch) {
  if (group.values.size() != launch.args.size()) return "";
  std::map<std::string, std::int64_t> sizes;
  for (std::size_t i = 0; i < launch.args.size(); ++i) {
    const auto* const scalar = std::get_if<FormulaScalar>(&launch.args[i]);
    if (scalar == nullptr || !scalar->value.is_object() || !scalar->value.contains("size")) continue;
    if (const auto value = whole_of(group.values[i].bytes, scalar->dtype))
      sizes[scalar->value.at("size").get<std::string>()] = *value;
  }
  std::string shape;
  for (const auto& [name, value] : sizes) shape += fmt::format("{}{}={}", shape.empty() ? "" : " ", name, value);
  return shape;
}

CalledShapes read_captured(const std::string& folder, FormulaKernel& kernel, const DeviceInfo& device) {
  const KernelInfo& info = kernel.info();
  const Workload& like = info.workloads.front();
  const VariantInfo& original = first_kernel_of(info);
  const Config config = kernel.default_config(original.name, like.name, device, {});
  const FormulaPlan plan = kernel.formulas({info.name, original.name, "", config}, like, device);
  CalledShapes shapes;
  const capture::Capture captured = capture::read_capture(folder, {});
  for (const FormulaStep& step : plan.steps) {
    const auto* const launch = std::get_if<FormulaLaunch>(&step);
    if (launch == nullptr) continue;
    for (const capture::CapturedKernel& each : captured.kernels)
      for (const capture::LaunchGroup& group : each.groups)
        if (each.entry == function_of_entry(launch->entry))
          if (const std::string shape = shape_of_launch(group, *launch); !shape.empty())
            shapes.add(kernel.add_shape(shape, device), static_cast<double>(std::max<std::int64_t>(1, group.calls)));
    if (!shapes.empty()) return shapes;  // of several launches of a call one says how often it was called
  }
  throw bad_input(fmt::format("{} has no launch of '{}' whose sizes can be read: kernel '{}' launches {} in {}", folder,
                              function_of_entry(original.name), info.name, plan.steps.size(), original.file));
}

/// The device that is asked for; the first of the kind where several are. One that is not here is told of later.
DeviceInfo base_device(const std::string& asked, const std::vector<DeviceInfo>& devices) {
  const std::string kind = device_kind(asked);
  for (const bool by_kind : {true, false})
    for (const DeviceInfo& device : devices)
      if (by_kind ? device_kind(device.device) == kind : device.available) return device;
  return devices.front();
}

}  // namespace

std::vector<std::string> shapes_of_mix(const std::string& path, const std::string& kernel, const std::string& device,
                                       Shell& shell) {
  const Places places = shell.places();
  const auto catalog = shell.rooms.formula_catalog(places);
  FormulaKernel& plugin = catalog->plugin(kernel);
  const DeviceInfo base = base_device(device, shell.rooms.devices(places));
  std::error_code none;
  const bool captured = std::filesystem::is_directory(path, none);
  const CalledShapes shapes = captured ? read_captured(path, plugin, base) : read_mix(path, plugin, base);
  if (shapes.empty()) throw bad_input(fmt::format("the mix '{}' names no shape", path));
  return shapes.words();
}

}  // namespace harness
