#pragma once
#include <cstddef>
#include <lua.hpp>

#include "harness/core/strategy.h"
#include "harness/script/sandbox/sandbox.h"
#include "harness/script/strategy/search_space.h"
#include "harness/script/model/surrogate_binding.h"

namespace harness::script {

inline constexpr std::size_t kMostHints = 32;
inline constexpr std::size_t kMostEarlier = 256;

/// The fields of the API's `space` (strategies/api.lua): size, variants, parameters, earlier (of each workload and
/// device the fastest kMostEarlier).
json describe_space(const SearchSpace& space, const std::vector<EarlierResult>& earlier);
/// Pushes the read-only `space` with these fields and its methods. Space, sandbox and models must outlive it. Protected
/// mode only.
void push_space(lua_State* L, const json& fields, const SearchSpace& space, Sandbox& sandbox, Surrogates& models);
/// Pushes a configuration as a table: a value for each parameter, and `variant`. Protected mode only.
void push_point(lua_State* L, const SearchSpace& space, std::size_t point);
/// Pushes what evaluate returns: { outcome, passed, time_ns, cost_s }. Protected mode only.
void push_result(lua_State* L, const SearchResult& result);

/// The point of the configuration at `index`. False: `refusal` says why. Raises nothing, throws nothing.
bool read_point(lua_State* L, int index, const SearchSpace& space, std::size_t& point, char* refusal,
                std::size_t size) noexcept;

}  // namespace harness::script
