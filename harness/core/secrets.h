#pragma once
#include <string>

namespace harness {

/// A gate's sentence without the seeds and tolerances that it names: what whoever writes candidates must not know.
std::string without_secrets(std::string sentence);

}  // namespace harness
