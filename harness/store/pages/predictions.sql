-- Predicted speedups beside those that were seen
SELECT decision, iteration, workload, technique, predict_speedup_lo, predict_speedup_hi, speedup, speedup_held
FROM v_predictions WHERE campaign = :campaign AND speedup_held IS NOT NULL ORDER BY decision
