#include "harness/predict/compiled_requests.h"

#include <algorithm>
#include <cmath>

namespace harness {
namespace {

/// Loads or stores: where to find what is said of them.
struct Direction {
  Count requests, sectors, width;
  CompiledAccess CompiledLine::*code;
  CompiledShare CompiledShares::*share;
};
constexpr Direction kDirections[] = {
    {Count::load_requests, Count::load_sectors, Count::load_width, &CompiledLine::loads, &CompiledShares::loads},
    {Count::store_requests, Count::store_sectors, Count::store_width, &CompiledLine::stores, &CompiledShares::stores}};

/// How many instructions an access became: 4 for 16 bytes that travel in words, 0.5 for two that travel together.
double parts(const Counts& counts, const Direction& which, const CompiledAccess& access) {
  const std::int64_t requests = counts[which.requests], width = counts[which.width];
  if (access.bytes == 0 || width % requests != 0) return 1;  // of several widths: which is which is not known
  return static_cast<double>(width / requests) / access.bytes;
}

/// A line whose requests no instruction makes.
bool vanished(const Counts& counts, const Direction& which, const CompiledLine* code) {
  return counts[which.requests] > 0 && (code == nullptr || (code->*which.code).instructions == 0);
}

/// Of one direction, over the whole kernel.
struct Overview {
  bool some_vanished = false;
  bool all_known = true;  // each instruction is of a line that makes such requests
};

const CompiledLine* find(const CompiledLines& code, const std::pair<std::string, int>& line) {
  const auto entry = code.find(line);
  return entry == code.end() ? nullptr : &entry->second;
}

Overview overview(const CountsByLine& counts, const CompiledLines& code, const Direction& which) {
  Overview of;
  for (const auto& [line, counted] : counts) of.some_vanished |= vanished(counted, which, find(code, line));
  for (const auto& [line, compiled] : code) {
    if ((compiled.*which.code).instructions == 0) continue;
    const auto counted = counts.find(line);
    of.all_known &= counted != counts.end() && counted->second[which.requests] > 0;
  }
  return of;
}

CompiledShare share(const Counts& counts, const Direction& which, const CompiledLine* code, const Overview& kernel,
                    double warps) {
  if (counts[which.requests] == 0) return {};
  if (vanished(counts, which, code)) return kernel.all_known ? CompiledShare{0, 0} : CompiledShare{};
  const CompiledAccess& access = code->*which.code;
  double wider = parts(counts, which, access);
  if (wider < 1 && kernel.some_vanished) wider = 1;  // it travels with what another line asks for
  const double counted = static_cast<double>(counts[which.requests]);
  const double most = access.in_loop ? HUGE_VAL : access.instructions * warps;
  const double requests = std::min(counted * wider, most);
  return {requests / counted, requests / (counted * wider)};
}

std::int64_t times(std::int64_t count, double factor) {
  return std::llround(static_cast<double>(count) * factor);
}

}  // namespace

std::map<std::pair<std::string, int>, CompiledShares> compiled_shares(const CountsByLine& counts,
                                                                      const CompiledLines& code, double warps) {
  std::map<std::pair<std::string, int>, CompiledShares> shares;
  for (const Direction& which : kDirections) {
    const Overview kernel = overview(counts, code, which);
    for (const auto& [line, counted] : counts)
      shares[line].*which.share = share(counted, which, find(code, line), kernel, warps);
  }
  return shares;
}

Counts as_compiled(const Counts& counts, const CompiledShares& shares) {
  Counts compiled = counts;
  double bytes = 0, of_bytes = 0;
  for (const Direction& which : kDirections) {
    const CompiledShare& share = shares.*which.share;
    compiled[which.requests] = times(counts[which.requests], share.requests);
    compiled[which.sectors] = times(counts[which.sectors], share.requests);
    compiled[which.width] = times(counts[which.width], share.bytes);
    compiled[Count::memory_requests] += compiled[which.requests] - counts[which.requests];
    bytes += static_cast<double>(compiled[which.width]);
    of_bytes += static_cast<double>(counts[which.width]);
  }
  // What is asked for again is in the L1: only what comes to it first is missed.
  compiled[Count::load_missed] = std::min(counts[Count::load_missed], compiled[Count::load_sectors]);
  if (of_bytes > 0)
    for (const Count which : {Count::bytes, Count::least_sectors})
      compiled[which] = times(counts[which], bytes / of_bytes);
  if (counts[Count::memory_requests] > 0)
    compiled[Count::memory_lanes] =
        times(counts[Count::memory_lanes], static_cast<double>(compiled[Count::memory_requests]) /
                                               static_cast<double>(counts[Count::memory_requests]));
  compiled[Count::uneven_requests] = std::min(counts[Count::uneven_requests], compiled[Count::memory_requests]);
  return compiled;
}

}  // namespace harness
