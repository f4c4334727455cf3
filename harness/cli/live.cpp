#include "harness/cli/live.h"

#include <chrono>

#include "harness/report/live_view.h"
#include "harness/report/out.h"

namespace harness {

int print_live(bool as_json, Shell& shell) {
  const std::vector<LiveRow> rows = open_to_read(shell)->live().all();
  const double now_unix = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  if (as_json) report::out_json(report::live_rows_json(rows, now_unix));
  else if (rows.empty()) report::out("no campaign is under way in this store\n");
  else report::out("{}", report::live_rows_text(rows, now_unix));
  return 0;
}

}  // namespace harness
