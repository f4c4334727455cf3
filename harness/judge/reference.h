#pragma once
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/core/contract.h"
#include "harness/core/device.h"
#include "harness/core/image.h"
#include "harness/core/plan.h"
#include "harness/judge/bytes.h"

namespace harness::judge {

/// What computes the reference: compile `spec`, put the artifact into `executable`, and any Session can run it over an
/// image of executable.layout.bytes bytes. It launches the signature of core/contract.h (Reference).
struct ReferenceJob {
  BuildSpec spec;
  Executable executable;  // without its artifact
};

/// A Python program (its source ends in .py) computes the reference: nothing is compiled, and no Session runs it.
bool is_program(const Reference& reference);

/// The exact result for one output, in row-major order of its shape.
struct ReferenceArray {
  Dtype dtype = Dtype::f64;  // of the output argument
  std::vector<std::int64_t> shape;
  Uncleared<double> values;    // not yet rounded to dtype; for integers, what fits a double
  std::vector<std::byte> raw;  // integers: the exact elements
  double terms = 0;  // rms size of what the elements are sums of, where it was measured (judge/terms.h); else 0
  std::vector<float> element_terms;  // the same of each element: a few may have far larger terms than most; else empty
};
using ReferenceValues = std::map<std::string, ReferenceArray>;  // by output argument

/// How trusted device code of a kernel's folder is compiled: it sees its own folder and kernels/include.
BuildSpec trusted_build(const std::string& path, const std::string& source, std::vector<std::string> entries);
BuildSpec reference_build(const Problem& problem, const std::string& source);

/// `source` is the text of problem.reference.source, read by the caller. Outputs have the strides of the argument, as
/// f64 where it is floating. An inout becomes two buffers: its name, and its name with ".out".
ReferenceJob make_reference_job(const Problem& problem, const std::string& source);

/// What an output is called in the job's layout.
std::string result_name(const Argument& argument);

/// The job's image: inputs copied from a painted image, everything else 0xff bytes (NaN), so that an element the
/// reference forgets shows.
Bytes reference_image(const Problem& problem, const ImageLayout& layout, std::span<const std::byte> painted,
                      const ReferenceJob& job);

ReferenceValues read_reference(const Problem& problem, const ReferenceJob& job, std::span<const std::byte> image);

}  // namespace harness::judge
