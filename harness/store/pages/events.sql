-- What happened last: new bests, failures, confirmations, arms that were left, proposals, checks of cards
WITH late AS (SELECT * FROM iteration INDEXED BY iteration_by_campaign WHERE campaign = :campaign ORDER BY id DESC LIMIT 300),
ended AS (   -- attempts that say something: the first to be timed on a workload, what failed, what was timed again
  SELECT i.ended_unix AS unix, CASE
           WHEN i.purpose = 'confirm' AND i.outcome = 'passed' AND i.confirmed THEN 'confirmed'
           WHEN i.purpose = 'confirm' THEN 'lost'
           WHEN i.purpose IN ('baseline', 'rival') AND i.outcome = 'passed' THEN i.purpose
           ELSE i.outcome END AS event,
         i.kernel, i.workload, c.variant AS what, i.id AS iteration, NULL AS proposal, i.time_ns, i.speedup,
         coalesce(i.error_class || ': ', '') || coalesce(substr(i.error_message, 1, 300), '') AS why
  FROM late i JOIN candidate c ON c.id = i.candidate
  WHERE i.purpose IN ('confirm', 'baseline', 'rival') OR i.outcome NOT IN ('passed', 'screened', 'abandoned', 'no_effect')
  ORDER BY i.id DESC LIMIT 40),
best AS (
  SELECT i.ended_unix, 'new best', i.kernel, i.workload, c.variant, i.id, NULL, i.time_ns, i.speedup, ''
  FROM rollup_step s JOIN iteration i ON i.id = s.iteration JOIN candidate c ON c.id = i.candidate
  WHERE s.campaign = :campaign AND i.purpose NOT IN ('confirm', 'baseline', 'rival') ORDER BY s.iteration DESC LIMIT 40),
turned AS (   -- turns to another arm are a table of their own: decisions
  SELECT d.now_unix, CASE d.action WHEN 'close' THEN 'left' ELSE 'stopped' END, d.kernel, d.workload, d.technique, NULL, NULL, NULL, NULL, d.why
  FROM (SELECT * FROM decision WHERE campaign = :campaign ORDER BY id DESC LIMIT 300) d WHERE d.action IN ('close', 'stop')),
proposed AS (
  SELECT q.asked_unix + q.latency_s, 'proposal', q.kernel, q.workload, q.outcome, NULL, q.number, NULL, NULL, coalesce(nullif(q.hypothesis, ''), q.message)
  FROM proposal q WHERE q.campaign = :campaign ORDER BY q.id DESC LIMIT 40),
checked AS (
  SELECT k.checked_unix, 'card', '', k.node, k.verdict, NULL, NULL, NULL, NULL, k.why
  FROM card_check k WHERE k.campaign = :campaign ORDER BY k.id DESC LIMIT 40)
SELECT e.*, strftime('%H:%M:%S', e.unix, 'unixepoch') AS at FROM (
  SELECT * FROM ended UNION ALL SELECT * FROM best UNION ALL SELECT * FROM turned UNION ALL SELECT * FROM proposed UNION ALL SELECT * FROM checked) e
ORDER BY e.unix DESC, e.iteration DESC LIMIT 40
