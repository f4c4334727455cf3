-- Were 90 % ranges right 90 % of the time?
SELECT speedups, speedup_share_held, minutes, minutes_share_held, probabilities, passed_predicted, passed_seen
FROM v_calibration WHERE campaign = :campaign
