#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/adopt/kernel/kernel.h"
#include "harness/adopt/kernel/options.h"

namespace harness::adopt {

/// What a person's options say of a kernel, read once. Each has its text, which messages name.
struct Answers {
  struct Setting {  // --set "C=D+5"
    std::string text, name, expression;
  };
  struct Sizes {  // --size "N=8192,7"
    std::string text, name, values;
  };
  struct Array {                                 // --arg "idx[N, 2] s32 >= 1 < V"
    std::string text, name, shape, role, below;  // "": not said
    std::optional<Dtype> dtype;
    std::optional<std::int64_t> from;
    bool shaped = false, zeroed = false;
  };
  struct Types {  // --type "T=f16,bf16"
    std::string text;
    std::vector<Dtype> dtypes;
  };
  std::vector<Setting> settings;
  std::vector<Array> arrays;
  std::vector<Sizes> sizes;
  std::map<std::string, std::vector<std::int64_t>> tuned;  // --tune "BLOCK=64,128"
  std::map<std::string, Types> types;                      // template parameter -> what it is

  /// Does --set say it?
  bool sets(const std::string& parameter) const;
};

/// Throws Error(bad_input) for what is not of its option's form.
Answers answers_of(const AdoptOptions& options);

/// --set, --arg and --size, once the signature is known. Throws Error(bad_input) for names that the kernel has not.
void apply_answers(AdoptedKernel& kernel, const Answers& answers);

}  // namespace harness::adopt
