#include "harness/adopt/plugin/references.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>

#include "harness/adopt/observe/complaint.h"
#include "harness/adopt/observe/least_sizes.h"
#include "harness/adopt/observe/observed_launch.h"
#include "harness/adopt/observe/points.h"
#include "harness/adopt/observe/reference_launch.h"
#include "harness/adopt/plugin/recorded.h"
#include "harness/adopt/plugin/reference_source.h"
#include "harness/core/dtype.h"
#include "harness/core/error.h"

namespace harness::adopt {
namespace {

constexpr const char* kWeakOfOwn = "the original's own source in double, which shares its mistakes";
constexpr const char* kWordsOfOwn = "its own source in double";

/// Relative L2 distance of what two runs left in one array.
double distance(const std::vector<std::byte>& got, Dtype stored, const std::vector<std::byte>& exact, Dtype wide) {
  const auto bytes = static_cast<std::size_t>(storage_bytes(stored)),
             wide_bytes = static_cast<std::size_t>(storage_bytes(wide));
  const std::size_t count = std::min(got.size() / bytes, exact.size() / wide_bytes);
  double error = 0, size = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double a = load_as_double(stored, got.data() + i * bytes),
                 b = load_as_double(wide, exact.data() + i * wide_bytes);
    if ((std::isnan(a) && std::isnan(b)) || (a == b && std::isinf(a))) continue;
    error += (a - b) * (a - b);
    size += b * b;
  }
  return size > 0 ? std::sqrt(error / size) : std::sqrt(error);
}

/// A .npy file or a folder of these.
bool is_recorded(const std::string& reference) {
  std::error_code failed;
  return reference.ends_with(".npy") || std::filesystem::is_directory(reference, failed);
}

/// softmax_cpu, reference_softmax and the like.
bool is_host_reference(const Declaration& function) {
  if (function.kind != Declaration::Kind::function || function.kernel || !function.defined ||
      function.parameters.empty())
    return false;
  std::string name = function.name;
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name.ends_with("_cpu") || name.starts_with("cpu_") || name.find("_ref") != std::string::npos ||
         name.ends_with("_host") || name.find("reference") != std::string::npos || name.ends_with("cpu");
}

/// What a kernel is launched from computes nothing by itself, whatever it is called.
bool launches_kernels(const Source::Place& function) {
  const std::string& text = function.file->text;
  return text.substr(function.chunk->body, function.chunk->end - function.chunk->body).find("<<<") != std::string::npos;
}

bool is_floating_array(const AdoptedParameter& parameter) {
  return parameter.kind == Param::pointer && is_floating(parameter.dtype);
}

/// What a launch at the i-th point begins with.
unsigned fill_of(std::size_t i) {
  return static_cast<unsigned>(i % 2) * 3;
}

}  // namespace

ChosenReference References::choose(const std::string& name) {
  if (name == "self") return itself();
  run_original();
  if (name.starts_with("command:")) return recorded_by(name.substr(8), kernel_, subject_, observer_, own());
  if (is_recorded(name)) return recorded_in(name, kernel_, subject_, observer_, own());
  if (!name.empty()) return from_file(name);
  const std::string wide = own_reference(kernel_, device_, true);
  const bool wide_agrees = has_floating() && agrees(inlined(wide), false);
  if (!wide_agrees && has_floating()) note = fmt::format("its source in double is no reference: {}", why_);
  if (wide_agrees) note = raise_least_sizes(kernel_, subject_, observer_, inlined(wide));
  if (const auto host = from_host(wide_agrees, wide)) return *host;
  if (wide_agrees) return {wide, true, false, kWeakOfOwn, kWordsOfOwn};
  return itself();
}

/// A function of the host in the file itself; beside it the own source in double, which runs faster, where that agrees.
std::optional<ChosenReference> References::from_host(bool wide_agrees, const std::string& wide) {
  for (const Declaration& function : source_.parsed.declarations) {
    if (!is_host_reference(function)) continue;
    const auto text = host_reference_of(source_, function);
    if (!text || !agrees(*text, true)) continue;
    if (!wide_agrees)
      return ChosenReference{*text, true, true, "", fmt::format("host function {} in double", function.name)};
    return ChosenReference{
        wide, true, false, "",
        fmt::format("its own source in double, which agrees with the host function {}", function.name)};
  }
  return std::nullopt;
}

/// In double, or the original as it is.
ChosenReference References::own() {
  if (!has_floating()) return itself();
  const std::string wide = own_reference(kernel_, device_, true);
  if (agrees(inlined(wide), false)) return {wide, true, false, kWeakOfOwn, kWordsOfOwn};
  note = fmt::format("its source in double is no reference: {}", why_);
  return itself();
}

ChosenReference References::itself() const {
  return {own_reference(kernel_, device_, false), false, false,
          "self-referenced: equal to the original, which is not shown to be right",
          "the original itself (self-referenced)"};
}

ChosenReference References::from_file(const std::string& path) {
  const Source other = read_cuda_source(path);
  std::string why = "it holds no function of the host whose parameters are the kernel's";
  for (const Declaration& function : other.parsed.declarations) {
    if (function.kind != Declaration::Kind::function || function.kernel || function.parameters.empty()) continue;
    const auto text = host_reference_of(other, function);
    if (!text) continue;
    if (agrees(*text, true))
      return {*text, true, true, "",
              fmt::format("{} of {} in double", function.name, std::filesystem::path(path).filename().string())};
    why = fmt::format("{}: {}", function.name, why_);
  }
  throw bad_input(fmt::format("--reference {}: {}", path, why));
}

std::optional<std::string> References::host_reference_of(const Source& source, const Declaration& function) const {
  const auto index = static_cast<std::size_t>(&function - source.parsed.declarations.data());
  const Source::Place place = source.places[index];
  if (place.chunk == nullptr || launches_kernels(place)) return std::nullopt;
  return host_reference(kernel_, function, device_source(source, index, {}, true));
}

bool References::has_floating() const {
  return std::ranges::any_of(kernel_.parameters, is_floating_array);
}

/// reference.cu as one text.
std::string References::inlined(std::string text) const {
  const std::string line = "#include \"variants/00_original.cu\"\n";
  if (const std::size_t at = text.find(line); at != std::string::npos) text.replace(at, line.size(), device_.text);
  return text;
}

void References::run_original() {
  points_ = points_of(kernel_, kernel_.sizes.empty() ? 1 : 4, 99);
  std::vector<ObservedLaunch> launches;
  for (std::size_t i = 0; i < points_.size(); ++i)
    launches.push_back(launch_at(kernel_, subject_.entry, points_[i], fill_of(i), false));
  const BuildResult result = observer_.build(subject_.build);
  if (const auto* artifact = std::get_if<Artifact>(&result)) original_ = observer_.run(*artifact, launches);
}

/// Nothing: it does not compile.
std::optional<Artifact> References::built(const std::string& text, bool serial) {
  BuildSpec spec = subject_.build;
  spec.source_name = "reference.cu";
  spec.source = text;
  spec.entries = {reference_entry(0)};
  if (serial) spec.constants.clear();
  for (std::size_t i = 0; i < (serial ? 0 : kernel_.further.size()); ++i)
    spec.entries.push_back(reference_entry(i + 1));
  const BuildResult result = observer_.build(spec);
  if (const auto* artifact = std::get_if<Artifact>(&result)) return *artifact;
  why_ = "it does not compile as device code: " +
         first_complaint(std::get<CompileFailure>(result).log, spec.source_name, spec.source, subject_.original);
  return std::nullopt;
}

/// Does it compute what the original does? `why_` says why not.
bool References::agrees(const std::string& text, bool serial) {
  const auto artifact = built(text, serial);
  if (!artifact) return false;
  std::vector<ObservedLaunch> launches;
  for (std::size_t i = 0; i < points_.size(); ++i)
    launches.push_back(reference_launch(kernel_, points_[i], fill_of(i), serial));
  const std::vector<Observation> observed = observer_.run(*artifact, launches);
  for (std::size_t i = 0; i < observed.size(); ++i)
    if (!agrees_at(i, observed[i])) return false;
  return true;
}

bool References::agrees_at(std::size_t point, const Observation& observed) {
  why_ = observed.failure;
  if (!why_.empty()) return false;
  for (const AdoptedParameter& parameter : kernel_.parameters) {
    if (parameter.kind != Param::pointer || parameter.role == "input") continue;
    const Dtype wide = is_floating(parameter.dtype) ? Dtype::f64 : parameter.dtype;
    const ArenaSeen &got = original_.at(point).arenas.at(parameter.name), &exact = observed.arenas.at(parameter.name);
    const double apart = distance(got.after, parameter.dtype, exact.after, wide);
    const std::int64_t elements = got.written / storage_bytes(parameter.dtype),
                       written_exact = exact.written / storage_bytes(wide);
    if (elements != written_exact)
      why_ = fmt::format("it writes {} elements of '{}' where the kernel writes {}", written_exact, parameter.name,
                         elements);
    else if (apart <= tolerance_of(parameter.dtype)) continue;
    else if (std::isfinite(apart))
      why_ = fmt::format("it lies {:.2g} apart from the kernel in '{}' (relative L2)", apart, parameter.name);
    else why_ = fmt::format("in '{}' it is finite where the kernel is not, or far beyond it", parameter.name);
    return false;
  }
  return true;
}

}  // namespace harness::adopt
