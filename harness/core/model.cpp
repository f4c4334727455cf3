#include "harness/core/model.h"

#include <algorithm>

namespace harness {

const std::vector<std::string>& model_phases() {
  static const std::vector<std::string> phases{"prefill", "chunk", "decode", "encoder", "cross"};
  return phases;
}

std::int64_t usual_context(const Model& model, const std::string& phase) {
  constexpr std::int64_t kMostOfDecoder = 4096;
  const auto fact = [&](const char* name) { return std::get<std::int64_t>(model.facts.at(name)); };
  if (phase == "cross") return fact("cross_keys");
  return phase == "encoder" ? fact("context") : std::min(kMostOfDecoder, fact("context"));
}

}  // namespace harness
