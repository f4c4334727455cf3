#include "harness/serve_mcp/era.h"

namespace harness::mcp {
namespace {

constexpr const char* kVersion = "2026-07-28";
constexpr const char* kVersionKey = "io.modelcontextprotocol/protocolVersion";

class StatelessEra : public Era {
 public:
  Answer result(Answer plain, Keeping keeping) const override {
    plain["resultType"] = "complete";
    if (keeping.ttl_ms) {
      plain["ttlMs"] = *keeping.ttl_ms;
      plain["cacheScope"] = "private";
    }
    return plain;
  }
  bool has(const std::string& method) const override { return method != "ping" && method != "initialize"; }
};

}  // namespace

const Era& stateless_era() {
  static const StatelessEra era;
  return era;
}

Answer discover_result(const ServerIdentity& identity) {
  return stateless_era().result(
      {{"supportedVersions", {kVersion}},
       {"capabilities", capabilities()},
       {"instructions", identity.instructions},
       {"_meta", {{"io.modelcontextprotocol/serverInfo", {{"name", identity.name}, {"version", identity.version}}}}}},
      kKeptLong);
}

std::optional<std::string> stated_version(const json& params) {
  const json meta = params.value("_meta", json::object());
  if (!meta.is_object() || !meta.contains(kVersionKey)) return std::nullopt;
  return meta[kVersionKey].is_string() ? meta[kVersionKey].get<std::string>() : json_text(meta[kVersionKey]);
}

std::optional<RpcError> refused_version(const std::string& version) {
  if (version == kVersion) return std::nullopt;
  return RpcError{kUnsupportedVersion,
                  "this version of the protocol is not spoken here",
                  {{"supported", {kVersion}}, {"requested", version}}};
}

}  // namespace harness::mcp
