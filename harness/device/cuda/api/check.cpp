#include "harness/device/cuda/api/check.h"

#include <fmt/format.h>

#include "harness/core/device.h"
#include "harness/core/error.h"

namespace harness::cuda {
namespace {

/// The CrashKind of a code after which no call of this process succeeds any more, or "" for all others.
std::string_view fault_kind(Status status) {
  switch (status) {
    case kIllegalAddress:
    case kInvalidAddressSpace:
    case kInvalidPc:
      return "illegal_access";
    case kMisalignedAddress:
      return "illegal_access: misaligned address";
    case kIllegalInstruction:
    case kHardwareStackError:
    case kLaunchFailed:
      return "trap";
    case kAssert:
      return "assertion";
    case kDeviceUnavailable:
    case kNoDevice:
    case kInvalidDevice:
    case kEccUncorrectable:
    case kNvlinkUncorrectable:
      return "device_lost";
    case kLaunchTimeout:
    case kContextIsDestroyed:
    case kUnknown:
      return "unknown";
    default:
      return "";
  }
}

void throw_fault(const DriverApi& api, Status status, std::string_view call) {
  if (const std::string_view kind = fault_kind(status); !kind.empty()) {
    throw DeviceFault(fmt::format("{}: {}", kind, describe(api, status, call)));
  }
}

void throw_common(const DriverApi& api, Status status, std::string_view call) {
  throw_fault(api, status, call);
  if (status == kOutOfMemory) throw DeviceMemoryExhausted(describe(api, status, call));
  if (status == kNoBinaryForGpu || status == kDriverNotSupported) throw NotSupported(describe(api, status, call));
}

}  // namespace

std::string describe(const DriverApi& api, Status status, std::string_view call) {
  const char* name = nullptr;
  const char* text = nullptr;
  if (api.cuGetErrorName(status, &name) != kSuccess || !name) name = "unknown code";
  if (api.cuGetErrorString(status, &text) != kSuccess || !text) text = "no description";
  return fmt::format("{}: {} ({}), {}", call, name, status, text);
}

void check(const DriverApi& api, Status status, std::string_view call) {
  if (status == kSuccess) return;
  throw_common(api, status, call);
  throw environment_error(describe(api, status, call));
}

void check_launch(const DriverApi& api, Status status, std::string_view call) {
  if (status == kSuccess) return;
  throw_common(api, status, call);
  throw LaunchRefused(describe(api, status, call));
}

void check_fault(const DriverApi& api, Status status, std::string_view call) {
  if (status != kSuccess) throw_fault(api, status, call);
}

void check_environment(const DriverApi& api, Status status, std::string_view call) {
  if (status != kSuccess)
    throw environment_error(fmt::format("the GPU cannot be used: {}", describe(api, status, call)));
}

void check(const NvrtcApi& api, NvrtcStatus status, std::string_view call) {
  if (status == kNvrtcSuccess) return;
  throw environment_error(
      fmt::format("{} of NVRTC {} fails: {}", call, api.version(), api.nvrtcGetErrorString(status)));
}

}  // namespace harness::cuda
