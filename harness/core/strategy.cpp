#include "harness/core/strategy.h"

#include "harness/core/json_fields.h"

namespace harness {

HARNESS_JSON(ArmId, kernel, workload, technique)
HARNESS_JSON(LaunchShape, kernels, ctas, threads_per_cta, shared_bytes)
HARNESS_JSON(GainRecord, evaluation, speedup, speedup_lo, speedup_hi, credible, spent_s)
HARNESS_JSON(GainElsewhere, workload, distance, best_speedup, passed)
HARNESS_JSON(WrongAnswerCount, fingerprint, count)
HARNESS_JSON(ArmState, id, variants, prior, risk, multi_kernel, baseline, weight, space_points, evaluations, outcomes,
             since_improvement, spent_s, predicted_s, build_s, gates_s, timing_s, spent_usd, predicted_usd, agent_s,
             agent_usd, records, timed, gains, log_gain_mean, log_gain_sd, log_evaluation_mean, log_evaluation_sd,
             best_ns, best_speedup, rival_ns, launch, counters, diagnosis, last_fingerprint, same_fingerprint,
             same_code, fingerprints, sittings, exhausted, closed, earlier_campaigns, earlier_evaluations,
             earlier_passed, earlier_spent_s, earlier_best_speedup, elsewhere, predicted_ns, predicted_points, proposal,
             running, busy)
HARNESS_JSON(PendingState, arm, variant, purpose, node, config)
HARNESS_JSON(TechniqueState, kernel, technique, workloads, campaigns, evaluations, passed, spent_s, predicted_s,
             spent_usd, agent_s, agent_usd, earlier_evaluations, earlier_passed, earlier_spent_s, best_speedup)
HARNESS_JSON(WorkloadState, kernel, workload, sizes, bytes, registers, spill_bytes, shared_bytes, weight, baseline_ns,
             best_ns, speedup, floor_ns, of_floor, limit_ns, of_limit, floor_binds, speedup_lo, speedup_hi,
             best_variant, best_technique, confirmed, launch, counters, diagnosis, earlier_best_ns,
             earlier_best_technique, earlier_baseline_ns, rival_ns, rival_variant, rival_s)
HARNESS_JSON(Sitting, arm, evaluations, passed, spent_s, predicted_s, best_speedup_before, improvements)
HARNESS_JSON(Moment, unix, hour, minute, weekday, zone, utc_offset_s)
HARNESS_JSON(Calibration, speedup_n, speedup_held, speedup_below, speedup_above, minutes_n, minutes_held, speedup_widen,
             minutes_widen, minutes_scale, passed_n, passed_predicted, passed_seen)
HARNESS_JSON(ProposerState, name, spec, asked, accepted, passed, improved, since_improvement, failed_in_a_row,
             in_flight, under_way, most_under_way, ready, latency_s, usd, next_usd, log_gain, usd_each, likely_usd,
             earlier_asked, earlier_improved, earlier_log_gain)
HARNESS_JSON(Snapshot, campaign, device, device_name, architecture, multiprocessors, emulation, seed, now_unix, now,
             objective, budget_s, spent_s, max_cost_usd, spent_usd, usd_per_hour, reserve_s, evaluation_s, build_s,
             gates_s, timing_s, idle_s, since_evaluation_s, since_passed_s, wait_s, goal_speedup, goal_of_floor,
             iterations, score, arms, techniques, workloads, current, sitting, recent_outcomes, calibration, playbook,
             proposer, proposers, devices, pending, memory)
HARNESS_JSON_DEFAULTS(Prediction, speedup_lo, speedup_hi, evaluations, probability, minutes_lo, minutes_hi)

}  // namespace harness
