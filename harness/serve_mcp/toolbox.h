#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/serve_mcp/answer.h"
#include "harness/serve_mcp/message.h"

namespace harness::mcp {

/// A tool as clients list it.
struct Tool {
  std::string name, title, description;
  json input = json::object();  // JSON Schema of its arguments
  bool read_only = true, destructive = false, idempotent = true;
};

/// What a call came to: an answer, or a job to wait for.
struct ToolStep {
  Answer answer;
  std::int64_t job = 0;  // 0: `answer` is all
  double wait_s = 0;     // for the job; then its state is the answer
  bool began = false;    // this call started the job: cancelling the call cancels it
};

struct JobLook {
  Answer answer;  // what it found, or its state
  bool ended = false;
  std::string doing;  // for progress: "running for 3 s"
};

struct Resource {
  std::string uri, name, description, mime = "text/plain";
};
struct Prompt {
  std::string name, description;
  struct Argument {
    std::string name, description;
    bool required = false;
  };
  std::vector<Argument> arguments;
};

/// What a server offers. Lists need nothing but the program; the rest opens what it needs when it is first called.
/// All calls but the lists throw Error for what is wrong with the input or the environment.
class Toolbox {
 public:
  virtual ~Toolbox() = default;
  virtual const std::vector<Tool>& tools() const = 0;  // always in this order
  virtual ToolStep call(const std::string& tool, const json& arguments) = 0;
  virtual JobLook look(std::int64_t job) = 0;
  virtual void cancel(std::int64_t job) = 0;

  virtual std::vector<Resource> resources() = 0;
  virtual std::vector<Resource> resource_templates() const = 0;
  /// Nothing: no resource has this address.
  virtual std::optional<std::string> read_resource(const std::string& uri) = 0;

  virtual const std::vector<Prompt>& prompts() const = 0;
  /// Nothing: there is no such prompt.
  virtual std::optional<std::string> prompt_text(const std::string& prompt, const json& arguments) = 0;
};

}  // namespace harness::mcp
