#include "harness/core/profile.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/json_fields.h"

namespace harness {

HARNESS_ENUM_TABLE(ProfileSource, "source of a profile",
                   {{ProfileSource::counted, "counted"},
                    {ProfileSource::cupti, "cupti"},
                    {ProfileSource::ncu, "ncu"},
                    {ProfileSource::binary, "binary"}})

// Counters: https://docs.nvidia.com/nsight-compute/ProfilingGuide/index.html#metrics-structure
const std::vector<ProfileMetric>& profile_metrics() {
  static const std::vector<ProfileMetric> metrics = {
      {"time_ns", "ns", "gpu__time_duration.sum", "time on the device", true},
      {"predicted_ns", "ns", "", "time that the model of the named GPU expects; never measured", true},
      {"predicted_lo_ns", "ns", "", "the least that it expects", true},
      {"predicted_hi_ns", "ns", "", "the most that it expects", true},
      {"predicted_memory_ns", "ns", "", "of the prediction: device memory, if nothing else took time", true},
      {"predicted_l2_ns", "ns", "", "of the prediction: between the L1s and the L2", true},
      {"predicted_l1_ns", "ns", "", "of the prediction: the L1s and shared memory", true},
      {"predicted_issue_ns", "ns", "", "of the prediction: issuing instructions", true},
      {"predicted_arithmetic_ns", "ns", "", "of the prediction: tensor cores, multiply-adds, exponentials", true},
      {"predicted_latency_ns", "ns", "", "of the prediction: what each warp waits for, one after another", true},
      {"predicted_atomics_ns", "ns", "", "of the prediction: atomic operations on one address", true},
      {"predicted_cluster_ns", "ns", "", "of the prediction: shared memory of other blocks of the cluster", true},
      {"predicted_launch_ns", "ns", "", "of the prediction: beginning the launches", true},
      {"blocks", "", "", "blocks of the launch", true},
      {"block_threads", "", "", "threads a block", false},
      {"waves", "", "", "blocks over what runs at once on the device", false},
      {"tail_share", "share", "", "of the multiprocessors idle in the last wave", false},
      {"registers", "", "", "registers a thread", false},
      {"shared_bytes", "bytes", "", "shared memory a block", false},
      {"spill_bytes", "bytes", "", "of registers kept in local memory, a thread", false},
      {"occupancy_share", "share", "",
       "of the warps that a multiprocessor holds, by registers, shared memory and threads", false},
      {"instructions", "", "smsp__inst_executed.sum", "instructions issued, by warps", true},
      {"instructions_memory", "", "", "of these, of global and local memory", true},
      {"instructions_shared", "", "", "of shared memory", true},
      {"instructions_tensor", "", "", "of tensor cores", true},
      {"instructions_floating", "", "", "of floating-point units", true},
      {"instructions_special", "", "", "exponentials, reciprocals and conversions", true},
      {"instructions_integer", "", "", "integers, logic and moves", true},
      {"instructions_exchange", "", "", "shuffles and votes", true},
      {"instructions_control", "", "", "branches, barriers and waits", true},
      {"active_lanes", "", "smsp__thread_inst_executed_per_inst_executed.ratio",
       "lanes that take part in an instruction", false},
      {"dram_bytes", "bytes", "dram__bytes.sum", "read from and written to device memory", true},
      {"dram_share", "share", "dram__throughput.avg.pct_of_peak_sustained_elapsed", "of the device memory's peak rate",
       false},
      {"least_bytes", "bytes", "", "that the workload must move: its floor", true},
      {"global_bytes", "bytes", "", "that loads and stores ask for, what lanes share counted once", true},
      {"l2_sectors", "sectors", "lts__t_sectors.sum", "of 32 bytes that the L2 was asked for", true},
      {"l2_hit_share", "share", "lts__t_sector_hit_rate.pct", "of them that were there", false},
      {"global_load_requests", "", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
       "loads of global memory, by warps", true},
      {"global_load_sectors", "sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
       "of 32 bytes that they touch", true},
      {"global_store_requests", "", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
       "stores to global memory, by warps", true},
      {"global_store_sectors", "sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
       "of 32 bytes that they touch", true},
      {"least_sectors", "sectors", "", "that would hold what the same loads and stores ask for", true},
      {"l1_hit_share", "share", "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct",
       "of the loads' sectors that were in the L1", false},
      {"bulk_sectors", "sectors", "", "of 32 bytes that bulk and tensor copies move", true},
      {"remote_requests", "", "", "accesses of shared memory of other blocks of the cluster, by warps", true},
      {"remote_sectors", "sectors", "", "of 32 bytes that they touch", true},
      {"shared_requests", "", "", "loads and stores of shared memory, by warps", true},
      {"shared_wavefronts", "", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "passes that they take", true},
      {"shared_conflicts", "", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
       "passes beyond the least, for bank conflicts", true},
      {"constant_words", "", "",
       "different words of 4 bytes that reads of `__constant__` memory ask for, by warps: a pass each", true},
      {"atomics", "", "", "atomic operations on global memory, by lanes", true},
      {"atomic_contention", "", "", "lanes of a warp on the address that most of them want, on average", false},
      {"barriers", "", "", "barriers that warps met", true},
      {"barrier_wait_share", "share", "",
       "of the busiest warp's work between two barriers, that the mean warp has not: it waits", false},
      {"tensor_instructions", "", "", "tensor-core instructions, by warps", true},
      {"tensor_share", "share", "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
       "of the cycles in which the tensor cores work", false},
      {"exponentials", "", "", "calls of the exponential unit, by lanes", true},
      {"issue_share", "share", "smsp__issue_active.avg.pct_of_peak_sustained_active",
       "of the cycles that issue something", false},
      {"warps_share", "share", "sm__warps_active.avg.pct_of_peak_sustained_active",
       "of the warps that a multiprocessor holds, as they ran", false},
      {"stall_long_scoreboard", "", "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
       "warps that wait for global memory, for each instruction issued", false},
      {"stall_short_scoreboard", "", "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio",
       "warps that wait for shared memory", false},
      {"stall_barrier", "", "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio",
       "warps that wait at a barrier", false},
      {"stall_math", "", "smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio",
       "warps that wait for an arithmetic unit", false},
      {"stall_wait", "", "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio",
       "warps that wait for the instruction before", false},
      {"timed_ns", "ns", "", "time of a call as it was timed, where nothing counted", false},
      {"floor_ns", "ns", "", "that the device's limits allow", false},
      {"launches", "", "", "of the plan", true},
      {"launch_ns", "ns", "", "that the device takes for an empty launch", false},
      {"multiprocessors", "", "", "of the device", false},
  };
  return metrics;
}

const ProfileMetric* find_profile_metric(std::string_view name) {
  const auto& metrics = profile_metrics();
  const auto found = std::ranges::find(metrics, name, &ProfileMetric::name);
  return found == metrics.end() ? nullptr : &*found;
}

std::string in_words(const std::vector<ProfileNumber>& numbers) {
  std::string words;
  for (const ProfileNumber& number : numbers)
    words += fmt::format("{}{} {:.4g}", words.empty() ? "" : ", ", number.name, number.value);
  return words;
}

std::optional<double> Profile::number(std::string_view name) const {
  const auto found = std::ranges::find(numbers, name, &ProfileNumber::name);
  return found == numbers.end() ? std::nullopt : std::optional(found->value);
}

static void to_json(json& to, const ProfileNumber& number) {
  to = json::array({number.name, number.value});
}
static void from_json(const json& from, ProfileNumber& number) {
  from.at(0).get_to(number.name);
  from.at(1).get_to(number.value);
}
HARNESS_JSON(ProfiledLine, file, line, numbers, notes)
HARNESS_JSON(LaunchProfile, entry, blocks, sampled_blocks, numbers, lines)
HARNESS_JSON(Diagnosis, rule, text, page)

void to_json(json& to, const Profile& profile) {
  to = {{"source", profile.source},   {"why", profile.why},           {"device", profile.device},
        {"numbers", profile.numbers}, {"launches", profile.launches}, {"wall_s", profile.wall_s}};
  if (!profile.lines_from.empty()) to["lines_from"] = profile.lines_from;
  to["diagnosis"] = profile.diagnosis ? json(*profile.diagnosis) : json();
}

void from_json(const json& from, Profile& profile) {
  from.at("source").get_to(profile.source);
  from.at("why").get_to(profile.why);
  from.at("device").get_to(profile.device);
  from.at("numbers").get_to(profile.numbers);
  from.at("launches").get_to(profile.launches);
  from.at("wall_s").get_to(profile.wall_s);
  profile.lines_from = from.value("lines_from", "");
  profile.diagnosis.reset();
  if (!from.at("diagnosis").is_null()) profile.diagnosis = from.at("diagnosis").get<Diagnosis>();
}

}  // namespace harness
