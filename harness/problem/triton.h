#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness/core/json.h"
#include "harness/problem/observe.h"

// A file with Triton functions becomes a plugin: its `reference` and `inputs` are the problem, its launches a variant.
namespace harness::problem {

/// What the user said besides the file.
struct TritonAnswers {
  std::string kernel;                 // "" where the file has one
  std::string host;                   // the function that launches it; "" where there is one
  std::string reference;              // a file with reference(...) and inputs(...); "" for the same one
  std::string grid;                   // of launches whose grid the source does not say
  std::vector<std::string> settings;  // NAME=EXPR, of arguments
  std::vector<std::string> tune;      // NAME=VALUES, of constexprs and options
  Answers problem;
};

struct TritonProblem {
  json observed;                      // as observe() says it
  std::string manifest, source;       // of the variant
  std::string host;                   // the function that was read
  std::vector<std::string> launches;  // entries
  std::vector<std::string> notes;     // sentences
};

/// Triton need not be here: the file is read, and only its reference runs. Throws Error(bad_input) with one sentence,
/// which names the options that answer it where something is missing; Error(environment) without PyTorch.
TritonProblem observe_triton(const std::string& file, const TritonAnswers& answers);

/// The files of kernels/NAME: those of the problem, and the variant 10_triton.
std::map<std::string, std::string> triton_files(const std::string& name, const std::string& file,
                                                const TritonProblem& problem);

}  // namespace harness::problem
