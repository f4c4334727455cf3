#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "harness/adopt/source/source.h"

namespace harness::adopt {

/// A `kernel<...><<<grid, block, shared>>>(arguments)` as it stands in a file.
struct FoundLaunch {
  const SourceText* file = nullptr;
  const Chunk* chunk = nullptr;  // the function that it stands in; nullptr: in none
  std::size_t place = 0;         // bytes
  std::string entry;
  std::vector<std::string> templates;  // texts
  std::vector<std::vector<Token>> template_tokens;
  std::vector<std::vector<Token>> configuration;  // grid, block, shared, stream
  std::vector<std::vector<Token>> arguments;
  std::string dispatch;  // AT_DISPATCH_... around it, with its types: text up to the lambda
};

/// Of all files, in their order.
std::vector<FoundLaunch> find_launches(const Source& source);

/// The piece of a file that a place lies in; nullptr: between them.
const Chunk* chunk_at(const SourceText& file, std::size_t place);

/// PyTorch's macro whose type is `index_t`: whole numbers of four or eight bytes. It says nothing of the elements.
inline constexpr std::string_view kDispatchOfIndices = "AT_DISPATCH_INDEX_TYPES";

/// "AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type()..." around a token; "" where there is none.
std::string dispatch_around(const Tokens& tokens, std::size_t at);

}  // namespace harness::adopt
