#include "harness/device/port/torch_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "harness/core/error.h"
#include "harness/core/torch_call.h"
#include "harness/device/port/python_programs.h"
#include "harness/system/files.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

constexpr double kCallS = 300;  // torch.compile and its compilers are part of a first call

const char* torch_graphs_text() {
  static constexpr const char* kText =
#include "embedded/python/harness/tuning/torch_graphs.py"
      ;
  return kText;
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

void to_json(json& to, const TorchOffer& value) {
  to = {{"folder", value.there.folder}, {"process", value.there.id}, {"without_walls", value.without_walls}};
}

void from_json(const json& from, TorchOffer& value) {
  value.there = {from.at("folder").get<std::string>(), from.at("process").get<pid_t>()};
  value.without_walls = from.at("without_walls").get<bool>();
}

TorchProcess::Spec torch_caller(const std::string& device, bool trusted) {
  return {.files = {{"python_call.py", python_call_text()},
                    {"python_reference.py", python_reference_text()},
                    {"torch_graphs.py", torch_graphs_text()}},
          .words = {},
          .readable = {},
          .environment = {},
          .device = device,
          .trusted = trusted,
          .device_needed = true};
}

std::string no_torch_caller(const std::string& device, bool trusted, const std::string& why) {
  return fmt::format("PyTorch cannot be called on '{}' here{}{}", device,
                     why.empty() ? ": no python3 has it (Debian: apt-get install python3-torch; HARNESS_PYTHON)" : why,
                     device != TorchCalls::kProcessor && !trusted && !why.empty()
                         ? "; --trust-source lets it run outside of the walls"
                         : "");
}

TorchCalls::TorchCalls(std::string device, bool trusted)
    : device_(std::move(device)), trusted_(trusted), own_(torch_caller(device_, trusted)) {}
TorchCalls::~TorchCalls() = default;

void TorchCalls::use(const TorchOffer& offer) {
  if (lent_ && lent_->runs() && lent_->address() == offer.there) return;
  lent_ = std::make_unique<PythonProcess>(offer.there);
  lent_without_walls_ = offer.without_walls;
  release();  // what is left of a user before
}

PythonProcess& TorchCalls::process() {
  if (lent_ && lent_->runs()) return *lent_;
  lent_.reset();
  if (PythonProcess* const own = own_.ready()) return *own;
  throw NotSupported(no_torch_caller(device_, trusted_, own_.why()));
}

void TorchCalls::drop() {
  if (lent_) lent_->last_words();  // whoever lent it starts another
  lent_.reset();
  own_.end();
}

json TorchCalls::ask(json request, double deadline_s) {
  PythonProcess& asked = process();
  asked.send(request);
  bool late = false;
  std::optional<json> answer = asked.receive(deadline_s, late);
  if (!answer) {
    const std::string words = asked.last_words();
    drop();
    throw LaunchRefused(late ? fmt::format("the program called by PyTorch did not end within {:.0f} s", deadline_s)
                             : fmt::format("the process that calls PyTorch ended: {}", words));
  }
  const auto text = [&](const char* key) { return answer->at(key).get<std::string>(); };
  if (answer->contains("unsupported")) throw NotSupported(text("unsupported"));
  if (answer->contains("memory")) throw DeviceMemoryExhausted(text("memory"));
  if (answer->contains("lost")) {  // its context is broken; ours is not
    drop();
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
  if (lent_ ? lent_without_walls_ : own_.without_walls()) held.method += "; outside of the walls (--trust-source)";
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
  if (lent_ || own_.running() != nullptr) ask({{"op", "release"}}, kCallS);
}

}  // namespace harness
