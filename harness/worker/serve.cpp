#include "harness/worker/serve.h"

#include <cstdio>

#include "harness/worker/memory/watched_check.h"
#include "harness/worker/processes/builders.h"
#include "harness/worker/processes/judge_process.h"
#include "harness/worker/processes/runner.h"
#include "harness/worker/profile/device_profile.h"

namespace harness {

int serve_worker(const DeviceKinds& kinds, const std::string& kind, const std::vector<std::string>& arguments) {
  if (kind == "builder") return serve_builder(kinds);
  if (kind == "runner") return serve_runner(kinds);
  if (kind == "judge") return serve_judge(kinds);
  if (kind == "watched" && arguments.size() == 2) return serve_watched(kinds, arguments[0], arguments[1]);
  if (kind == "profiled" && arguments.size() == 2) return serve_profiled(kinds, arguments[0], arguments[1]);
  std::fprintf(stderr, "harness: no worker '%s'\n", kind.c_str());
  return 2;
}

}  // namespace harness
