#include "harness/device/port/torch_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "harness/core/error.h"
#include "harness/core/torch_call.h"
#include "harness/device/port/python_programs.h"
#include "harness/system/files.h"
#include "harness/system/python.h"
#include "harness/system/walls.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

constexpr double kCallStartS = 90, kCallS = 300;  // torch.compile and its compilers are part of a first call

const char* torch_graphs_text() {
  static constexpr const char* kText =
#include "embedded/python/harness/tuning/torch_graphs.py"
      ;
  return kText;
}

/// What a process needs that works with the GPU: the driver's devices, and what the system says of them.
std::vector<std::string> gpu_devices() {
  std::vector<std::string> all{"/proc", "/sys"};
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator("/dev", failed))
    if (entry.path().filename().string().starts_with("nvidia") && !entry.is_directory(failed))
      all.push_back(entry.path().string());
  return all;
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : std::string(name) + "=" + value;
}

/// PyTorch on a GPU: its devices are those of this process, and torch.compile writes and runs its own programs.
std::vector<std::string> gpu_environment() {
  std::vector<std::string> all{"TORCHDYNAMO_DISABLE=0", "TORCHINDUCTOR_COMPILE_THREADS=1", "USER=nobody"};
  for (const char* name : {"CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "CUDA_HOME", "NVIDIA_VISIBLE_DEVICES"})
    if (std::string text = variable(name); !text.empty()) all.push_back(std::move(text));
  if (variable("CUDA_VISIBLE_DEVICES").empty()) {
    std::vector<std::string> numbers;
    for (int i = 0; i < 64; ++i) numbers.push_back(std::to_string(i));
    all.push_back(fmt::format("CUDA_VISIBLE_DEVICES={}", fmt::join(numbers, ",")));
  }
  return all;
}

const LibraryCall& call_of(const Executable& executable) {
  return std::get<LibraryCall>(*std::ranges::find_if(
      executable.plan.steps, [](const Step& step) { return std::holds_alternative<LibraryCall>(step); }));
}

json plain(const Value& value) {
  return std::visit([](const auto& each) { return json(each); }, value);
}

/// What is called: the program's text, its sizes and numbers, and where in an image its arguments lie.
json spec_of(const Executable& executable) {
  const json& options = call_of(executable).options;
  json spec{{"text", options.at("text")},
            {"compile", options.value("compile", false)},
            {"tf32", options.value("tf32", false)},
            {"sizes", json::object()},
            {"numbers", json::object()},
            {"arguments", json::array()}};
  for (const auto& [name, value] : executable.problem.workload.values)
    if (const auto* whole = std::get_if<std::int64_t>(&value)) spec["sizes"][name] = *whole;
  for (const Argument& a : executable.problem.arguments) {
    if (a.kind == ArgumentKind::scalar && a.value) spec["numbers"][a.name] = plain(*a.value);
    if (!is_tensor(a.kind) || a.absent) continue;
    const ImageBuffer& buffer = *find_buffer(executable.layout, a.name);
    spec["arguments"].push_back({{"name", a.name},
                                 {"dtype", name(a.dtype)},
                                 {"shape", a.shape},
                                 {"strides", a.strides},
                                 {"offset", buffer.offset},
                                 {"written", is_written(a.kind)},
                                 {"restored", buffer.restored}});
  }
  return spec;
}

void write_image(const std::string& path, std::span<const std::byte> image) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(image.data()), static_cast<std::streamsize>(image.size()));
  if (!file.flush()) throw environment_error(fmt::format("{} cannot be written; is the disk full?", path));
}

/// Only what the contract lets a kernel write: nothing else of the image is the program's.
void take_outputs(const std::string& path, const Executable& executable, std::span<std::byte> image) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::byte> left(image.size());
  file.read(reinterpret_cast<char*>(left.data()), static_cast<std::streamsize>(left.size()));
  if (file.gcount() != static_cast<std::streamsize>(left.size()))
    throw environment_error(fmt::format("{} is shorter than its image", path));
  for (const Argument& a : executable.problem.arguments) {
    if (!is_written(a.kind) || a.absent) continue;
    const ImageBuffer& buffer = *find_buffer(executable.layout, a.name);
    const auto offset = static_cast<std::size_t>(buffer.offset), bytes = static_cast<std::size_t>(buffer.bytes);
    std::memcpy(image.data() + offset, left.data() + offset, bytes);
  }
}

std::vector<double> samples_in(const json& answer) {
  std::vector<double> samples = answer.at("ns").get<std::vector<double>>();
  if (std::ranges::any_of(samples, [](double ns) { return !(ns > 0); })) samples.clear();
  return samples;
}

}  // namespace

TorchCalls::TorchCalls(std::string device, bool trusted) : device_(std::move(device)), trusted_(trusted) {}
TorchCalls::~TorchCalls() = default;

void TorchCalls::take_hello(std::unique_ptr<PythonProcess> started, const std::string& python, std::string& said) {
  bool late = false;
  const std::optional<json> hello = started->receive(kCallStartS, late);
  if (hello && !hello->contains("no_gpu")) {
    process_ = std::move(started);
    return;
  }
  const std::string words = hello ? hello->at("no_gpu").get<std::string>() : started->last_words();
  if (hello || words.find("No module named") == std::string::npos)
    said += fmt::format("; {}: {}", python, late ? "it took too long to start" : words);
}

void TorchCalls::start() {
  const bool on_gpu = device_ != kProcessor;
  std::string said;
  for (const bool walled : {true, false}) {
    if (!walled && !trusted_) break;
    for (const std::string& python : python_interpreters()) {
      PythonStart start{.python = python,
                        .files = {{"python_call.py", python_call_text()},
                                  {"python_reference.py", python_reference_text()},
                                  {"torch_graphs.py", torch_graphs_text()}},
                        .words = {device_},
                        .readable = {},
                        .environment = {},
                        .walls = walled ? walls_here() : Walls{},
                        .limits = python_limits()};
      if (on_gpu) {
        start.readable = gpu_devices();
        start.environment = gpu_environment();
        start.limits.memory_bytes = RLIM_INFINITY;  // the driver reserves more addresses than there is memory
      }
      take_hello(std::make_unique<PythonProcess>(start), python, said);
      without_walls_ = !walled;
      if (process_) return;
    }
  }
  throw NotSupported(
      fmt::format("PyTorch cannot be called on '{}' here{}{}", device_,
                  said.empty() ? ": no python3 has it (Debian: apt-get install python3-torch; HARNESS_PYTHON)" : said,
                  on_gpu && !trusted_ && !said.empty() ? "; --trust-source lets it run outside of the walls" : ""));
}

PythonProcess& TorchCalls::process() {
  if (!process_) start();
  return *process_;
}

json TorchCalls::ask(json request, double deadline_s) {
  process().send(request);
  bool late = false;
  std::optional<json> answer = process_->receive(deadline_s, late);
  if (!answer) {
    const std::string words = process_->last_words();
    process_.reset();
    throw LaunchRefused(late ? fmt::format("the program called by PyTorch did not end within {:.0f} s", deadline_s)
                             : fmt::format("the process that calls PyTorch ended: {}", words));
  }
  const auto text = [&](const char* key) { return answer->at(key).get<std::string>(); };
  if (answer->contains("unsupported")) throw NotSupported(text("unsupported"));
  if (answer->contains("memory")) throw DeviceMemoryExhausted(text("memory"));
  if (answer->contains("lost")) {  // its context is broken; ours is not
    process_.reset();
    throw LaunchRefused(text("lost"));
  }
  if (answer->contains("error")) throw LaunchRefused(text("error"));
  return std::move(*answer);
}

double TorchCalls::run(const Executable& executable, std::span<std::byte> image) {
  const std::string path = process().path("image");
  write_image(path, image);
  const json answer = ask({{"op", "run"}, {"spec", spec_of(executable)}, {"image", "image"}}, kCallS);
  take_outputs(path, executable, image);
  return answer.value("elapsed_ns", 0.0);
}

TorchCalls::Held TorchCalls::hold(const Executable& executable, const ImageList& images, std::int64_t l2_bytes) {
  Held held;
  held.id = next_id_++;
  json names = json::array();
  for (std::size_t i = 0; i < images.size(); ++i) {
    names.push_back(fmt::format("image{}", i));
    write_image(process().path(names.back()), images[i]);
  }
  const json answer =
      ask({{"op", "hold"}, {"id", held.id}, {"spec", spec_of(executable)}, {"images", names}, {"l2_bytes", l2_bytes}},
          kCallS);
  for (std::size_t i = 0; i < images.size(); ++i) {
    std::error_code failed;
    fs::remove(process().path(names[i]), failed);
  }
  held.calls = answer.at("calls").get<std::int64_t>();
  held.sets = answer.at("sets").get<std::int64_t>();
  held.call_ns = answer.at("call_ns").get<double>();
  held.method = answer.at("method").get<std::string>();
  if (without_walls_) held.method += "; outside of the walls (--trust-source)";
  return held;
}

std::vector<double> TorchCalls::burst(const Held& held, double seconds) {
  return samples_in(ask({{"op", "burst"}, {"id", held.id}, {"seconds", seconds}}, kCallS));
}

std::vector<double> TorchCalls::cold(const Held& held, int count) {
  return samples_in(ask({{"op", "cold"}, {"id", held.id}, {"count", count}}, kCallS));
}

std::vector<double> TorchCalls::warm(const Held& held, int count) {
  return samples_in(ask({{"op", "warm"}, {"id", held.id}, {"count", count}}, kCallS));
}

void TorchCalls::release() {
  if (process_) ask({{"op", "release"}}, kCallS);
}

}  // namespace harness
