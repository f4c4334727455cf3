#include "harness/device/cuda/compile/nvrtc_program.h"

#include "harness/core/compiler_errors.h"
#include "harness/core/error.h"
#include "harness/core/json.h"
#include "harness/device/cuda/api/check.h"
#include "harness/device/cuda/compile/builtin_headers.h"

namespace harness::cuda {
namespace {

/// Owns an nvrtcProgram.
class Program {
 public:
  Program(const NvrtcApi& api, const std::string& name, const std::string& source) : api_(api) {
    std::vector<const char*> texts, names;
    for (const BuiltinHeader& header : builtin_headers()) {
      texts.push_back(header.text);
      names.push_back(header.name);
    }
    check(api,
          api.nvrtcCreateProgram(&program_, source.c_str(), name.c_str(), static_cast<int>(names.size()), texts.data(),
                                 names.data()),
          "nvrtcCreateProgram");
  }
  ~Program() { api_.nvrtcDestroyProgram(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  NvrtcProgram get() const { return program_; }

 private:
  const NvrtcApi& api_;
  NvrtcProgram program_ = nullptr;
};

std::string read_log(const NvrtcApi& api, NvrtcProgram program) {
  std::size_t size = 0;
  check(api, api.nvrtcGetProgramLogSize(program, &size), "nvrtcGetProgramLogSize");
  std::string log(size, '\0');
  if (size) check(api, api.nvrtcGetProgramLog(program, log.data()), "nvrtcGetProgramLog");
  log.resize(log.find_last_not_of(std::string_view("\0\n", 2)) + 1);
  return log;
}

std::string read_cubin_of(const NvrtcApi& api, NvrtcProgram program) {
  std::size_t size = 0;
  check(api, api.nvrtcGetCUBINSize(program, &size), "nvrtcGetCUBINSize");
  std::string cubin(size, '\0');
  if (size) check(api, api.nvrtcGetCUBIN(program, cubin.data()), "nvrtcGetCUBIN");
  return cubin;
}

/// NVRTC keeps it also where it went on to machine code.
std::string read_ptx_of(const NvrtcApi& api, NvrtcProgram program) {
  std::size_t size = 0;
  check(api, api.nvrtcGetPTXSize(program, &size), "nvrtcGetPTXSize");
  std::string ptx(size, '\0');
  if (size) check(api, api.nvrtcGetPTX(program, ptx.data()), "nvrtcGetPTX");
  ptx.resize(ptx.find_last_not_of('\0') + 1);
  return ptx;
}

}  // namespace

NvrtcOutput compile_with_nvrtc(const NvrtcApi& api, const std::string& source_name, const std::string& source,
                               const std::vector<std::string>& entries, const std::vector<std::string>& options,
                               const std::vector<std::string>& constants) {
  const Program program(api, source_name, source);
  std::vector<std::string> expressions = entries;
  for (const std::string& symbol : constants) expressions.push_back(constant_key(symbol));
  for (const std::string& entry : expressions) {
    check(api, api.nvrtcAddNameExpression(program.get(), entry.c_str()), "nvrtcAddNameExpression");
  }
  std::vector<const char*> arguments;
  for (const std::string& option : options) arguments.push_back(option.c_str());
  const NvrtcStatus status =
      api.nvrtcCompileProgram(program.get(), static_cast<int>(arguments.size()), arguments.data());
  NvrtcOutput output;
  output.log = tidy_errors(read_log(api, program.get()));
  if (status == kNvrtcCompilation || status == kNvrtcInvalidOption) return output;
  check(api, status, "nvrtcCompileProgram");
  for (const std::string& entry : expressions) {
    const char* lowered = nullptr;
    check(api, api.nvrtcGetLoweredName(program.get(), entry.c_str(), &lowered), "nvrtcGetLoweredName");
    output.lowered_names[entry] = lowered;
  }
  output.cubin = read_cubin_of(api, program.get());
  output.ptx = read_ptx_of(api, program.get());
  output.compiled = true;
  return output;
}

std::string to_bytes(const NvrtcOutput& output) {
  const json record = {{"compiled", output.compiled},
                       {"log", output.log},
                       {"cubin", json::binary({output.cubin.begin(), output.cubin.end()})},
                       {"ptx", output.ptx},
                       {"lowered_names", output.lowered_names}};
  std::string bytes;
  json::to_cbor(record, bytes);
  return bytes;
}

NvrtcOutput from_bytes(const std::string& bytes) {
  const json record = json::from_cbor(bytes, true, false);
  try {
    const auto& cubin = record.at("cubin").get_binary();
    return {record.at("compiled").get<bool>(),
            record.at("log").get<std::string>(),
            {cubin.begin(), cubin.end()},
            record.at("ptx").get<std::string>(),
            record.at("lowered_names").get<std::map<std::string, std::string>>()};
  } catch (const json::exception&) {
    throw environment_error("the process of NVRTC answered with something that is no answer");
  }
}

}  // namespace harness::cuda
