#pragma once

// <cuda/std/...> is the standard library again, for both sides of a program. A candidate here is compiled for the host,
// so each of these headers is the host's own.
namespace cuda {
namespace std {
using namespace ::std;
}
}  // namespace cuda
