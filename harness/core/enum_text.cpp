#include "harness/core/enum_text.h"

#include "harness/core/error.h"
#include "harness/core/suggest.h"

namespace harness {

void refuse_name(const char* what, std::string_view text, const std::vector<std::string>& known) {
  const std::string unknown = std::string("unknown ") + what + " '" + std::string(text) + "'";
  const std::string hint = did_you_mean(std::string(text), known);
  if (!hint.empty()) throw bad_input(unknown + hint);
  std::string all;
  for (const std::string& each : known) all += (all.empty() ? "" : ", ") + each;
  throw bad_input(unknown + "; known are " + all);
}

}  // namespace harness
