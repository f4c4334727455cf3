#include "harness/adopt/plugin/recorded.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "harness/adopt/observe/draws.h"
#include "harness/adopt/observe/observed_launch.h"
#include "harness/adopt/plugin/lua_text.h"
#include "harness/adopt/plugin/workloads.h"
#include "harness/core/dtype.h"
#include "harness/core/error.h"
#include "harness/judge/npy.h"
#include "harness/system/files.h"
#include "harness/system/run_program.h"
#include "harness/system/temporary_folder.h"
#include "harness/system/walls.h"

namespace fs = std::filesystem;

namespace harness::adopt {

double tolerance_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::f64:
      return 1e-9;
    case Dtype::f32:
      return 1e-4;
    case Dtype::f16:
    case Dtype::bf16:
      return 3e-2;
    case Dtype::e4m3:
    case Dtype::e5m2:
      return 0.2;
    default:
      return 0;
  }
}

namespace {

using Bytes = std::vector<std::byte>;

/// A program on a CPU sums f32 in an order of its own, and so may one for f64.
double agreement_of(Dtype dtype) {
  constexpr double kLeast = 1e-3;
  return is_floating(dtype) ? std::max(kLeast, tolerance_of(dtype)) : 0;
}

bool is_read(const AdoptedParameter& parameter) {
  return parameter.kind == Param::pointer && parameter.role != "output";
}
bool is_result(const AdoptedParameter& parameter) {
  return parameter.kind == Param::pointer && parameter.role != "input";
}

/// NumPy's name of a type; "" where it has none.
std::string descr_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::f64:
      return "<f8";
    case Dtype::f32:
      return "<f4";
    case Dtype::f16:
      return "<f2";
    case Dtype::s8:
      return "|i1";
    case Dtype::s16:
      return "<i2";
    case Dtype::s32:
      return "<i4";
    case Dtype::s64:
      return "<i8";
    case Dtype::u8:
      return "|u1";
    case Dtype::u16:
      return "<u2";
    case Dtype::u32:
      return "<u4";
    case Dtype::u64:
      return "<u8";
    case Dtype::b8:
      return "|b1";
    default:
      return "";
  }
}

}  // namespace

std::string npy_text(Dtype dtype, const std::vector<std::int64_t>& shape, const Bytes& data) {
  std::string descr = descr_of(dtype), payload(reinterpret_cast<const char*>(data.data()), data.size());
  if (descr.empty()) {  // bf16 and the 8-bit floats, as float32: each value is one
    descr = "<f4";
    const auto bytes = static_cast<std::size_t>(storage_bytes(dtype));
    payload.resize(data.size() / bytes * sizeof(float));
    for (std::size_t i = 0; i * bytes < data.size(); ++i) {
      const auto value = static_cast<float>(load_as_double(dtype, data.data() + i * bytes));
      std::memcpy(payload.data() + i * sizeof value, &value, sizeof value);
    }
  }
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", descr,
                                   fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  header.append(64 - (10 + header.size() + 1) % 64, ' ');
  header += '\n';
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(header.size() & 0xff);
  text += static_cast<char>(header.size() >> 8);
  return text + header + payload;
}

namespace {

std::vector<std::int64_t> shape_at(const AdoptedKernel& kernel, const AdoptedParameter& parameter,
                                   const Values& sizes) {
  const Values all = all_values(kernel, sizes);
  std::vector<std::int64_t> shape;
  for (const FormulaPtr& extent : parameter.shape) shape.push_back(evaluate(*extent, all).value_or(0));
  return shape;
}

std::int64_t count_of(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}

std::string where_of(const AdoptedKernel& kernel, const Values& sizes) {
  std::vector<std::string> texts;
  for (const AdoptedSize& size : kernel.sizes)
    if (const auto value = sizes.find(size.symbol); value != sizes.end())
      texts.push_back(fmt::format("{}={}", size.name, value->second));
  return texts.empty() ? "its one size" : fmt::format("{}", fmt::join(texts, " "));
}

void write_file(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw environment_error(fmt::format("{} cannot be written", path.string()));
}

/// `command` as words; what names a file here is made absolute, because the program starts elsewhere.
std::vector<std::string> words_of_command(const std::string& command, std::vector<std::string>& readable) {
  std::vector<std::string> words;
  for (std::size_t at = command.find_first_not_of(' '); at != std::string::npos;
       at = command.find_first_not_of(' ', at)) {
    const std::size_t end = std::min(command.find(' ', at), command.size());
    words.push_back(command.substr(at, end - at));
    at = end;
    if (at == command.size()) break;
  }
  if (words.empty()) throw bad_input("--reference 'command:' names no program; write 'command:python3 ref.py'");
  std::error_code failed;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!fs::is_regular_file(words[i], failed)) continue;
    if (i == 0 && words[i].find('/') == std::string::npos) continue;  // a program is looked for in PATH
    words[i] = fs::canonical(words[i], failed).string();
    readable.push_back(fs::path(words[i]).parent_path().string());
  }
  if (words[0].find('/') == std::string::npos) {
    const std::string program = find_program(words[0]);
    if (program.empty())
      throw bad_input(fmt::format("--reference 'command:{}': no program '{}' is in PATH", command, words[0]));
    words[0] = program;
  }
  return words;
}

std::string last_line(std::string text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.pop_back();
  const std::size_t line = text.rfind('\n');
  return text.substr(line == std::string::npos ? 0 : line + 1);
}

class Recording {
 public:
  Recording(const AdoptedKernel& kernel, const Subject& subject, Observer& observer, std::string who)
      : kernel_(kernel), subject_(subject), observer_(observer), who_(std::move(who)) {
    for (const AdoptedParameter& parameter : kernel.parameters)
      if (parameter.kind == Param::pointer && !parameter.strides.empty())
        throw bad_input(
            fmt::format("{}: the rows of '{}' lie apart, which arrays of NumPy cannot say", who_, parameter.name));
    const BuildResult built = observer.build(subject.build);
    if (const auto* failure = std::get_if<CompileFailure>(&built)) throw bad_input(failure->log);
    artifact_ = std::get<Artifact>(built);
  }

  ObservedLaunch launch_for(const Values& sizes) const {
    ObservedLaunch launch = launch_at(kernel_, subject_.entry, sizes, 2, false);
    for (Arena& arena : launch.arenas)
      for (const AdoptedParameter& parameter : kernel_.parameters)
        if (parameter.name == arena.name) arena.content = drawn_content(parameter, arena.content);
    return launch;
  }

  /// The kernel itself, on the same inputs, against the arrays in `folder`; RESULT_NAME(parameter) is each one's file.
  template <typename Name>
  void compare(const ObservedLaunch& launch, const Values& sizes, const fs::path& folder, Name result_name) {
    const std::vector<Observation> observed = observer_.run(artifact_, {launch});
    if (!observed.front().failure.empty())
      throw bad_input(
          fmt::format("the kernel did not run at {}: {}", where_of(kernel_, sizes), observed.front().failure));
    for (const AdoptedParameter& parameter : kernel_.parameters) {
      if (!is_result(parameter)) continue;
      const fs::path file = folder / result_name(parameter);
      std::error_code failed;
      if (!fs::is_regular_file(file, failed))
        throw bad_input(fmt::format("{}: there is no {} for '{}' at {}", who_, file.filename().string(), parameter.name,
                                    where_of(kernel_, sizes)));
      const judge::NpyArray array = judge::read_npy(file.string());
      const std::vector<std::int64_t> shape = shape_at(kernel_, parameter, sizes);
      if (array.shape != shape)
        throw bad_input(fmt::format("{}: {} has the shape [{}], and '{}' is [{}] at {}", who_, file.filename().string(),
                                    fmt::join(array.shape, ", "), parameter.name, fmt::join(shape, ", "),
                                    where_of(kernel_, sizes)));
      const double error = distance(observed.front().arenas.at(parameter.name).after, parameter.dtype, array);
      if (!(error <= agreement_of(parameter.dtype)))
        throw bad_input(
            fmt::format("{}: its '{}' and the kernel's lie {:.2g} apart (relative L2) at {}; one of them is "
                        "wrong",
                        who_, parameter.name, error, where_of(kernel_, sizes)));
    }
  }

 private:
  static double distance(const Bytes& got, Dtype dtype, const judge::NpyArray& array) {
    const auto bytes = static_cast<std::size_t>(storage_bytes(dtype));
    const std::int64_t count = count_of(array.shape);
    double error = 0, size = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i) * bytes;
      const double a = at + bytes <= got.size() ? load_as_double(dtype, got.data() + at) : 0, b = array.at(i);
      if (std::isnan(a) && std::isnan(b)) continue;
      error += (a - b) * (a - b);
      size += b * b;
    }
    return size > 0 ? std::sqrt(error / size) : std::sqrt(error);
  }

  const AdoptedKernel& kernel_;
  const Subject& subject_;
  Observer& observer_;
  std::string who_;
  Artifact artifact_;
};

/// The first bytes of an arena, zeros behind its content.
Bytes bytes_of(const Arena& arena, std::size_t count) {
  Bytes bytes(count);
  if (arena.content) std::copy_n(arena.content->begin(), std::min(count, arena.content->size()), bytes.begin());
  return bytes;
}

ChosenReference with_records(const ChosenReference& base, std::size_t records, const std::string& of) {
  ChosenReference reference = base;
  const std::string rest = base.weak.empty() ? base.words : base.weak;
  reference.weak =
      fmt::format("checked on {} recorded input{} of {}; elsewhere {}", records, records == 1 ? "" : "s", of, rest);
  reference.words = fmt::format("{}, and {} recorded input{} of {}", base.words, records, records == 1 ? "" : "s", of);
  return reference;
}

std::string sizes_json(const AdoptedKernel& kernel, const Values& sizes) {
  json object = json::object();
  for (const AdoptedSize& size : kernel.sizes) object[size.name] = sizes.at(size.symbol);
  for (const AdoptedParameter& parameter : kernel.parameters)
    if (parameter.kind == Param::real || parameter.kind == Param::fixed || parameter.kind == Param::flag)
      object[parameter.name] = parameter.value;
  return object.dump();
}

/// Runs the program once and takes what it wrote.
void run_program_at(const std::vector<std::string>& words, const std::vector<std::string>& readable,
                    const std::string& who, const fs::path& in, const fs::path& out, const fs::path& scratch,
                    const std::string& where) {
  Reach reach;
  reach.readable = readable;
  // Of /etc no more than a loader and Debian's links need: what else lies there is none of its business.
  reach.programs = {"/usr",
                    "/lib",
                    "/lib64",
                    "/bin",
                    "/opt",
                    "/etc/alternatives",
                    "/etc/ld.so.cache",
                    fs::path(words[0]).parent_path().parent_path().string()};
  reach.writable = scratch.string();
  CompileLimits limits;
  limits.deadline_s = kReferenceProgram_s;
  std::vector<std::string> arguments = words;
  arguments.push_back(in.string());
  arguments.push_back(out.string());
  const ProcessResult result = run_process(arguments, scratch.string(), limits, Confinement(walls_here(), reach));
  if (result.timed_out)
    throw bad_input(fmt::format("{} did not end within {:.0f} s at {}", who, kReferenceProgram_s, where));
  if (result.exit_status != 0)
    throw bad_input(
        fmt::format("{} ended with status {} at {}: {}", who, result.exit_status, where, last_line(result.output)));
}

std::vector<fs::path> record_folders(const std::string& path) {
  std::error_code failed;
  fs::path folder = path;
  if (fs::is_regular_file(folder, failed)) folder = fs::absolute(folder).parent_path();
  if (!fs::is_directory(folder, failed))
    throw bad_input(fmt::format("--reference {}: it is no file and no folder that can be read", path));
  const auto holds_arrays = [](const fs::path& folder) {
    std::error_code none;
    return std::ranges::any_of(fs::directory_iterator(folder, none),
                               [](const auto& entry) { return entry.path().extension() == ".npy"; });
  };
  if (holds_arrays(folder)) return {folder};
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(folder, failed))
    if (entry.is_directory() && holds_arrays(entry.path())) folders.push_back(entry.path());
  std::ranges::sort(folders);
  if (folders.empty()) throw bad_input(fmt::format("--reference {}: it holds no .npy file", path));
  return folders;
}

/// What the shapes of recorded arrays say of the sizes.
Values sizes_of_record(const fs::path& folder, const AdoptedKernel& kernel) {
  Values sizes;
  for (const AdoptedParameter& parameter : kernel.parameters) {
    if (parameter.kind != Param::pointer) continue;
    const fs::path file = folder / (parameter.name + ".npy");
    std::error_code failed;
    if (!fs::is_regular_file(file, failed))
      throw bad_input(fmt::format("--reference: {} has no {}.npy, which '{}' ({}) needs", folder.string(),
                                  parameter.name, parameter.name, parameter.role));
    const judge::NpyArray array = judge::read_npy(file.string());
    if (array.shape.size() != parameter.shape.size())
      throw bad_input(fmt::format("--reference: {} has the shape [{}], and '{}' is {}", file.string(),
                                  fmt::join(array.shape, ", "), parameter.name, shape_text(kernel, parameter)));
    for (std::size_t i = 0; i < parameter.shape.size(); ++i)
      if (parameter.shape[i]->kind == Formula::Kind::symbol) sizes.emplace(parameter.shape[i]->symbol, array.shape[i]);
  }
  for (const AdoptedSize& size : kernel.sizes) {
    if (sizes.contains(size.symbol)) continue;
    if (size.values.empty())
      throw bad_input(
          fmt::format("--reference: the recorded arrays do not say '{0}'; give --size {0}=VALUE", size.name));
    sizes[size.symbol] = size.values.front();
  }
  for (const AdoptedParameter& parameter : kernel.parameters) {
    if (parameter.kind != Param::pointer) continue;
    const judge::NpyArray array = judge::read_npy((folder / (parameter.name + ".npy")).string());
    if (array.shape != shape_at(kernel, parameter, sizes))
      throw bad_input(fmt::format(
          "--reference: {}.npy in {} has the shape [{}], which does not fit the others: '{}' is {}", parameter.name,
          folder.string(), fmt::join(array.shape, ", "), parameter.name, shape_text(kernel, parameter)));
  }
  return sizes;
}

std::shared_ptr<const Bytes> content_of(const AdoptedParameter& parameter, const fs::path& file) {
  const judge::NpyArray array = judge::read_npy(file.string());
  const auto bytes = static_cast<std::size_t>(storage_bytes(parameter.dtype));
  const auto count = static_cast<std::size_t>(count_of(array.shape));
  auto content = std::make_shared<Bytes>(count * bytes);
  for (std::size_t i = 0; i < count; ++i)
    store_rounded(parameter.dtype, content->data() + i * bytes, array.at(static_cast<std::int64_t>(i)));
  return content;
}

/// Arrays that become files of the plugin, by workload.
struct GoldenFiles {
  std::map<std::string, std::string> folders;
  std::vector<PluginFile> files;

  void add(const std::string& workload, const std::string& name, std::string text) {
    const std::string folder = "golden/" + workload;
    folders[workload] = folder;
    files.emplace_back(folder + "/" + name, std::move(text));
  }

  /// `of`: who recorded them.
  ChosenReference beside(const ChosenReference& base, const std::string& of) && {
    ChosenReference reference = with_records(base, folders.size(), of);
    reference.golden = std::move(folders);
    reference.files = std::move(files);
    return reference;
  }
};

std::string text_of(const fs::path& file) {
  return read_file(file.string(), Error::Kind::bad_input);
}

/// The file of a result that was recorded beside its input.
std::string result_name(const AdoptedParameter& parameter) {
  return parameter.name + (parameter.role == "inout" ? ".out.npy" : ".npy");
}

/// NAME.npy of each input in `folder`, out of what a launch begins with.
void write_inputs(const AdoptedKernel& kernel, const ObservedLaunch& launch, const TimedPoint& point,
                  const fs::path& folder, GoldenFiles& golden) {
  for (const AdoptedParameter& parameter : kernel.parameters) {
    if (!is_read(parameter)) continue;
    const auto arena = std::ranges::find(launch.arenas, parameter.name, &Arena::name);
    const std::vector<std::int64_t> shape = shape_at(kernel, parameter, point.sizes);
    const auto bytes = static_cast<std::size_t>(count_of(shape) * storage_bytes(parameter.dtype));
    const std::string text = npy_text(parameter.dtype, shape, bytes_of(*arena, bytes));
    write_file(folder / (parameter.name + ".npy"), text);
    golden.add(point.name, parameter.name + ".npy", text);
  }
  write_file(folder / "sizes.json", sizes_json(kernel, point.sizes));
}

/// The sizes of the records come first among those of the workloads.
void add_sizes_of_records(AdoptedKernel& kernel, const std::vector<Values>& records) {
  for (AdoptedSize& size : kernel.sizes) {
    std::vector<std::int64_t> values;
    for (const Values& record : records) values.push_back(record.at(size.symbol));
    values.insert(values.end(), size.values.begin(), size.values.end());
    size.values = std::move(values);
  }
}

/// A launch whose inputs begin with what is recorded in `folder`.
ObservedLaunch launch_of_record(const Recording& recording, const AdoptedKernel& kernel, const Values& sizes,
                                const fs::path& folder) {
  ObservedLaunch launch = recording.launch_for(sizes);
  for (Arena& arena : launch.arenas)
    for (const AdoptedParameter& parameter : kernel.parameters)
      if (parameter.name == arena.name && is_read(parameter))
        arena.content = content_of(parameter, folder / (parameter.name + ".npy"));
  return launch;
}

}  // namespace

ChosenReference recorded_by(const std::string& command, const AdoptedKernel& kernel, const Subject& subject,
                            Observer& observer, const ChosenReference& base) {
  constexpr std::size_t kMostRecords = 3;
  const std::string who = fmt::format("--reference 'command:{}'", command);
  std::vector<std::string> readable;
  const std::vector<std::string> words = words_of_command(command, readable);
  Recording recording(kernel, subject, observer, who);
  GoldenFiles golden;
  for (const TimedPoint& point : timed_points(kernel)) {
    if (golden.folders.size() == kMostRecords || golden.folders.contains(point.name)) continue;
    const TemporaryFolder scratch("reference");
    const fs::path in = scratch.path() / "in", out = scratch.path() / "out";
    fs::create_directories(in);
    fs::create_directories(out);
    const ObservedLaunch launch = recording.launch_for(point.sizes);
    write_inputs(kernel, launch, point, in, golden);
    run_program_at(words, readable, who, in, out, scratch.path(), where_of(kernel, point.sizes));
    recording.compare(launch, point.sizes, out,
                      [](const AdoptedParameter& parameter) { return parameter.name + ".npy"; });
    for (const AdoptedParameter& parameter : kernel.parameters)
      if (is_result(parameter))
        golden.add(point.name, result_name(parameter), text_of(out / (parameter.name + ".npy")));
  }
  return std::move(golden).beside(base, fs::path(words.back()).filename().string());
}

ChosenReference recorded_in(const std::string& path, AdoptedKernel& kernel, const Subject& subject, Observer& observer,
                            const ChosenReference& base) {
  const std::vector<fs::path> folders = record_folders(path);
  std::vector<Values> records;
  for (const fs::path& folder : folders) records.push_back(sizes_of_record(folder, kernel));
  add_sizes_of_records(kernel, records);
  Recording recording(kernel, subject, observer, fmt::format("--reference {}", path));
  const std::vector<TimedPoint> points = timed_points(kernel);
  GoldenFiles golden;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const auto point = std::ranges::find(points, records[i], &TimedPoint::sizes);
    if (point == points.end())
      throw bad_input(
          fmt::format("--reference {}: {} is too large to be run here", path, where_of(kernel, records[i])));
    recording.compare(launch_of_record(recording, kernel, records[i], folders[i]), records[i], folders[i], result_name);
    for (const AdoptedParameter& parameter : kernel.parameters) {
      if (parameter.kind != Param::pointer) continue;
      const std::string input = parameter.name + ".npy", result = result_name(parameter);
      golden.add(point->name, input, text_of(folders[i] / input));
      if (result != input) golden.add(point->name, result, text_of(folders[i] / result));
    }
  }
  return std::move(golden).beside(base, fs::path(path).filename().string());
}

}  // namespace harness::adopt
