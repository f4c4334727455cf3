#pragma once
#include <lua.hpp>
#include <memory>
#include <vector>

#include "harness/script/model/surrogate.h"
#include "harness/script/sandbox/sandbox.h"

namespace harness::script {

/// The models that a search made; they live as long as it does.
using Surrogates = std::vector<std::unique_ptr<Surrogate>>;

inline constexpr std::size_t kMostModels = 16;

/// space:model(options) of the API (strategies/api.lua): the options at `options` (may be nil), a new Surrogate in
/// `models`, its methods as a table. Raises for unknown options. Protected mode only.
int push_model(lua_State* L, int options, const SearchSpace& space, Sandbox& sandbox, Surrogates& models);

}  // namespace harness::script
