#pragma once
#include <string>

// The fields of an iteration (core/iteration_fields.h) as parts of the schema.
namespace harness::store {

/// `text` (schema.sql) with the lines of fields in the place of its marks: "--{fields}" in CREATE TABLE iteration,
/// "--{fields for people}" in v_iterations, "--{fields for agents}" in agent_iterations.
std::string with_iteration_fields(std::string text);

}  // namespace harness::store
