#pragma once
#include <map>
#include <string>

#include "harness/core/json.h"

// A problem that comes without a kernel: from the file of its owner to the parts of a contract.
namespace harness::problem {

/// What the user said besides the file.
struct Answers {
  std::map<std::string, std::int64_t> sizes;    // --size N=4096
  std::map<std::string, std::string> settings;  // --set eps=1e-6
};

/// The parts of the contract, texts of Lua among them (observe.in says which), of
///   a definition.json of FlashInfer-Bench or SOL-ExecBench, its workloads beside it or in the data set around it;
///   a Python file with `Model`, `get_inputs` and `get_init_inputs` (KernelBench), or with `reference` and `inputs`.
/// Python runs within the compilers' walls. Throws Error(bad_input), one sentence, for what cannot be taken;
/// Error(environment) without PyTorch.
json observe(const std::string& file, const Answers& answers);

}  // namespace harness::problem
