#pragma once
#include <string>
#include <vector>

#include "harness/core/catalog.h"

namespace harness::callable {

/// What the caller says of itself in its first line. All of it is a stranger's word.
struct Question {
  std::string name;                                // of the kernel in the record
  std::string device, device_name;                 // "cuda:0", "NVIDIA H200"
  std::string program;                             // "Python 3.11.2, PyTorch 1.13.1"
  std::vector<Argument> arguments;                 // inputs, then what the baseline writes
  std::vector<Parameter> parameters;               // ascending by name
  std::vector<std::vector<std::uint16_t>> points;  // configurations that are allowed
  std::string compile_source, baseline_source;     // texts, for the record
};

/// More configurations than this are not listed, and so not searched.
inline constexpr std::size_t kMostPoints = 1'000'000;

/// Throws Error(bad_input) with a sentence about the field that is wrong.
Question read_question(const json& line);

/// "f32[1024,512] f32[512]": the inputs' types and shapes; long ones are cut, and end with a digest of the whole.
std::string workload_name(const Question& question);

}  // namespace harness::callable
