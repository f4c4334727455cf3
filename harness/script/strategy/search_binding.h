#pragma once
#include <cstddef>
#include <lua.hpp>
#include <utility>
#include <vector>

#include "harness/core/strategy.h"
#include "harness/script/model/surrogate_binding.h"
#include "harness/script/sandbox/sandbox.h"
#include "harness/script/space/search_space.h"

namespace harness::script {

inline constexpr std::size_t kMostHints = 32;
inline constexpr std::size_t kMostEarlier = 256;

/// The fields of the API's `space` (strategies/api.lua): size, variants, parameters, earlier (of each workload and
/// device the fastest kMostEarlier).
json describe_space(const SearchSpace& space, const std::vector<EarlierResult>& earlier);
/// Pushes the read-only `space` with these fields and its methods. Space, sandbox and models must outlive it. Protected
/// mode only.
void push_space(lua_State* L, const json& fields, const SearchSpace& space, Sandbox& sandbox, Surrogates& models);
/// As the API tells earlier results: nearest first, the fastest of each workload and device.
json describe_earlier(std::vector<EarlierResult> earlier);
/// Pushes what evaluate returns: { outcome, passed, time_ns, cost_s, left_s }. Protected mode only.
void push_result(lua_State* L, const SearchResult& result);
/// Sets `elsewhere` of the result on top, as describe_earlier() made it. None: no such field.
void push_elsewhere(lua_State* L, const json& elsewhere);
/// Pushes what evaluate returns before there is a result: { outcome = "pending", pending = true, passed = false }.
void push_pending(lua_State* L);
/// Sets `late` of the result on top: the results that have come since, each with its `config`. None: no such field.
void push_late(lua_State* L, const SearchSpace& space,
               const std::vector<std::pair<std::size_t, const SearchResult*>>& late);

}  // namespace harness::script
