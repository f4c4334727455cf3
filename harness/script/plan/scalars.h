#pragma once
#include "harness/core/plan.h"
#include "harness/script/contract/manifest_reader.h"

namespace harness::script {

/// i32, i64, u32, f32 or f64.
bool is_scalar_constructor(const std::string& kind);
/// i32(n) ... f64(x) among a launch's arguments: whole numbers that fit their type, conditions as 0 or 1.
ScalarArgument read_scalar_argument(const Reader& launch, const Node& node);
/// A table of plain values as JSON: options of a library call.
json plain_json(const Reader& where, const Node& node);

}  // namespace harness::script
