#include "harness/serve_mcp/message.h"

namespace harness::mcp {
namespace {

bool is_id(const json& id) {
  return id.is_string() || id.is_number();
}

BadMessage bad(const json& message, int code, const std::string& why) {
  const json id = message.is_object() && message.contains("id") && is_id(message["id"]) ? message["id"] : json();
  return {id, {code, why, nullptr}};
}

}  // namespace

std::variant<std::monostate, RpcMessage, BadMessage> read_message(const std::string& line) {
  const json message = parse_json_if_valid(line);
  if (message.is_discarded()) return bad(json(), kParseError, "this line is no JSON; send one message a line");
  if (!message.is_object())
    return bad(message, kInvalidRequest, "a message is one object; batches are not part of this protocol");
  if (message.value("jsonrpc", json()) != "2.0") return bad(message, kInvalidRequest, "'jsonrpc' must be \"2.0\"");
  if (!message.contains("method")) {
    if (message.contains("result") || message.contains("error")) return std::monostate{};
    return bad(message, kInvalidRequest, "there is no 'method'");
  }
  if (!message["method"].is_string()) return bad(message, kInvalidRequest, "'method' must be a string");
  if (message.contains("id") && !is_id(message["id"]))
    return bad(message, kInvalidRequest, "'id' must be a string or a number");
  RpcMessage read{message.value("id", json()), message["method"], message.value("params", json::object())};
  if (!read.params.is_object()) return bad(message, kInvalidParams, "'params' must be an object");
  return read;
}

std::string result_line(const json& id, const Answer& result) {
  return text_of({{"jsonrpc", "2.0"}, {"id", id}, {"result", result}});
}

std::string error_line(const json& id, const RpcError& error) {
  json object = {{"code", error.code}, {"message", error.message}};
  if (!error.data.is_null()) object["data"] = error.data;
  return json_text({{"jsonrpc", "2.0"}, {"id", id}, {"error", object}});
}

std::string notification_line(const std::string& method, const json& params) {
  return json_text({{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
}

}  // namespace harness::mcp
