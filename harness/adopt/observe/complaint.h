#pragma once
#include <string>
#include <string_view>

namespace harness::adopt {

/// The first error of a compiler's log as a part of a sentence: what it says, and the line of `compiled` that it is
/// about: "expected ';' before '}' token (softmax.cu:12: y[i] = x[i])". What is compiled is a part of a file, so the
/// number is that of the line in `original`; there is none where that does not have the line just once.
std::string first_complaint(std::string_view log, std::string_view file, std::string_view compiled,
                            std::string_view original);

}  // namespace harness::adopt
