#pragma once
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/adopt/source/host_function.h"
#include "harness/adopt/source/source_text.h"

// How functions of the host are called, which says what a launch in them is.
namespace harness::adopt {

/// PyTorch's macro whose type is `index_t`: whole numbers of four or eight bytes. It says nothing of the elements.
inline constexpr std::string_view kDispatchOfIndices = "AT_DISPATCH_INDEX_TYPES";

/// "AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type()..." around a token; "" where there is none.
std::string dispatch_around(const Tokens& tokens, std::size_t at);

/// Of a function that is called, or instantiated, as `run<float, 4>(...)`.
struct TemplateCalls {
  /// float of its first template parameter: what each is given, each value once.
  std::map<std::string, std::vector<Tokens>, std::less<>> values;
  std::string dispatch;  // around the first call that stands in one
};

TemplateCalls template_calls(const std::vector<std::unique_ptr<SourceText>>& files, const HostFunction& function);

}  // namespace harness::adopt
