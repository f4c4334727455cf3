#include "harness/composition.h"
#include "harness/device/cuda/cuda_kind.h"
#include "tests/fakes/twin_device.h"

// The program with a third kind of device: this file and twin_device.* are all that it took.
int main(int argc, char** argv) {
  using namespace harness;
  return run_program(
      argc, argv,
      {std::make_shared<tests::TwinKind>(), std::make_shared<cuda::CudaKind>(), std::make_shared<cpu::CpuKind>()});
}
