#include "harness/device/port/torch_calls.h"

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "harness/core/torch_call.h"
#include "harness/judge/layout.h"
#include "harness/system/files.h"
#include "harness/system/temporary_folder.h"
#include "tests/problem/pytorch.h"
#include "tests/support/turns.h"

namespace harness {
namespace {

/// y[n] of x[n] and the number a, f32, by a program of PyTorch that has a function `run`.
struct Called {
  Executable executable;
  std::vector<std::byte> image;

  explicit Called(const std::string& body, const json& options = json::object()) {
    Argument x, y, a;
    x.name = "x";
    x.shape = {3};
    x.strides = {1};
    x.align = 16;
    x.gen = Generator{"normal"};
    y = x;
    y.name = "y";
    y.kind = ArgumentKind::output;
    y.gen.reset();
    y.compare = Compare{"relative"};
    a.name = "a";
    a.kind = ArgumentKind::scalar;
    a.value = 2.5;
    executable.problem.arguments = {x, y, a};
    executable.layout = judge::make_layout(executable.problem, {});
    LibraryCall call{"torch", "call", options};
    call.options["text"] = "import torch\ndef run(x, a):\n" + body +
                           "\nHARNESS = {'form': 'definition', 'entry': 'run', 'parameters': {}, 'call': "
                           "[{'tensor': 'x'}, {'number': 'a'}]}\n";
    executable.plan.steps = {call};
    image.resize(static_cast<std::size_t>(executable.layout.bytes), std::byte{0x55});
  }

  std::vector<float> of(TorchCalls& calls, std::vector<float> x) {
    std::memcpy(at("x"), x.data(), x.size() * sizeof(float));
    const double ns = calls.run(executable, image);
    CHECK(ns > 0);
    std::vector<float> y(3);
    std::memcpy(y.data(), at("y"), y.size() * sizeof(float));
    return y;
  }

  std::byte* at(const char* name) { return image.data() + find_buffer(executable.layout, name)->offset; }
};

/// An environment variable as it is, for as long as this lives.
struct Variable {
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* const now = std::getenv(name)) before_ = now;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

template <typename Failure>
std::string failure_of(TorchCalls& calls, Called called) {
  try {
    called.of(calls, {1, 2, 3});
  } catch (const Failure& failure) {
    return failure.what();
  }
  return "";
}

}  // namespace

TEST_CASE("PyTorch is called in its own types on the arguments of an image, and is timed on copies of it",
          "[pytorch]") {
  if (!has_pytorch()) return;
  TorchProcess lent(torch_caller("cpu", false));
  PythonProcess* const process = lent.ready();
  REQUIRE(process != nullptr);
  TorchCalls gone("cpu", false), calls("cpu", false);
  gone.use({process->address(), false});
  Called called("    x.add_(0)\n    return x * a + (1 if x.dtype == torch.float32 else 100)");
  CHECK(called.of(gone, {0, 1, 2}) == std::vector<float>{1, 3.5, 6});
  // Whoever comes next finds the same process, and meets nothing that another asked or had begun to write.
  process->send({{"op", "release"}});
  const Descriptor ask(open(process->path("ask").c_str(), O_WRONLY | O_CLOEXEC));
  CHECK(write(ask.get(), "{\"op\": \"ru", 10) == 10);
  calls.use({process->address(), false});
  const std::vector<std::byte> guard(called.image.end() - 8, called.image.end());
  CHECK(called.of(calls, {1, 2, 3}) == std::vector<float>{3.5, 6, 8.5});
  CHECK(std::equal(guard.begin(), guard.end(), called.image.end() - 8));  // nothing but outputs comes back
  const ImageList images{called.image};
  const TorchCalls::Held held = calls.hold(called.executable, images, 1 << 20);
  CHECK(held.calls > 1);
  CHECK(held.sets >= held.calls);
  CHECK_FALSE(calls.burst(held, 0.01).empty());
  CHECK(calls.cold(held, 2).size() == 2);
  calls.release();
  CHECK(process->runs());
  lent.end();
}

// A driver that has no GPU, and an interpreter that would not find PyTorch: whoever asks the driver first says so.
TEST_CASE("where walls keep a GPU away, a process ends before it imports PyTorch, and the next is started at once") {
  const TemporaryFolder folder("driver");
  write_file(folder.path("driver.c"), "int cuInit(unsigned flags) { return 100; }\n");
  REQUIRE(std::system(("cc -shared -fPIC -o " + folder.path("libcuda.so.1") + " " + folder.path("driver.c")).c_str()) ==
          0);
  write_file(folder.path("python"), "#!/bin/sh\nexec /usr/bin/python3 -S \"$@\"\n");
  std::filesystem::permissions(folder.path("python"), std::filesystem::perms::owner_all);
  const Variable python("HARNESS_PYTHON", folder.path("python")), libraries("LD_LIBRARY_PATH", folder.path(""));
  TorchProcess::Spec spec = torch_caller("cuda:0", true);
  spec.readable = {folder.path("")};
  TorchProcess process(spec);
  process.begin();
  CHECK(process.without_walls());  // the first is gone
  CHECK(process.ready() == nullptr);
  const std::string refused = folder.path("python") + ": the driver refuses cuInit with 100: it finds no GPU";
  CHECK(process.why().starts_with("; " + refused));
  CHECK(process.why().ends_with("without walls: the driver refuses cuInit with 100: it finds no GPU"));
}

TEST_CASE("what PyTorch cannot do, or its program does wrong, is one sentence, and the next call works", "[pytorch]") {
  if (!has_pytorch() || tests::is_nightly()) return;
  TorchCalls calls("cpu", false);
  CHECK(failure_of<LaunchRefused>(calls, Called("    raise KeyError('k')")) == "KeyError in line 3: 'k'");
  CHECK(failure_of<LaunchRefused>(calls, Called("    return x[:2]")) ==
        "ValueError: its result 'y' has the shape [2], and the contract says [3]");
  CHECK(failure_of<LaunchRefused>(calls, Called("    import os\n    os._exit(3)"))
            .starts_with("the process that calls PyTorch ended"));
  CHECK(failure_of<LaunchRefused>(calls, Called("    import socket\n    socket.socket()\n    return x"))
            .find("Permission") != std::string::npos);
  CHECK(failure_of<LaunchRefused>(calls, Called("    print('x' * 3000000)\n    return x")).empty());
}

}  // namespace harness
