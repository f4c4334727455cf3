-- The cards of the campaign's fleet, and how each stands
SELECT a.node, a.device_uuid AS card, count(*) AS attempts, count(i.id) AS ended, sum(i.outcome = 'passed') AS passed,
       sum(i.outcome = 'lost') AS lost, sum(i.wall_s) AS seconds, sum(i.usd) AS usd,
       (SELECT k.verdict FROM card_check k WHERE k.campaign = :campaign AND k.node = a.node AND k.device_uuid = a.device_uuid
        ORDER BY k.id DESC LIMIT 1) AS verdict,
       (SELECT k.why FROM card_check k WHERE k.campaign = :campaign AND k.node = a.node AND k.device_uuid = a.device_uuid
        ORDER BY k.id DESC LIMIT 1) AS why
FROM attempt a LEFT JOIN iteration i ON i.attempt = a.id
WHERE a.campaign = :campaign AND a.node IS NOT NULL
  AND (SELECT n.node FROM iteration l JOIN attempt n ON n.id = l.attempt WHERE l.campaign = :campaign ORDER BY l.id DESC LIMIT 1)
      IS NOT NULL   -- else there is no fleet, and no need to read all attempts
GROUP BY 1, 2 ORDER BY 1, 2
