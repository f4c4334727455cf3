#include <chrono>

#include "harness/store/columns.h"
#include "harness/store/store.h"

// What the cards of a fleet were found to be.
namespace harness::store {
namespace {

double seconds_of_check() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

void Store::record_card_check(std::int64_t campaign, const CardCheck& check) {
  const CardCalibration& found = check.calibration;
  Write write(connection_);
  Statement(connection_,
            "INSERT INTO card_check (campaign, node, device_uuid, device_name, driver_release, occasion, verdict, "
            "method, bytes_per_s, operations_per_s, drift, why, state, seconds, checked_unix) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            campaign, check.node, check.device_uuid, check.device_name, check.driver_release, check.occasion,
            name(check.verdict), found.method, found.bytes_per_s, found.operations_per_s, check.drift, check.why,
            json_text(found.state), check.seconds, seconds_of_check())
      .run();
  write.commit();
}

std::optional<CardCalibration> Store::first_calibration(const std::string& device_uuid,
                                                        const std::string& driver_release, const std::string& method) {
  Statement query(connection_,
                  "SELECT bytes_per_s, operations_per_s FROM card_check WHERE device_uuid = ? AND driver_release = ? "
                  "AND method = ? AND verdict = 'first' ORDER BY id LIMIT 1",
                  device_uuid, driver_release, method);
  if (!query.next()) return std::nullopt;
  return CardCalibration{query.real(0), query.real(1), method, {}};
}

}  // namespace harness::store
