#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/value.h"

namespace harness {

/// A published model: what its configuration says of it (a file of models/).
struct Model {
  std::string name, source, note, file;
  std::vector<std::string> phases;
  Config facts;  // what a kernel's function is told: hidden, heads, kv_heads, ...; always the same names
};

/// A workload as people ask for it who think in models.
struct ModelQuestion {
  std::string phase;
  std::int64_t batch = 1;
  std::int64_t context = 0;  // tokens that a sequence has
};

/// One shape that a kernel has in a model: "B=16 Hq=64 ... weight=80", as KernelEdits::add_shape reads it.
struct ModelShape {
  std::string part;  // of a layer: "qkv"; "" where there is only one
  std::string shape;
};

/// What models have phases of. A decoder has the first three.
const std::vector<std::string>& model_phases();

/// The tokens a sequence has where nobody says: at most 4,096 for a decoder, all that an encoder reads.
std::int64_t usual_context(const Model& model, const std::string& phase);

}  // namespace harness
