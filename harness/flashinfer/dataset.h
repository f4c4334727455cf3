#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/dtype.h"

// A FlashInfer-Bench data set as plain values: definitions, workloads, solutions and traces as its schema names them
// (flashinfer-bench 40e6ca7, flashinfer_bench/data). SOL-ExecBench uses the same forms, one problem a folder.
namespace harness::flashinfer {

/// Keeps the order of keys, which is the order of a function's arguments.
using Object = nlohmann::ordered_json;

/// A tensor, or a scalar where it has no shape.
struct Tensor {
  std::string name;
  std::optional<std::vector<std::string>> axes;  // names of axes, outermost first
  std::string dtype;                             // "bfloat16"
};

struct Definition {
  std::string name;
  std::vector<std::pair<std::string, std::optional<std::int64_t>>> axes;  // with a value: constant
  std::vector<Tensor> inputs, outputs;
  std::string reference;  // source in Python with a function `run`
  Object text;            // as it was read or is written
};

struct ProblemSize {
  std::string uuid;
  std::map<std::string, std::int64_t> axes;  // of the variable ones
  std::map<std::string, double> scalars;
  bool recorded = false;  // some input is a file of recorded values
  Object text;
};

struct Solution {
  std::string name, definition, language, entry_point;
  std::vector<std::pair<std::string, std::string>> sources;  // path, text
  Object text;
};

struct Dataset {
  std::vector<Definition> definitions;
  std::map<std::string, std::vector<ProblemSize>> workloads;  // by definition
  std::vector<Solution> solutions;
  std::vector<Object> traces;
};

/// Reads definitions/, workloads/, solutions/ and traces/ below `folder`, or a single problem's definition.json,
/// workload.jsonl and solution.json. Throws Error(bad_input) that names the file and what is wrong with it. Paths of
/// sources stay inside of their solution.
Dataset read_dataset(const std::string& folder);

/// Nothing: harness has no such type.
std::optional<Dtype> dtype_of(const std::string& name);
/// "" where FlashInfer-Bench has no such type.
std::string dtype_name(Dtype dtype);

}  // namespace harness::flashinfer
