#pragma once
#include <optional>
#include <string>

#include "harness/core/value.h"
#include "harness/serve_mcp/toolbox.h"

namespace harness::mcp {

/// The arguments of one call, held against the tool's schema: unknown names, missing ones and wrong types are
/// Error(bad_input) that says what the tool takes.
class Arguments {
 public:
  Arguments(const Tool& tool, const json& given);

  bool has(const char* name) const { return given_.contains(name) && !given_[name].is_null(); }
  std::string text(const char* name) const { return has(name) ? given_[name].get<std::string>() : ""; }
  std::optional<std::string> maybe_text(const char* name) const;
  std::optional<double> maybe_number(const char* name) const;
  std::int64_t whole(const char* name, std::int64_t otherwise) const;
  /// The integer, held within these.
  std::int64_t within(const char* name, std::int64_t otherwise, std::int64_t least, std::int64_t most) const;
  Config config(const char* name) const;  // an object of plain values
  const json& value(const char* name) const { return given_.at(name); }
  const json& all() const { return given_; }

 private:
  json given_;
};

}  // namespace harness::mcp
