#include <algorithm>
#include <array>

#include "harness/serve_mcp/era.h"

namespace harness::mcp {
namespace {

constexpr std::array kVersions = {"2025-11-25", "2025-06-18"};  // the newest first

class HandshakeEra : public Era {
 public:
  Answer result(Answer plain, Keeping) const override { return plain; }
  bool has(const std::string& method) const override { return method != "server/discover"; }
};

}  // namespace

const Era& handshake_era() {
  static const HandshakeEra era;
  return era;
}

json capabilities() {
  return {{"tools", json::object()}, {"resources", json::object()}, {"prompts", json::object()}};
}

Answer initialize_result(const json& params, const ServerIdentity& identity) {
  const json asked = params.value("protocolVersion", json());
  const bool known = std::find(kVersions.begin(), kVersions.end(), asked) != kVersions.end();
  return {{"protocolVersion", known ? asked : json(kVersions.front())},
          {"capabilities", capabilities()},
          {"serverInfo", {{"name", identity.name}, {"version", identity.version}}},
          {"instructions", identity.instructions}};
}

}  // namespace harness::mcp
