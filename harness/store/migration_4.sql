-- From version 3 to 4: minutes and probability of a prediction, what a rule measured, the patterns that a decision rests on,
-- and how predictions held.
ALTER TABLE decision ADD COLUMN predict_probability REAL;
ALTER TABLE decision ADD COLUMN predict_minutes_lo REAL;
ALTER TABLE decision ADD COLUMN predict_minutes_hi REAL;
ALTER TABLE decision ADD COLUMN rule_numbers TEXT;
ALTER TABLE decision ADD COLUMN patterns TEXT NOT NULL DEFAULT '[]';

DROP VIEW v_decisions;
CREATE VIEW v_decisions AS
  SELECT d.id AS decision, d.campaign, d.action, d.kernel, d.workload, d.technique, d.from_kernel IS NOT NULL AS pivot,
         d.from_kernel, d.from_workload, d.from_technique, d.rule, d.reason, d.why, d.predict_speedup_lo, d.predict_speedup_hi,
         d.predict_evaluations,
         (SELECT count(*) FROM attempt a JOIN iteration i ON i.attempt = a.id WHERE a.decision = d.id) AS iterations,
         (SELECT max(i.speedup) FROM attempt a JOIN iteration i ON i.attempt = a.id WHERE a.decision = d.id) AS best_speedup,
         d.script, d.script_hash, d.decide_s, strftime('%Y-%m-%d %H:%M:%S', d.now_unix, 'unixepoch') AS decided,
         d.predict_probability, d.predict_minutes_lo, d.predict_minutes_hi, d.rule_numbers, d.patterns
  FROM decision d;

-- Each prediction beside what was seen. held: the 90 % range was right; NULL: it was not put to the test.
CREATE VIEW v_predictions AS
  SELECT d.id AS decision, d.campaign, d.script, p.device_name, i.id AS iteration, d.kernel, d.workload, d.technique, i.outcome,
         d.predict_speedup_lo, d.predict_speedup_hi, i.speedup,
         CASE WHEN i.speedup IS NOT NULL AND d.predict_speedup_lo < d.predict_speedup_hi
              THEN i.speedup BETWEEN d.predict_speedup_lo AND d.predict_speedup_hi END AS speedup_held,
         d.predict_minutes_lo, d.predict_minutes_hi, i.wall_s / 60 AS minutes,
         CASE WHEN d.predict_minutes_lo IS NOT NULL AND i.wall_s > 0 AND i.outcome <> 'interrupted'
              THEN i.wall_s / 60 BETWEEN d.predict_minutes_lo AND d.predict_minutes_hi END AS minutes_held,
         d.predict_probability
  FROM decision d
  JOIN attempt a ON a.decision = d.id AND a.purpose = 'search'
  JOIN iteration i ON i.attempt = a.id
  JOIN campaign p ON p.id = d.campaign;

-- Were 90 % ranges right 90 % of the time? By campaign and strategy.
CREATE VIEW v_calibration AS
  SELECT campaign, script, device_name, count(speedup_held) AS speedups, avg(speedup_held) AS speedup_share_held,
         count(minutes_held) AS minutes, avg(minutes_held) AS minutes_share_held,
         count(predict_probability) AS probabilities, avg(predict_probability) AS passed_predicted,
         avg(CASE WHEN predict_probability IS NOT NULL THEN outcome IN ('passed', 'abandoned') END) AS passed_seen
  FROM v_predictions
  GROUP BY campaign, script, device_name;
