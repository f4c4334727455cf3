#include <chrono>

#include "harness/store/columns.h"
#include "harness/store/store.h"

// What the gates rest on: trials of kernels, peaks of devices, fingerprints of mistakes.
namespace harness::store {
namespace {

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

template <typename T>
T read_or_empty(const json& j) {
  return j.is_null() ? T{} : j.get<T>();
}

}  // namespace

std::optional<Admission> Store::admission(const std::string& hash, const std::string& device_key) {
  Statement query(connection_,
                  "SELECT kernel, passed, tolerances, mutants, skipped_forms, problems, seconds, spot_checked, "
                  "device_name FROM admission "
                  "WHERE hash = ? AND device_key = ?",
                  hash, device_key);
  if (!query.next()) return std::nullopt;
  Admission found;
  found.hash = hash;
  found.device_key = device_key;
  found.kernel = query.text(0);
  found.passed = query.flag(1);
  try {
    found.tolerances = read_or_empty<std::vector<Tolerance>>(query.parsed(2));
    found.mutants = read_or_empty<std::vector<MutantVerdict>>(query.parsed(3));
    found.skipped_forms = read_or_empty<std::vector<std::string>>(query.parsed(4));
    found.problems = read_or_empty<std::vector<std::string>>(query.parsed(5));
  } catch (const json::exception&) {
    return std::nullopt;  // damaged: tried again
  }
  found.seconds = query.real(6);
  found.spot_checked = query.text(7);
  found.device_name = query.text(8);
  return found;
}

void Store::record_admission(const Admission& admission) {
  Write write(connection_);
  Statement(connection_,
            "INSERT OR REPLACE INTO admission (hash, device_key, device_name, kernel, passed, tolerances, mutants, "
            "skipped_forms, problems, seconds, spot_checked, decided_unix) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            admission.hash, admission.device_key, admission.device_name, admission.kernel, admission.passed,
            json_text(admission.tolerances), json_text(admission.mutants), json_text(admission.skipped_forms),
            json_text(admission.problems), admission.seconds, admission.spot_checked, seconds_since_1970())
      .run();
  write.commit();
}

std::optional<json> Store::admission_part(const std::string& hash, const std::string& device_key,
                                          const std::string& part) {
  Statement query(connection_,
                  "SELECT found FROM admission_part WHERE hash = ? AND device_key = ? AND part = ? AND NOT imported",
                  hash, device_key, part);
  return query.next() ? std::optional(query.parsed(0)) : std::nullopt;
}

void Store::keep_admission_part(const std::string& hash, const std::string& device_key, const std::string& kernel,
                                const std::string& part, const json& found) {
  Write write(connection_);
  Statement(connection_,
            "INSERT OR REPLACE INTO admission_part (hash, device_key, kernel, part, found, imported, evidence) "
            "VALUES (?, ?, ?, ?, ?, 0, 1)",
            hash, device_key, kernel, part, json_text(found))
      .run();
  write.commit();
}

AdmissionParts Store::imported_admission(const std::string& hash, const std::string& device_key) {
  AdmissionParts parts;
  Statement query(connection_,
                  "SELECT part, found FROM admission_part WHERE hash = ? AND device_key = ? AND imported AND evidence",
                  hash, device_key);
  while (query.next()) parts.emplace(query.text(0), query.parsed(1));
  return parts;
}

std::optional<MeasuredPeaks> Store::peaks(const DeviceInfo& device) {
  Statement query(connection_, "SELECT measured FROM device_peak WHERE device_name = ? AND driver = ?", device.name,
                  device.driver);
  if (!query.next()) return std::nullopt;
  const json measured = query.parsed(0);
  if (!measured.is_object()) return std::nullopt;
  return measured.get<MeasuredPeaks>();
}

void Store::record_peaks(const DeviceInfo& device, const MeasuredPeaks& peaks) {
  const json theoretical{
      {"bytes_per_s", device.peak_bytes_per_s}, {"flops", device.peak_flops}, {"exps_per_s", device.peak_exps_per_s}};
  Write write(connection_);
  Statement(connection_, "INSERT OR REPLACE INTO device_peak VALUES (?, ?, ?, ?, ?)", device.name, device.driver,
            json_text(theoretical), json_text(peaks), seconds_since_1970())
      .run();
  write.commit();
}

std::vector<IterationSummary> Store::same_fingerprint(const std::string& kernel, const std::string& variant,
                                                      const std::string& fingerprint, int limit) {
  std::vector<IterationSummary> rows;
  if (fingerprint.empty()) return rows;
  Statement query(connection_,
                  "SELECT max(i.id), c.variant, i.workload FROM iteration i JOIN candidate c ON c.id = i.candidate "
                  "JOIN campaign p ON p.id = i.campaign AND p.evidence = 1 WHERE i.kernel = ? AND i.fingerprint = ? "
                  "AND c.variant <> ? "
                  "GROUP BY c.variant ORDER BY max(i.id) DESC LIMIT ?",
                  kernel, fingerprint, variant, limit);
  while (query.next()) {
    IterationSummary found;
    found.iteration = query.integer(0);
    found.candidate.kernel = kernel;
    found.candidate.variant = query.text(1);
    found.workload = query.text(2);
    found.fingerprint = fingerprint;
    rows.push_back(std::move(found));
  }
  return rows;
}

}  // namespace harness::store
