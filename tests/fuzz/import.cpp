#include <sstream>

#include "harness/core/error.h"
#include "harness/store/history.h"
#include "harness/store/store.h"
#include "harness/store/transfer.h"
#include "tests/fuzz/entries.h"

namespace harness::fuzz {

void import(const std::uint8_t* data, std::size_t bytes) {
  static std::unique_ptr<store::Store> store;
  static int taken = 0;
  if (!store || taken > 200) store = store::Store::in_memory(), taken = 0;
  std::istringstream in(std::string(reinterpret_cast<const char*>(data), bytes));
  try {
    const ImportReport report = store::import_store(*store, in, "fuzz", {.as_evidence = true});
    taken += static_cast<int>(report.campaigns);
    if (report.campaigns == 0) return;
    store::history(*store, {});
    store::best(*store);
    std::ostringstream out;
    store::export_store(*store, out);
  } catch (const Error&) {
  }
}

}  // namespace harness::fuzz
