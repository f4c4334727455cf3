#include "harness/worker/processes/serve.h"

#include <cstdio>

#include "harness/worker/processes/builders.h"
#include "harness/worker/processes/judge.h"
#include "harness/worker/memory/memory_check_cuda.h"
#include "harness/worker/processes/runner.h"

namespace harness {

int serve_worker(const std::string& kind, const std::vector<std::string>& arguments) {
  if (kind == "builder") return serve_builder();
  if (kind == "runner") return serve_runner();
  if (kind == "judge") return serve_judge();
  if (kind == "sanitized" && arguments.size() == 2) return serve_sanitized(arguments[0], arguments[1]);
  std::fprintf(stderr, "harness: no worker '%s'\n", kind.c_str());
  return 2;
}

}  // namespace harness
