#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "harness/adopt/kernel/kernel.h"
#include "harness/adopt/observe/subject.h"
#include "harness/adopt/plugin/plugin_file.h"
#include "harness/core/dtype.h"
#include "harness/core/observation.h"

namespace harness::adopt {

/// How far two honest computations of an output of this type may lie apart, relative L2; 0 for integers.
double tolerance_of(Dtype dtype);

/// How long a reference program may take for one set of inputs, seconds of core time.
inline constexpr double kReferenceProgram_s = 60;

/// A .npy file's bytes. `data`: the elements one after another; types that NumPy has not become float32.
std::string npy_text(Dtype dtype, const std::vector<std::int64_t>& shape, const std::vector<std::byte>& data);

/// A reference program's outputs at the workloads that every machine can run. It is started as COMMAND IN OUT within
/// the walls of a compiler: IN holds NAME.npy for each input and inout and sizes.json with sizes and numbers; it writes
/// OUT/NAME.npy for each output and inout. Types that NumPy has not are float32 in IN. What it computes must agree with
/// the kernel. `base` judges where nothing is recorded. Throws Error(bad_input) with what the program did wrong.
ChosenReference recorded_by(const std::string& command, const AdoptedKernel& kernel, const Subject& subject,
                            Observer& observer, const ChosenReference& base);

/// Arrays that were recorded elsewhere: a folder of NAME.npy for each input and output (of an inout NAME.npy before the
/// launch and NAME.out.npy after it), a file in it, or a folder of such folders. Their shapes say the sizes, which
/// become workloads of `kernel`.
ChosenReference recorded_in(const std::string& path, AdoptedKernel& kernel, const Subject& subject, Observer& observer,
                            const ChosenReference& base);

}  // namespace harness::adopt
