#pragma once
#include <string>
#include <vector>

#include "harness/serve_mcp/era.h"
#include "harness/serve_mcp/toolbox.h"

namespace harness::mcp {

/// Serves one client: reads messages from a descriptor, a line each, and writes answers to another, until the input
/// ends. Jobs that it started go on. One thread; a call that waits for a job does not hold up the others.
class Server {
 public:
  Server(ServerIdentity identity, Toolbox& toolbox, int input, int output);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  void serve();

 private:
  struct Pending;  // a call that waits for a job

  void take(const std::string& line);
  void handle(const RpcMessage& message);
  void answer(const RpcMessage& message, const Era& era);
  void call_tool(const RpcMessage& message, const Era& era);
  void read_resource(const RpcMessage& message, const Era& era);
  void get_prompt(const RpcMessage& message, const Era& era);
  void notify(const RpcMessage& message);
  void look_at_pending();
  void finish(const Pending& pending, Answer found);
  void write(const std::string& line);
  static Answer tool_result(const Answer& answer);

  ServerIdentity identity_;
  Toolbox& toolbox_;
  int input_, output_;
  std::vector<Pending> pending_;
  bool open_ = true;
};

}  // namespace harness::mcp
