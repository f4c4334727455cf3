#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/package/folder/library.h"
#include "harness/system/files.h"
#include "tests/package/packages.h"
#include "tests/support/skip.h"

// The PyTorch module of a package over a fake of PyTorch and a driver without a GPU.
using namespace harness;
using namespace harness::package;
using namespace harness::package::test;
using harness::tests::Finished;
using harness::tests::run_program;
using harness::tests::Scratch;

namespace {

constexpr const char* kScript = R"(
import torch
import rmsnorm_int8 as op
bf16 = torch.bfloat16
print(torch._operators["harness_rmsnorm_int8::run"]["schema"])
x = torch.Tensor([64, 4096], dtype=bf16)
residual = torch.Tensor([64, 4096], dtype=bf16)
q, scale = op.run(x, residual, 3.25)
print(q.shape, q.dtype, scale.shape, scale.dtype)
print(op.choice(x, residual, 1e-6))
strided = torch.Tensor([5, 512], [515, 1], dtype=torch.float32)
print([t.shape for t in op.run(strided, torch.Tensor([5, 512]), eps=1e-6)])
fake = torch._operators["harness_rmsnorm_int8::run"]["fake"](x, residual, 1e-6)
print([(t.shape, t.stride(), t.dtype) for t in fake])
print([c["variant"] for c in op.choices()])
op.run_as(0, x, residual, 1e-6)
op.load()
def refused(*values):
    try:
        op.run(*values)
        print("not refused")
    except op.Refused as why:
        print(why)
refused(x, torch.Tensor([64, 4095], dtype=bf16), 1e-6)
refused(x, torch.Tensor([64, 4096], [1, 64], dtype=bf16), 1e-6)
refused(x, torch.Tensor([64, 4096], dtype=torch.float32), 1e-6)
refused(torch.Tensor([64], dtype=bf16), residual, 1e-6)
refused(torch.Tensor([4, 16], dtype=bf16), torch.Tensor([4, 16], dtype=bf16), 1e-6)
refused(torch.Tensor([64, 4096], dtype=bf16, device=torch.Device("cpu")), residual, 1e-6)
empty = torch.Tensor([0, 4096], dtype=bf16)
print([t.shape for t in op.run(empty, empty, 1e-6)])
)";

constexpr const char* kPath = R"(
import torch
import rmsnorm_int8 as op
print(op.path())
bf16 = torch.bfloat16
x = torch.Tensor([64, 4096], dtype=bf16)
def refused(*values):
    try:
        torch.ops.harness_rmsnorm_int8.run(*values)
    except RuntimeError as why:
        print(why)
if torch._native:
    refused(x, torch.Tensor([64, 4095], dtype=bf16), 1e-6)
    refused(x, torch.Tensor([64, 4096], [1, 64], dtype=bf16), 1e-6)
    refused(x, torch.Tensor([64, 4096], dtype=torch.float32), 1e-6)
    refused(torch.Tensor([64], dtype=bf16), x, 1e-6)
    refused(x, torch.Tensor([64, 4096], dtype=bf16, device=torch.Device("cpu")), 1e-6)
    print("left:", torch._native[0].fake_living())
)";

constexpr const char* kRefusals = R"(('stable C interface', None)
rmsnorm_int8: residual has the shape [64, 4095]; these sizes need [64, 4096]
rmsnorm_int8: residual has the strides [1, 64]; the kernel needs [4096, 1]: call contiguous() first
rmsnorm_int8: the package has no code for x bf16, residual f32; it has: x bf16, residual bf16; x f16, residual f16; x f32, residual f32
rmsnorm_int8: x has 1 dimensions; it needs 2
rmsnorm_int8: residual is not where x is: all tensors must be on one CUDA device
left: 0
)";

/// PyTorch's stable C interface without PyTorch: a module `torch` with its libraries beside it.
std::string fake_torch(const Scratch& scratch) {
  const std::string folder = scratch.path("site"), fakes = std::string(HARNESS_SOURCE_DIR) + "/tests/fakes";
  std::filesystem::create_directories(folder + "/lib");
  std::filesystem::copy(fakes + "/torch/torch.py", folder + "/torch.py");
  const Finished built = run_program({"c++", "-std=c++17", "-shared", "-fPIC", fakes + "/libtorch/libtorch.cpp", "-o",
                                      folder + "/lib/libtorch_cpu.so"},
                                     "/");
  INFO(built.err);
  REQUIRE(built.status == 0);
  std::filesystem::copy(folder + "/lib/libtorch_cpu.so", folder + "/lib/libtorch_cuda.so");
  return folder;
}

/// What was launched, without the addresses.
std::vector<std::string> launches(const std::string& log) {
  std::vector<std::string> all;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("launch ")) all.push_back(line.substr(0, line.find(" flags")));
  return all;
}

}  // namespace

TEST_CASE("the PyTorch module of a package passes tensors on, and says in one sentence what it cannot take") {
  const Finished found = run_program({"python3", "-c", "import sys; print(sys.executable, end='')"}, "/");
  if (found.status != 0) return tests::skip("python3 is not here");
  const std::string python = found.out;
  const Scratch scratch;
  script::LuaCatalog catalog({kernels_folder()}, {kernels_folder() + "/include"}, {"cpu", "cuda"});
  OneIterationArchive archive;
  PackageRecord record;
  record.devices = {fake_h200()};
  const Config config{{"BLOCK", std::int64_t{128}}, {"VEC", std::int64_t{8}}};
  record.points = {point(catalog, "rmsnorm_int8", "decode_bf16", "10_warp_rows", config, 5e3, 100e3)};
  const PackageModel model = make_package(catalog, no_compiler([](const std::string&) { return "8,8,8,8,4,4,4,4"; }),
                                          "rmsnorm_int8", std::move(record), 0, "a test");
  PackageFiles files = package_files(model, catalog, archive, {"a test", "0", ""},
                                     catalog.plugin("rmsnorm_int8").folder(), kernels_folder() + "/include");
  const BuiltLibrary library = build_library(files);
  INFO(library.why_not);
  REQUIRE_FALSE(library.bytes.empty());
  files[library_path("rmsnorm_int8")] = library.bytes;
  seal(files);
  const std::string folder = scratch.path("p");
  write_package(folder, files);
  const FakeCuda cuda(scratch);
  const std::string torch = fake_torch(scratch);
  const auto run = [&](const std::string& path, const char* script, const std::vector<std::string>& more = {}) {
    scratch.write("script.py", script);
    std::vector<std::string> environment = cuda.environment();
    environment.insert(environment.end(),
                       {"PYTHONPATH=" + folder + "/python:" + torch, "PATH=/nowhere", "PYTHONDONTWRITEBYTECODE=1",
                        "XDG_CACHE_HOME=" + scratch.path("cache"), "RMSNORM_INT8_PATH=" + path});
    environment.insert(environment.end(), more.begin(), more.end());
    return run_program({python, scratch.path("script.py")}, "/", environment);
  };
  const Finished ran = run("", kScript);
  INFO(ran.err);
  REQUIRE(ran.status == 0);
  CHECK(
      ran.out ==
      "run(Tensor x, Tensor(a1!) residual, float eps) -> (Tensor, Tensor)\n"
      "(64, 4096) torch.int8 (64,) torch.float32\n"
      "{'index': 1, 'original': False, 'variant': '10_warp_rows', 'configuration': 'BLOCK=128 VEC=8'}\n"
      "[(5, 512), (5,)]\n"
      "[((64, 4096), (4096, 1), torch.int8), ((64,), (1,), torch.float32)]\n"
      "['00_naive', '10_warp_rows']\n"
      "rmsnorm_int8: residual has the shape [64, 4095]; these sizes need [64, 4096]\n"
      "rmsnorm_int8: residual has the strides [1, 64]; the kernel needs [4096, 1]: call contiguous() first\n"
      "rmsnorm_int8: the package has no code for x bf16, residual f32; it has: x bf16, residual bf16; x f16, residual "
      "f16; x f32, residual f32\n"
      "rmsnorm_int8: x has 1 dimensions; it needs 2\n"
      "rmsnorm_int8: the kernel is not made for these sizes; kernel.json has its domain\n"
      "rmsnorm_int8: tensors must be on a CUDA device, not on cpu:None\n"
      "[(0, 4096), (0,)]\n");
  const std::string log = read_file(cuda.log());
  CHECK_THAT(log, Catch::Contains("launch rmsnorm<__nv_bfloat16,8> grid 16 1 1 block 128 1 1"));
  CHECK_THAT(log, Catch::Contains(" 00005040 40000000 00100000 00100000 stream 0x5000"));  // 3.25, T, N and ldx
  CHECK_THAT(log, Catch::Contains(" 05000000 00020000 03020000 stream"));                  // of a strided x

  // The other way, through ctypes, gives and refuses the same. Neither had a compiler.
  std::filesystem::remove(cuda.log());
  const Finished other = run("ctypes", kScript);
  INFO(other.err);
  CHECK(other.out == ran.out);
  CHECK(launches(read_file(cuda.log())) == launches(log));
  CHECK(run("", kPath).out == kRefusals);  // of the operator itself, which other code may call
  CHECK_THAT(run("ctypes", kPath).out, Catch::StartsWith("('ctypes', 'RMSNORM_INT8_PATH asks for it')"));
  CHECK_THAT(run("", kPath, {"FAKE_TORCH_MINOR=9"}).out, Catch::StartsWith("('ctypes', 'PyTorch is older than 2.10')"));
}
