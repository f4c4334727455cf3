#include "harness/composition.h"
#include "harness/device/cpu/cpu_kind.h"
#include "harness/device/cuda/cuda_kind.h"

// The kinds of devices of this program, in the order in which `--device auto` prefers them.
int main(int argc, char** argv) {
  using namespace harness;
  return run_program(argc, argv, {std::make_shared<cuda::CudaKind>(), std::make_shared<cpu::CpuKind>()});
}
