#include "harness/capture/trace.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "harness/capture/sources.h"
#include "harness/core/error.h"
#include "harness/system/files.h"

namespace harness::capture {
namespace {

namespace fs = std::filesystem;

/// As C++ has it, without the parameters and the return type: "softmax<float, 256>".
std::string name_of(const std::string& linked) {
  int status = 0;
  char* const text = abi::__cxa_demangle(linked.c_str(), nullptr, nullptr, &status);
  std::string name = status == 0 && text != nullptr ? text : linked;
  std::free(text);
  if (const std::size_t close = name.rfind(')'); close != std::string::npos) {  // the parameters: the last brackets
    int depth = 0;
    for (std::size_t at = close + 1; at-- > 0;) {
      if (name[at] == ')') ++depth;
      if (name[at] == '(' && --depth == 0) {
        name.resize(at);
        break;
      }
    }
  }
  int depth = 0;  // the return type of a template: what stands before the last blank outside of < >
  for (std::size_t at = name.size(); at-- > 0;) {
    if (name[at] == '>' || name[at] == ')') ++depth;
    if (name[at] == '<' || name[at] == '(') --depth;
    if (name[at] == ' ' && depth == 0) return name.substr(at + 1);
  }
  return name;
}

bool has(const std::string& text, std::initializer_list<const char*> parts) {
  return std::ranges::any_of(parts, [&](const char* part) { return text.find(part) != std::string::npos; });
}

/// By what libraries call their kernels.
Origin library_of(const std::string& name) {
  if (name.starts_with("triton_")) return Origin::inductor;
  if (has(name, {"nccl"})) return Origin::nccl;
  if (has(name, {"cudnn"})) return Origin::cudnn;
  if (has(name, {"at::native", "at_cuda_detail", "c10::"})) return Origin::pytorch;
  if (has(name,
          {"cublas", "nvjet", "xmma_gemm", "gemv", "splitKreduce", "volta_", "ampere_", "sm80_xmma", "sm90_xmma"}))
    return Origin::cublas;
  if (has(name, {"cutlass"})) return Origin::cutlass;
  return Origin::unknown;
}

void find_origin(CapturedKernel& kernel, const KernelSources& sources) {
  kernel.origin = library_of(kernel.name);
  if (kernel.origin != Origin::unknown) return;
  kernel.source = sources.cuda(kernel.entry);
  if (!kernel.source.empty()) {
    kernel.origin = Origin::source;
    return;
  }
  kernel.source = sources.triton(kernel.entry);
  if (!kernel.source.empty()) kernel.origin = Origin::triton;
}

CapturedKernel named_kernel(const std::string& linked, const KernelSources& sources) {
  CapturedKernel kernel;
  kernel.linked = linked;
  kernel.name = name_of(linked);
  kernel.entry = entry_of(kernel.name);
  find_origin(kernel, sources);
  return kernel;
}

std::vector<unsigned char> bytes_of(const std::string& hex) {
  std::vector<unsigned char> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<unsigned char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

LaunchGroup group_of(const json& object) {
  LaunchGroup group;
  group.grid = object.at("grid").get<std::array<std::int64_t, 3>>();
  group.block = object.at("block").get<std::array<std::int64_t, 3>>();
  group.shared = object.at("shared").get<std::int64_t>();
  group.calls = object.value("calls", std::int64_t{1});
  group.total_ns = object.value("total_ns", 0.0);
  group.least_ns = object.value("least_ns", 0.0);
  group.most_ns = object.value("most_ns", 0.0);
  for (const json& value : object.at("values"))
    group.values.push_back({value.at("offset"), value.at("allocation"), bytes_of(value.at("hex").get<std::string>())});
  return group;
}

template <typename Read>
auto told(const std::string& file, Read read) {
  try {
    return read();
  } catch (const std::exception& failure) {
    throw bad_input(fmt::format("{}: it was not written by harness capture: {}", file, failure.what()));
  }
}

void add_group(CapturedKernel& kernel, const LaunchGroup& group) {
  for (LaunchGroup& known : kernel.groups) {
    if (known.grid != group.grid || known.block != group.block || known.shared != group.shared) continue;
    known.calls += group.calls;
    known.total_ns += group.total_ns;
    known.least_ns = std::min(known.least_ns, group.least_ns);
    known.most_ns = std::max(known.most_ns, group.most_ns);
    if (known.values.empty()) known.values = group.values;
    return;
  }
  kernel.groups.push_back(group);
}

void rank(Capture& capture) {
  for (CapturedKernel& kernel : capture.kernels) {
    for (const LaunchGroup& group : kernel.groups) {
      kernel.calls += group.calls;
      kernel.total_ns += group.total_ns;
    }
    capture.total_ns += kernel.total_ns;
    std::ranges::sort(kernel.groups, std::greater{}, &LaunchGroup::total_ns);
  }
  for (CapturedKernel& kernel : capture.kernels) {
    kernel.share = capture.total_ns > 0 ? kernel.total_ns / capture.total_ns : 0;
    kernel.whole_speedup_at_2x = 1 / (1 - kernel.share / 2);
  }
  std::ranges::sort(capture.kernels, std::greater{}, &CapturedKernel::total_ns);
}

}  // namespace

std::string entry_of(const std::string& name) {
  std::string text = name.substr(0, name.find('<'));
  if (const std::size_t scope = text.rfind("::"); scope != std::string::npos) text = text.substr(scope + 2);
  return text;
}

std::string origin_text(Origin origin) {
  switch (origin) {
    case Origin::source:
      return "source";
    case Origin::triton:
      return "Triton";
    case Origin::inductor:
      return "Inductor";
    case Origin::cublas:
      return "cuBLAS";
    case Origin::cudnn:
      return "cuDNN";
    case Origin::cutlass:
      return "CUTLASS";
    case Origin::pytorch:
      return "PyTorch";
    case Origin::nccl:
      return "NCCL";
    case Origin::unknown:
      break;
  }
  return "-";
}

Capture read_capture(const std::string& folder, const std::vector<std::string>& source_folders) {
  Capture capture;
  const KernelSources sources(source_folders);
  std::map<std::string, CapturedKernel> kernels;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("process-") || !name.ends_with(".json")) continue;
    const std::string text = read_file(entry.path().string());
    told(entry.path().string(), [&] {
      const json object = parse_json(text);
      ++capture.processes;
      if (const std::string error = object.at("error"); !error.empty())
        capture.errors.push_back(fmt::format("process {} was not watched: {}", object.at("process").get<int>(), error));
      for (const json& each : object.at("kernels")) {
        const std::string linked = each.at("name");
        auto known = kernels.find(linked);
        if (known == kernels.end()) known = kernels.emplace(linked, named_kernel(linked, sources)).first;
        known->second.registers = each.value("registers", 0);
        known->second.static_shared = each.value("static_shared", 0);
        add_group(known->second, group_of(each));
      }
    });
  }
  for (auto& [linked, kernel] : kernels) capture.kernels.push_back(std::move(kernel));
  rank(capture);
  return capture;
}

json capture_json(const Capture& capture) {
  json kernels = json::array();
  for (const CapturedKernel& each : capture.kernels) {
    json launches = json::array();
    for (const LaunchGroup& group : each.groups) {
      json values = json::array();
      for (const PassedValue& value : group.values)
        values.push_back({{"offset", value.offset}, {"bytes", value.bytes.size()}, {"allocation", value.allocation}});
      launches.push_back({{"grid", group.grid},
                          {"block", group.block},
                          {"shared", group.shared},
                          {"calls", group.calls},
                          {"total_ns", group.total_ns},
                          {"least_ns", group.least_ns},
                          {"most_ns", group.most_ns},
                          {"values", values}});
    }
    kernels.push_back({{"kernel", each.name},
                       {"linked", each.linked},
                       {"origin", origin_text(each.origin)},
                       {"source", text_or_null(each.source)},
                       {"calls", each.calls},
                       {"total_ns", each.total_ns},
                       {"share", each.share},
                       {"whole_speedup_at_2x", each.whole_speedup_at_2x},
                       {"registers", each.registers},
                       {"static_shared", each.static_shared},
                       {"launches", launches}});
  }
  return {{"processes", capture.processes},
          {"total_ns", capture.total_ns},
          {"errors", capture.errors},
          {"kernels", kernels}};
}

CapturedLaunch read_launch(const std::string& folder, const std::vector<std::string>& source_folders) {
  const fs::path launch = fs::path(folder) / "launch";
  const auto text = read_file_if_any((launch / "launch.json").string());
  if (!text)
    throw bad_input(fmt::format(
        "{}: no launch was recorded there; type harness capture -o {} --launch KERNEL -- PROGRAM", folder, folder));
  return told((launch / "launch.json").string(), [&] {
    const json object = parse_json(*text);
    CapturedLaunch made;
    made.kernel = named_kernel(object.at("name").get<std::string>(), KernelSources(source_folders));
    made.launch = group_of(object);
    for (std::size_t i = 0; i < made.launch.values.size(); ++i)
      for (const char* when : {"before", "after"}) {
        const fs::path file = launch / fmt::format("{}.{}.bin", i, when);
        std::error_code failed;
        const bool there = made.launch.values[i].allocation > 0 && fs::is_regular_file(file, failed);
        (*when == 'b' ? made.before : made.after).push_back(there ? file.string() : "");
      }
    return made;
  });
}

}  // namespace harness::capture
