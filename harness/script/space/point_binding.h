#pragma once
#include <cstddef>
#include <lua.hpp>

#include "harness/script/space/search_space.h"

// A point of a search's space as the table that scripts see.
namespace harness::script {

/// Pushes a configuration as a table: a value for each parameter, and `variant`. Protected mode only.
void push_point(lua_State* L, const SearchSpace& space, std::size_t point);
/// The point of the configuration at `index`. False: `refusal` says why. Raises nothing, throws nothing.
bool read_point(lua_State* L, int index, const SearchSpace& space, std::size_t& point, char* refusal,
                std::size_t size) noexcept;

}  // namespace harness::script
