#include "harness/core/secrets.h"

#include <regex>

namespace harness {

std::string without_secrets(std::string sentence) {
  static const std::regex seed("(,? ?with)?,? ?seeds? [0-9]+(, values [0-9]+)?");
  static const std::regex limit(
      ",? ?(tolerance|limit|threshold|bound|more than|above|over|exceeds|at most|>=?)( of| is|:)? ?"
      "[-+]?[0-9][0-9.]*(e[-+]?[0-9]+)?( ulp)?");
  sentence = std::regex_replace(sentence, seed, "");
  return std::regex_replace(sentence, limit, "");
}

}  // namespace harness
