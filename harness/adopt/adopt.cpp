#include "harness/adopt/adopt.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>

#include "harness/adopt/complaint.h"
#include "harness/adopt/constants.h"
#include "harness/adopt/draws.h"
#include "harness/adopt/indexes.h"
#include "harness/adopt/least_sizes.h"
#include "harness/adopt/library_headers.h"
#include "harness/adopt/observed_launch.h"
#include "harness/adopt/points.h"
#include "harness/adopt/recorded.h"
#include "harness/adopt/reference_launch.h"
#include "harness/core/dtype.h"
#include "harness/core/error.h"
#include "harness/core/hash.h"

namespace harness::adopt {
namespace {

std::set<std::string> names_of_tuned(const AdoptedKernel& kernel) {
  std::set<std::string> names;
  for (const auto& [name, how] : kernel.bound)
    if (how == "define") names.insert(name);
  return names;
}

Subject subject_of(const AdoptedKernel& kernel, const std::string& text, const std::string& shown,
                   const std::vector<std::string>& include_folders) {
  Subject subject;
  subject.build.source_name = shown;
  subject.build.source = text;
  subject.build.include_dirs = include_folders;
  std::map<std::string, std::string> values;
  for (const auto& [name, how] : kernel.bound) {
    const std::string value = fmt::format("{}", kernel.tuned.at(name).front());
    if (how == "define") subject.build.defines.emplace_back(name, value);
    if (how == "template") values[name] = value;
  }
  subject.build.constants = symbols_of(constants_of(kernel));
  subject.entry = kernel.entry_for(std::string(cuda_type(kernel.dtypes.front())), values);
  subject.entries = entries_of(kernel, subject.entry);
  return subject;
}

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

class References {
 public:
  References(AdoptedKernel& kernel, const Source& source, const DeviceSource& device, const Subject& subject,
             Observer& observer)
      : kernel_(kernel), source_(source), device_(device), subject_(subject), observer_(observer) {}

  std::string note;  // why it is not a better one, or where it is none

  ChosenReference choose(const AdoptOptions& options) {
    if (options.reference == "self") return itself();
    original();
    const bool command = options.reference.starts_with("command:"), recorded = is_recorded(options.reference);
    if (!options.reference.empty() && !command && !recorded) return from_file(options.reference);
    if (command) return recorded_by(options.reference.substr(8), kernel_, subject_, observer_, own());
    if (recorded) return recorded_in(options.reference, kernel_, subject_, observer_, own());
    const std::string wide = own_reference(kernel_, device_, true);
    const bool wide_agrees = has_floating() && agrees(inlined(wide), false);
    if (!wide_agrees && has_floating()) note = fmt::format("its source in double is no reference: {}", why_);
    if (wide_agrees) note = raise_least_sizes(kernel_, subject_, observer_, inlined(wide));
    for (const Declaration& function : source_.parsed.declarations) {
      if (!is_host_reference(function)) continue;
      const auto text = host_reference_of(source_, function);
      if (!text || !agrees(*text, true)) continue;
      if (!wide_agrees) return {*text, true, true, "", fmt::format("host function {} in double", function.name)};
      return {wide, true, false, "",
              fmt::format("its own source in double, which agrees with the host function {}", function.name)};
    }
    if (wide_agrees)
      return {wide, true, false, "the original's own source in double, which shares its mistakes",
              "its own source in double"};
    return itself();
  }

 private:
  /// A .npy file or a folder of these.
  static bool is_recorded(const std::string& reference) {
    std::error_code failed;
    return reference.ends_with(".npy") || std::filesystem::is_directory(reference, failed);
  }

  /// In double, or the original as it is.
  ChosenReference own() {
    const std::string wide = own_reference(kernel_, device_, true);
    if (!has_floating()) return itself();
    if (!agrees(inlined(wide), false)) {
      note = fmt::format("its source in double is no reference: {}", why_);
      return itself();
    }
    return {wide, true, false, "the original's own source in double, which shares its mistakes",
            "its own source in double"};
  }

  ChosenReference itself() const {
    return {own_reference(kernel_, device_, false), false, false,
            "self-referenced: equal to the original, which is not shown to be right",
            "the original itself (self-referenced)"};
  }

  ChosenReference from_file(const std::string& path) {
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

  static bool is_host_reference(const Declaration& function) {
    if (function.kind != Declaration::Kind::function || function.kernel || !function.defined ||
        function.parameters.empty())
      return false;
    std::string name = function.name;
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name.ends_with("_cpu") || name.starts_with("cpu_") || name.find("_ref") != std::string::npos ||
           name.ends_with("_host") || name.find("reference") != std::string::npos || name.ends_with("cpu");
  }

  std::optional<std::string> host_reference_of(const Source& source, const Declaration& function) const {
    for (std::size_t i = 0; i < source.parsed.declarations.size(); ++i) {
      if (&source.parsed.declarations[i] != &function) continue;
      const Source::Found found = source.find(i);
      if (found.chunk != nullptr && !launches(found))
        return host_reference(kernel_, function, device_source(source, i, {}, true));
    }
    return std::nullopt;
  }

  /// What a kernel is launched from computes nothing by itself, whatever it is called.
  static bool launches(const Source::Found& found) {
    const std::string& text = found.file->text;
    return text.substr(found.chunk->body, found.chunk->end - found.chunk->body).find("<<<") != std::string::npos;
  }

  bool has_floating() const {
    return std::any_of(kernel_.parameters.begin(), kernel_.parameters.end(), [](const AdoptedParameter& each) {
      return each.kind == Param::pointer && is_floating(each.dtype);
    });
  }

  /// reference.cu as one text.
  std::string inlined(std::string text) const {
    const std::string line = "#include \"variants/00_original.cu\"\n";
    if (const std::size_t at = text.find(line); at != std::string::npos) text.replace(at, line.size(), device_.text);
    return text;
  }

  void original() {
    BuildSpec spec = subject_.build;
    spec.entries = subject_.entries;
    points_ = points_of(kernel_, kernel_.sizes.empty() ? 1 : 4, 99);
    std::vector<ObservedLaunch> launches;
    for (std::size_t i = 0; i < points_.size(); ++i)
      launches.push_back(launch_at(kernel_, subject_.entry, points_[i], static_cast<unsigned>(i % 2) * 3, false));
    const BuildResult built = observer_.build(spec);
    if (const auto* artifact = std::get_if<Artifact>(&built)) original_ = observer_.run(*artifact, launches);
  }

  bool agrees(const std::string& text, bool serial) {
    BuildSpec spec = subject_.build;
    spec.source_name = "reference.cu";
    spec.source = text;
    spec.entries = {reference_entry(0)};
    if (serial) spec.constants.clear();
    for (std::size_t i = 0; i < (serial ? 0 : kernel_.further.size()); ++i)
      spec.entries.push_back(reference_entry(i + 1));
    const BuildResult built = observer_.build(spec);
    const auto* const artifact = std::get_if<Artifact>(&built);
    if (artifact == nullptr) {
      why_ = "it does not compile as device code: " +
             first_complaint(std::get<CompileFailure>(built).log, spec.source_name, spec.source, subject_.original);
      return false;
    }
    std::vector<ObservedLaunch> launches;
    for (std::size_t i = 0; i < points_.size(); ++i)
      launches.push_back(reference_launch(kernel_, points_[i], static_cast<unsigned>(i % 2) * 3, serial));
    const std::vector<Observation> observed = observer_.run(*artifact, launches);
    for (std::size_t i = 0; i < observed.size(); ++i) {
      if (!observed[i].failure.empty()) {
        why_ = observed[i].failure;
        return false;
      }
      for (const AdoptedParameter& parameter : kernel_.parameters) {
        if (parameter.kind != Param::pointer || parameter.role == "input") continue;
        const Dtype wide = is_floating(parameter.dtype) ? Dtype::f64 : parameter.dtype;
        const ArenaSeen &got = original_.at(i).arenas.at(parameter.name),
                        &exact = observed[i].arenas.at(parameter.name);
        const double apart = distance(got.after, parameter.dtype, exact.after, wide);
        if (got.written / storage_bytes(parameter.dtype) != exact.written / storage_bytes(wide)) {
          why_ = fmt::format("it writes {} elements of '{}' where the kernel writes {}",
                             exact.written / storage_bytes(wide), parameter.name,
                             got.written / storage_bytes(parameter.dtype));
          return false;
        }
        if (!(apart <= tolerance_of(parameter.dtype))) {
          why_ = std::isfinite(apart)
                     ? fmt::format("it lies {:.2g} apart from the kernel in '{}' (relative L2)", apart, parameter.name)
                     : fmt::format("in '{}' it is finite where the kernel is not, or far beyond it", parameter.name);
          return false;
        }
      }
    }
    return true;
  }

  AdoptedKernel& kernel_;
  const Source& source_;
  const DeviceSource& device_;
  const Subject& subject_;
  Observer& observer_;
  std::vector<Values> points_;
  std::vector<Observation> original_;
  std::string why_;
};

/// A dispatch over all floating types includes double. A kernel that computes in float is no kernel for it: no
/// tolerance could tell its rounding from a wrong answer.
void leave_out_double(AdoptedKernel& kernel, const DeviceSource& device, std::vector<std::string>& notes) {
  const std::vector<std::string> words = words_of(device.text);
  const bool in_float = std::find(words.begin(), words.end(), "float") != words.end();
  if (!in_float || kernel.dtypes.size() < 2) return;
  if (std::erase(kernel.dtypes, Dtype::f64) > 0) notes.emplace_back("f64 is left out: the kernel computes in float");
}

/// Atomics on memory that nobody is known to set: does it add to what was there, or should that be zero?
void ask_of_atomics(AdoptedKernel& kernel, const AdoptOptions& options, Seen& seen) {
  for (AdoptedParameter& parameter : kernel.parameters) {
    if (!parameter.atomic || parameter.zeroed || parameter.answered || options.yes) continue;
    const bool said = std::any_of(options.arguments.begin(), options.arguments.end(), [&](const std::string& text) {
      return text.starts_with(parameter.name + " ") || text.starts_with(parameter.name + "[");
    });
    if (said) continue;
    seen.questions.push_back(
        {fmt::format("--arg \"{} zeroed\" or --arg \"{} inout\"", parameter.name, parameter.name),
         fmt::format("atomics change '{}', and nobody says what it holds before", parameter.name)});
  }
}

std::string plugin_name(const AdoptOptions& options, const AdoptedKernel& kernel) {
  std::string name = options.name.empty() ? kernel.declaration.name : options.name;
  const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-';
  });
  if (!plain)
    throw bad_input(fmt::format("'{}' is no name for a kernel; use --name with letters, digits, _ and -", name));
  return name;
}

}  // namespace

namespace {

Adopted adopt_as(const AdoptOptions& given, Observer& observer, const std::vector<std::string>& include_folders,
                 const SeenKernel& seen) {
  AdoptOptions options = given;
  std::string digest;
  std::vector<std::string> left_out;
  const Source source = source_of(options, digest, left_out);
  Adopted adopted;
  AdoptedKernel& kernel = adopted.kernel;
  kernel = choose_kernel(source, options);
  kernel.path = options.path;
  adopted.name = plugin_name(options, kernel);
  choose_dtype(kernel, options.dtypes);
  std::string besides;
  for (const auto& [name, text] : kernel.launch.templates) besides += text + "\n";
  for (const Dtype each : kernel.dtypes) besides += std::string(cuda_type(each)) + "\n";  // its header
  std::set<std::string> further;
  for (const FurtherLaunch& each : kernel.further) further.insert(each.name);
  adopted.device = device_source(source, kernel.index, names_of_tuned(kernel), false, besides, further);
  adopted.seen.notes = left_out;
  add_constants(kernel, source, adopted.device.constants);
  apply_answers(kernel, options);
  leave_out_double(kernel, adopted.device, adopted.seen.notes);
  const std::vector<std::string> notes = adopted.seen.notes;
  const std::string file = std::filesystem::path(source.main().path).filename().string();
  const std::vector<PluginFile> library = library_headers(adopted.device.headers, options.includes);
  for (const auto& [header, text] : library)
    if (const std::string top = header.substr(0, header.find('/'));
        kernel.libraries.empty() || kernel.libraries.back() != top)
      kernel.libraries.push_back(top);
  std::vector<std::string> reached = include_folders;
  if (!library.empty()) reached.insert(reached.end(), options.includes.begin(), options.includes.end());
  Subject subject = subject_of(kernel, adopted.device.text, file, reached);
  subject.original = source.main().text;
  adopted.seen = observe(kernel, subject, observer);
  adopted.seen.notes.insert(adopted.seen.notes.begin(), notes.begin(), notes.end());
  ask_of_atomics(kernel, options, adopted.seen);
  if (adopted.seen.questions.empty()) find_indexes(kernel, subject, observer, adopted.seen);
  if (!adopted.seen.questions.empty()) return adopted;
  const bool writes = std::any_of(kernel.parameters.begin(), kernel.parameters.end(), [](const AdoptedParameter& each) {
    return each.kind == Param::pointer && each.role != "input";
  });
  if (!writes)
    throw bad_input(fmt::format("'{}' never wrote anything at the sizes that were tried; nothing can be compared",
                                kernel.shown_name()));
  Matched matched;
  if (options.problem) matched = match_problem(kernel, *options.problem);
  if (seen) {
    const std::string reference = seen(kernel, matched);
    if (options.reference.empty()) options.reference = reference;
  }
  choose_draws(kernel, subject, observer, adopted.seen);
  add_shared_conditions(kernel, options.reference != "self");  // before workloads are chosen, and recorded for
  References references(kernel, source, adopted.device, subject, observer);
  adopted.reference = references.choose(options);
  if (!references.note.empty()) adopted.seen.notes.push_back(references.note);
  adopted.files = plugin_files(kernel, adopted.device, adopted.reference, adopted.name, file, digest);
  adopted.files.insert(adopted.files.end(), library.begin(), library.end());
  return adopted;
}

/// "bytes -12 to -9 of 'in'": the checker saw a kernel reach before the first element of an array.
bool reaches_before(const Error& error) {
  return std::string_view(error.what()).find(": bytes -") != std::string_view::npos;
}

}  // namespace

Adopted adopt(const AdoptOptions& given, Observer& observer, const std::vector<std::string>& include_folders,
              const SeenKernel& seen) {
  try {
    return adopt_as(given, observer, include_folders, seen);
  } catch (const Error& error) {
    if (!reaches_before(error)) throw;
    AdoptOptions again = given;
    again.from_begin = true;  // the host may pass x + 3
    try {
      return adopt_as(again, observer, include_folders, seen);
    } catch (const Error&) {
      throw error;  // it does not, or that was not all: what was seen first is what the file says
    }
  }
}

}  // namespace harness::adopt
