#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/serve_mcp/answer.h"
#include "harness/serve_mcp/message.h"

// The two eras of the Model Context Protocol. Until 2025-11-25 a client begins with `initialize`. From 2026-07-28 on
// there is no such beginning: every request says its version in `_meta`.
namespace harness::mcp {

/// How long a client may keep a result, and for whom: only the newer era says so.
struct Keeping {
  std::optional<int> ttl_ms;  // nothing: this kind of result says nothing about it
};
inline constexpr Keeping kNotKept{}, kKeptLong{3'600'000}, kKeptBriefly{1000};

/// One era's way of answering.
class Era {
 public:
  virtual ~Era() = default;
  /// A result as this era wants it.
  virtual Answer result(Answer plain, Keeping keeping) const = 0;
  /// Whether this era has a method that the server knows ("ping" is of the older one).
  virtual bool has(const std::string& method) const = 0;
};

const Era& handshake_era();  // era_handshake.cpp: 2025-06-18, 2025-11-25
const Era& stateless_era();  // era_stateless.cpp: 2026-07-28

/// What this program tells of itself.
struct ServerIdentity {
  std::string name, version, instructions;
};

/// The answer to `initialize`: the version asked for, or the newest of its era.
Answer initialize_result(const json& params, const ServerIdentity& identity);
/// The answer to `server/discover`.
Answer discover_result(const ServerIdentity& identity);
/// The version that a request says in its `_meta`; nothing: it is of the older era.
std::optional<std::string> stated_version(const json& params);
/// Set where that version is not spoken here.
std::optional<RpcError> refused_version(const std::string& version);
json capabilities();

}  // namespace harness::mcp
