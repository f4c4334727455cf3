#include "harness/worker/reference/python_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "harness/core/error.h"
#include "harness/device/port/python_programs.h"
#include "harness/device/port/torch_process.h"
#include "harness/judge/elements.h"
#include "harness/judge/indexing.h"
#include "harness/system/files.h"

namespace harness {
namespace {

constexpr double kDeadlineS = 100;

void write_bytes(const std::string& path, const void* bytes, std::size_t count) {
  std::ofstream file(path, std::ios::binary);
  file.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
  if (!file.flush()) throw environment_error(fmt::format("{} cannot be written; is the disk full?", path));
}

template <typename T>
void read_bytes(const std::string& path, judge::Uncleared<T>& into) {
  std::ifstream file(path, std::ios::binary);
  const auto count = static_cast<std::streamsize>(into.size() * sizeof(T));
  file.read(reinterpret_cast<char*>(into.data()), count);
  if (file.gcount() != count) throw environment_error(fmt::format("{} is shorter than its array", path));
}

json array_json(const Argument& a, const std::string& file) {
  return {{"name", a.name}, {"file", file}, {"dtype", name(a.dtype)}, {"shape", a.shape}};
}

/// Whether numpy reads it as it lies there.
bool is_plain(Dtype dtype) {
  return !is_floating(dtype) || dtype == Dtype::f64 || dtype == Dtype::f32 || dtype == Dtype::f16 ||
         dtype == Dtype::bf16;
}

/// The elements of an input in row-major order. True: as they are stored; false: floating ones widened.
bool write_input(const Argument& a, std::span<const std::byte> payload, const std::string& path) {
  const judge::Indexer indexer(a);
  if (is_plain(a.dtype) && (a.strides.empty() || a.strides == contiguous_strides(a.shape))) {
    write_bytes(path, payload.data(),
                std::min(payload.size(), static_cast<std::size_t>(indexer.count() * storage_bytes(a.dtype))));
    return true;
  }
  const int bytes = is_floating(a.dtype) ? sizeof(double) : storage_bytes(a.dtype), stored = storage_bytes(a.dtype);
  judge::Bytes dense(static_cast<std::size_t>(indexer.count() * bytes));
  judge::parallel_ranges(indexer.count(), 0, [&](std::int64_t begin, std::int64_t end) {
    indexer.for_row_parts(begin, end, [&](std::int64_t logical, std::int64_t storage, std::int64_t count) {
      const std::byte* const units = payload.data() + storage * stored;
      std::byte* const to = dense.data() + logical * bytes;
      if (is_floating(a.dtype))
        judge::load_strided(a.dtype, units, indexer.column_stride(),
                            {reinterpret_cast<double*>(to), static_cast<std::size_t>(count)});
      else
        for (std::int64_t i = 0; i < count; ++i)
          std::memcpy(to + i * bytes, units + i * indexer.column_stride() * bytes, static_cast<std::size_t>(bytes));
    });
  });
  write_bytes(path, dense.data(), dense.size());
  return false;
}

judge::ReferenceArray read_output(const Argument& a, const std::string& path) {
  judge::ReferenceArray array{a.dtype, a.shape, {}, {}};
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(1, count_elements(a)));
  array.values = judge::Uncleared<double>(count);
  if (is_floating(a.dtype)) {
    read_bytes(path, array.values);
    return array;
  }
  judge::Bytes raw(count * static_cast<std::size_t>(storage_bytes(a.dtype)));
  read_bytes(path, raw);
  judge::load_strided(a.dtype, raw.data(), 1, array.values);
  array.raw.assign(raw.begin(), raw.end());
  return array;
}

json sizes_json(const Workload& workload) {
  json sizes = json::object();
  for (const auto& [name, value] : workload.values)
    if (const auto* whole = std::get_if<std::int64_t>(&value)) sizes[name] = *whole;
  return sizes;
}

json number_json(const Value& value) {
  return std::visit([](const auto& plain) { return json(plain); }, value);
}

}  // namespace

PythonReference::PythonReference(std::string device, bool trusted) : device_(std::move(device)), trusted_(trusted) {}
PythonReference::~PythonReference() = default;

void PythonReference::begin(const std::string& program) {
  if (process_ && program_ == program) return;
  program_ = program;
  process_ = std::make_unique<TorchProcess>(
      TorchProcess::Spec{.files = {{"python_reference.py", python_reference_text()}},
                         .words = {program},
                         .readable = {std::filesystem::path(program).parent_path()},
                         .environment = {"TORCHDYNAMO_DISABLE=1", "CUBLAS_WORKSPACE_CONFIG=:4096:8"},
                         .device = device_,
                         .trusted = trusted_,
                         .device_needed = false});
  process_->begin();
}

PythonProcess& PythonReference::process_for(const std::string& program) {
  begin(program);
  if (PythonProcess* const ready = process_->ready()) return *ready;
  const std::string why = process_->why();
  process_.reset();
  throw environment_error(no_pytorch() + why);
}

judge::ReferenceValues PythonReference::compute(const Problem& problem, const ImageLayout& layout,
                                                std::span<const std::byte> image) {
  PythonProcess& process = process_for(problem.reference.source);
  json request{{"sizes", sizes_json(problem.workload)},
               {"numbers", json::object()},
               {"inputs", json::object()},
               {"outputs", json::array()}};
  for (const Argument& a : problem.arguments) {
    if (a.kind == ArgumentKind::scalar && a.value) request["numbers"][a.name] = number_json(*a.value);
    if (judge::is_drawn(a)) {
      json& input = request["inputs"][a.name] = array_json(a, "in." + a.name);
      input["stored"] = write_input(a, judge::payload(layout, a.name, image), process.path("in." + a.name));
    }
    if (judge::is_judged(a)) request["outputs"].push_back(array_json(a, "out." + a.name));
  }
  process.send(request);
  bool late = false;
  const std::optional<json> answer = process.receive(kDeadlineS, late);
  const std::string program = std::filesystem::path(problem.reference.source).filename();
  if (!answer) {
    const std::string words = process.last_words();
    process_.reset();
    throw bad_input(late ? fmt::format("{} did not answer within {:.0f} s on workload '{}'; use a smaller one here",
                                       program, kDeadlineS, problem.workload.name)
                         : fmt::format("{} ended on workload '{}': {}", program, problem.workload.name, words));
  }
  if (answer->contains("error"))
    throw bad_input(
        fmt::format("{} on workload '{}': {}", program, problem.workload.name, answer->at("error").get<std::string>()));
  judge::ReferenceValues values;
  for (const Argument& a : problem.arguments)
    if (judge::is_judged(a)) values[a.name] = read_output(a, process.path("out." + a.name));
  return values;
}

std::string no_pytorch() {
  return "this problem's reference is a Python program, and no python3 here has PyTorch and NumPy; install them "
         "(Debian: apt-get install python3-torch), or name an interpreter that has them in HARNESS_PYTHON";
}

}  // namespace harness
