#include "harness/campaign/moment.h"

namespace harness {

Moment moment_at(std::int64_t unix_seconds, const std::string& zone, int utc_offset_s) {
  constexpr std::int64_t kDay = 86400;
  const std::int64_t local = unix_seconds + utc_offset_s;
  std::int64_t day = local / kDay, second = local % kDay;
  if (second < 0) {
    --day;
    second += kDay;
  }
  const std::int64_t since_monday = ((day + 3) % 7 + 7) % 7;  // 1970-01-01 was a Thursday
  Moment moment;
  moment.unix = unix_seconds;
  moment.hour = static_cast<int>(second / 3600);
  moment.minute = static_cast<int>(second % 3600 / 60);
  moment.weekday = static_cast<int>(since_monday) + 1;
  moment.zone = zone;
  moment.utc_offset_s = utc_offset_s;
  return moment;
}

}  // namespace harness
