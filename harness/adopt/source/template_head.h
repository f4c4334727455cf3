#pragma once
#include <string>

#include "harness/adopt/source/source.h"

namespace harness::adopt {

/// "template <class T, int N>" as it stands before a function, with the end of its line; "" where it is no template.
std::string template_head(const Source::Found& found);

}  // namespace harness::adopt
