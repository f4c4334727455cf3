#pragma once
#include <optional>
#include <string>
#include <variant>

#include "harness/serve_mcp/answer.h"

// JSON-RPC 2.0 (jsonrpc.org/specification), as MCP uses it over standard input and output: one message a line.
namespace harness::mcp {

// Codes of JSON-RPC, and of MCP 2026-07-28.
inline constexpr int kParseError = -32700, kInvalidRequest = -32600, kMethodNotFound = -32601, kInvalidParams = -32602,
                     kInternalError = -32603, kUnsupportedVersion = -32022;

struct RpcError {
  int code = kInternalError;
  std::string message;
  json data = nullptr;
};

/// A request, or a notification where it has no id.
struct RpcMessage {
  json id = nullptr;  // a string or a number; null: a notification
  std::string method;
  json params = json::object();
  bool notification() const { return id.is_null(); }
};

/// What cannot be read, with the id if that could be.
struct BadMessage {
  json id = nullptr;
  RpcError error;
};
/// Nothing for a response: this server asks nothing.
std::variant<std::monostate, RpcMessage, BadMessage> read_message(const std::string& line);

std::string result_line(const json& id, const Answer& result);
std::string error_line(const json& id, const RpcError& error);
std::string notification_line(const std::string& method, const json& params);

}  // namespace harness::mcp
