#include "harness/adopt/source/functions.h"

#include <map>

namespace harness::adopt {

std::optional<HostFunction> function_named(const Source& source, const std::string& name) {
  for (const auto& file : source.files) {
    const Tokens& tokens = file->tokens;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      const bool is_member = i > 0 && (tokens[i - 1].is(".") || tokens[i - 1].is("->") || tokens[i - 1].is("::"));
      if (!tokens[i].is(name) || !tokens[i + 1].is("(") || is_member) continue;
      const Chunk* const chunk = file->chunk_at(tokens[i].begin);
      if (chunk != nullptr && chunk->body < chunk->end && tokens[i].begin < chunk->body)
        return HostFunction(*file, *chunk, name, i);
    }
  }
  return std::nullopt;
}

std::vector<HostLaunch> launches_in(const Source& source, const HostFunction& function) {
  std::vector<HostLaunch> own;
  for (const HostLaunch& launch : source.launches)
    if (launch.chunk == &function.chunk()) own.push_back(launch);
  return own;
}

std::vector<std::string> functions_of_several(const Source& source) {
  std::vector<std::string> names;
  std::map<const Chunk*, int> launches;
  for (const HostLaunch& launch : source.launches)
    if (launch.file == &source.main()) ++launches[launch.chunk];
  for (const Chunk& chunk : source.main().chunks) {
    if (launches[&chunk] < 2) continue;
    if (const auto function = HostFunction::of(source.main(), chunk)) names.push_back(function->name());
  }
  return names;
}

}  // namespace harness::adopt
