#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/json.h"
#include "harness/core/plan.h"

namespace harness::cuda {

/// A parameter of a compiled entry, as its builder says.
struct BuiltParameter {
  std::int64_t size = 0;
  ParameterKind kind = ParameterKind::unknown;
  int argument = kNullArgument;  // of the launch, from 0
};

struct BuiltEntry {
  std::string entry, symbol;  // as it was asked for; its name in the image
  std::vector<BuiltParameter> parameters;
  int threads = 0, cluster = 1;
  std::int64_t shared = 0, scratch_bytes = 0;
};

/// What a builder answered (docs/builders.md).
struct BuilderAnswer {
  std::string error;          // the source does not compile: why
  std::string missing;        // the builder cannot work here: why
  std::string code, listing;  // paths within its scratch folder
  bool is_ptx = false;        // `code`
  std::vector<BuiltEntry> entries;
  std::vector<std::string> read;  // paths of what decided the build besides the request
  std::string log, compiler;
};

/// Throws Error(bad_input) with a clause on what is wrong with it, "answered ...".
BuilderAnswer read_builder_answer(std::string_view text);

/// What is asked of a builder, one JSON object.
json builder_request(const BuildSpec& spec, const std::string& architecture, const std::string& scratch,
                     const std::vector<std::string>& folders, const std::string& toolkit);

/// Takes the builder's word as far as the image agrees. `entries` of the artifact are filled in, in the order of the
/// spec. Throws Error(bad_input) with a clause, "...", where the image says otherwise: another architecture, a symbol
/// that is not there, parameters of other sizes.
struct BuiltImage {
  std::vector<EntryResources> entries;
  std::string code_hash;
  std::vector<std::string> globals;
};
BuiltImage checked_image(const BuildSpec& spec, const BuilderAnswer& answer, const std::string& cubin,
                         const std::string& ptx, const std::string& architecture);

}  // namespace harness::cuda
