#pragma once
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "harness/core/error.h"
#include "harness/script/catalog/catalog.h"

namespace harness::script {

inline const std::filesystem::path kSource = HARNESS_SOURCE_DIR;

inline DeviceInfo cpu_device() {
  DeviceInfo device;
  device.device = "cpu";
  device.architecture = "x86-64";
  device.multiprocessors = 2;
  device.emulation = true;
  device.max_shared_bytes = 227 * 1024;
  return device;
}

inline DeviceInfo cuda_device() {
  DeviceInfo device;
  device.device = "cuda:0";
  device.architecture = "sm_90a";
  device.compute_capability = 90;
  device.multiprocessors = 132;
  device.max_shared_bytes = 227 * 1024;
  return device;
}

inline std::string edited(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

/// A small correct kernel and variant, to be broken by tests. Line numbers matter to them.
inline const std::string kGoodKernel = R"(return kernel {
  contract = 1, name = "scale", summary = "y = a x",
  domain = { N = range(1, 4096), dtype = one_of { "f32", "f16" } },
  workloads = {
    { name = "small", N = 100, dtype = "f32" },
    { name = "large", N = 4096, dtype = "f16", weight = 2 },
  },
  arguments = {
    input  { "x", dtype = "$dtype", shape = { "N" }, gen = normal {} },
    output { "y", dtype = "$dtype", shape = { "N" }, compare = relative {} },
    scalar { "a", dtype = "f32", value = 2 },
  },
  reference = { source = "reference.cu", entry = "reference<$dtype>", sizes = { "N" }, threads = "N" },
  work = function(w) return { bytes = 2 * w.N, flops = { f32 = w.N }, exps = 0 } end,
}
)";
inline const std::string kGoodVariant = R"(return variant {
  technique = "naive",
  params = { BLOCK = { values = { 64, 128, 256 }, bind = "launch" }, VEC = { values = { 4, 2 }, bind = "template" } },
  valid = function(p, w, device)
    return divisible(w.N, p.VEC)
  end,
  steps = function(p, w, device)
    return { launch { entry = "scale<$dtype,$VEC>", grid = { cdiv(w.N, p.BLOCK * p.VEC) }, block = { p.BLOCK },
                      args = { "x", "y", "a", i32(w.N) } } }
  end,
}
)";

/// A folder of kernels that lives as long as the object, with kernel `scale` and variant `00_naive` in it.
class PluginFolder {
 public:
  PluginFolder() {
    static int count = 0;
    root_ = std::filesystem::temp_directory_path() /
            ("harness-" + std::to_string(getpid()) + "-" + std::to_string(count++));
    kernel(kGoodKernel);
    variant(kGoodVariant);
    write("scale/reference.cu", "// reference\n");
    write("scale/variants/00_naive.cu", "#include \"detail.cuh\"\n");
  }
  ~PluginFolder() { std::filesystem::remove_all(root_); }
  PluginFolder(const PluginFolder&) = delete;
  PluginFolder& operator=(const PluginFolder&) = delete;

  void write(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((path() / file).parent_path());
    std::ofstream(path() / file) << text;
  }
  void kernel(const std::string& text) const { write("scale/kernel.lua", text); }
  void variant(const std::string& text) const { write("scale/variants/00_naive.lua", text); }

  std::filesystem::path path() const { return root_ / "kernels"; }
  LuaCatalog catalog() const { return LuaCatalog({path()}, {path() / "include"}, {"cpu", "cuda"}); }

 private:
  std::filesystem::path root_;
};

/// The sentence of the Error that `action` throws, with the temporary folder cut off the front.
template <typename Action>
std::string complaint(Action action) {
  try {
    action();
  } catch (const Error& error) {
    const std::string sentence = error.what();
    const std::size_t at = sentence.find("kernels/");
    return at == std::string::npos || sentence[0] != '/' ? sentence : sentence.substr(at);
  }
  FAIL("nothing was thrown");
  return "";
}

/// The complaint about kernel `scale` once its manifest says `to` instead of `from`.
inline std::string kernel_complaint(const std::string& from, const std::string& to) {
  PluginFolder folder;
  folder.kernel(edited(kGoodKernel, from, to));
  return complaint([&] { folder.catalog().kernel("scale"); });
}

/// The complaint on realizing the default configuration once the variant says `to` instead of `from`.
inline std::string variant_complaint(const std::string& from, const std::string& to) {
  PluginFolder folder;
  folder.variant(edited(kGoodVariant, from, to));
  return complaint([&] {
    LuaCatalog catalog = folder.catalog();
    const Config config = catalog.plugin("scale").default_config("00_naive", "small", cpu_device(), {});
    catalog.plugin("scale").realize({"scale", "00_naive", "", config}, "small", cpu_device());
  });
}

}  // namespace harness::script
