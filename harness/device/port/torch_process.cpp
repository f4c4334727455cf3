#include "harness/device/port/torch_process.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "harness/system/python.h"
#include "harness/system/walls.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProcessor = "cpu";  // PyTorch's name of it
constexpr double kTorchStartS = 120, kBetweenLooksS = 0.25;
constexpr double kDriverS = 10;  // an interpreter, and the driver's first call

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

const char* python_device_text() {
  static constexpr const char* kText =
#include "embedded/harness/device/port/python_device.in"
      ;
  return kText;
}

/// Before PyTorch is imported a program says whether the driver lets it have its device (python_device.in). What it
/// says where it does not; what else is wrong, ready() finds out.
std::optional<std::string> refused_at_once(PythonProcess& process) {
  bool late = false;
  const std::optional<json> first = process.receive(kDriverS, late);
  if (!first || !first->contains("no_gpu")) return std::nullopt;
  return first->at("no_gpu").get<std::string>();
}

/// A part of why(); "" where an interpreter has no PyTorch, which is no reason worth a word.
std::string reason_of(const std::string& python, bool walled, const std::string& words) {
  if (words.find("No module named") != std::string::npos) return "";
  return fmt::format("; {}{}: {}", python, walled ? "" : " without walls", words);
}

}  // namespace

std::string torch_device(const Target& target) {
  return target.native ? kProcessor : target.device;
}

TorchProcess::TorchProcess(Spec spec) : spec_(std::move(spec)) {
  const bool on_gpu = spec_.device != kProcessor;
  const std::vector<std::string> all = python_interpreters();
  for (const bool walled : {true, false}) {
    if (!walled && (!spec_.trusted || !on_gpu)) continue;
    for (const std::string& python : all)
      attempts_.push_back({python, walled, on_gpu && (spec_.device_needed || (walled && spec_.trusted))});
  }
}

bool TorchProcess::without_walls() const {
  return attempt_ < attempts_.size() && !attempts_[attempt_].walled;
}

void TorchProcess::begin() {
  if (process_ || attempt_ >= attempts_.size()) return;
  const Attempt& attempt = attempts_[attempt_];
  PythonStart start{.python = attempt.python,
                    .files = spec_.files,
                    .words = spec_.words,
                    .readable = spec_.readable,
                    .environment = spec_.environment,
                    .walls = attempt.walled ? walls_here() : Walls{},
                    .limits = python_limits()};
  start.words.insert(start.words.end(), {spec_.device, attempt.device_needed ? "must" : "may"});
  const bool on_gpu = spec_.device != kProcessor;
  if (on_gpu) {
    const std::vector<std::string> devices = gpu_devices(), variables = gpu_environment();
    start.readable.insert(start.readable.end(), devices.begin(), devices.end());
    start.environment.insert(start.environment.begin(), variables.begin(), variables.end());
    start.limits.memory_bytes = RLIM_INFINITY;  // the driver reserves more addresses than there is memory
  }
  start.files.emplace_back("python_device.py", python_device_text());
  greeted_ = false;
  process_ = std::make_unique<PythonProcess>(start);
  const bool others = attempt.device_needed && attempt_ + 1 < attempts_.size();
  const std::optional<std::string> refused = on_gpu && others ? refused_at_once(*process_) : std::nullopt;
  if (!refused) return;
  why_ += reason_of(attempt.python, attempt.walled, *refused);
  process_.reset();
  ++attempt_;
  begin();
}

/// False: this attempt came to nothing, or was stopped.
bool TorchProcess::is_greeted(const std::function<bool()>& stop) {
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  std::optional<json> hello;
  bool late = true;
  while (!hello && late && seconds() < kTorchStartS && !(stop && stop())) {
    hello = process_->receive(kBetweenLooksS, late = false);
    if (hello && hello->contains("begun")) hello.reset(), late = true;
  }
  if (hello && !hello->contains("no_gpu")) return true;
  const std::string words = hello  ? hello->at("no_gpu").get<std::string>()
                            : late ? "it took too long to start"
                                   : process_->last_words();
  why_ += reason_of(attempts_[attempt_].python, attempts_[attempt_].walled, words);
  return false;
}

PythonProcess* TorchProcess::ready(const std::function<bool()>& stop) {
  if (process_ && greeted_ && !process_->runs()) process_.reset();
  while (attempt_ < attempts_.size()) {
    begin();
    if (greeted_ || is_greeted(stop)) {
      greeted_ = true;
      return process_.get();
    }
    process_.reset();
    if (stop && stop()) return nullptr;
    ++attempt_;
  }
  return nullptr;
}

}  // namespace harness
