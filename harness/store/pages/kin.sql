-- What an attempt is held against: the baseline, the best before it, the source it was edited from
SELECT i.id AS iteration,
  (SELECT b.id FROM iteration b INDEXED BY iteration_by_campaign WHERE b.campaign = i.campaign AND b.kernel = i.kernel AND b.workload = i.workload
     AND b.purpose = 'baseline' AND b.id <> i.id ORDER BY b.id LIMIT 1) AS baseline,
  (SELECT s.technique FROM iteration b INDEXED BY iteration_by_campaign JOIN candidate s ON s.id = b.candidate WHERE b.campaign = i.campaign
     AND b.kernel = i.kernel AND b.workload = i.workload AND b.purpose = 'baseline' ORDER BY b.id LIMIT 1) AS baseline_technique,
  (SELECT b.id FROM iteration b INDEXED BY iteration_by_campaign WHERE b.campaign = i.campaign AND b.kernel = i.kernel AND b.workload = i.workload
     AND b.outcome = 'passed' AND b.purpose <> 'rival' AND b.candidate <> i.candidate AND b.id < i.id
   ORDER BY b.time_ns, b.id LIMIT 1) AS incumbent,
  (SELECT b.id FROM iteration b INDEXED BY iteration_by_campaign WHERE b.campaign = i.campaign AND b.source = a.parent AND b.kernel = i.kernel AND b.workload = i.workload AND b.id < i.id
     AND a.parent IS NOT NULL ORDER BY b.id DESC LIMIT 1) AS parent,
  (SELECT q.number FROM proposal q WHERE q.campaign = i.campaign AND q.kernel = i.kernel AND q.variant = c.variant AND q.variant <> ''
   ORDER BY q.id LIMIT 1) AS proposal, EXISTS (SELECT 1 FROM proposal q WHERE q.campaign = i.campaign) AS proposals,
  i.same_as, i.method, i.calls_per_sample, i.input_sets, i.threshold_ns, i.stopped_ns, a.decision, a.ask, a.begun_unix,
  i.ended_unix, p.name AS campaign_name, p.device_name
FROM iteration i JOIN attempt a ON a.id = i.attempt JOIN candidate c ON c.id = i.candidate JOIN campaign p ON p.id = i.campaign
WHERE i.id = :iteration
