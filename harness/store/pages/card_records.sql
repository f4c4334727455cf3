-- What each card of a fleet did, and how its times stand beside those of the anchor cards
WITH beside AS (
  SELECT a.node, a.device_uuid AS card, i.time_ns / i.anchor_ns AS over_anchor,
         ntile(2) OVER (PARTITION BY a.node, a.device_uuid ORDER BY i.id) AS half
  FROM iteration i JOIN attempt a ON a.id = i.attempt
  WHERE i.campaign = :campaign AND a.node IS NOT NULL AND i.time_ns > 0 AND i.anchor_ns > 0
), halves AS (
  SELECT node, card, count(*) AS pairs, avg(over_anchor) AS over_anchor, avg(iif(half = 1, over_anchor, NULL)) AS at_first,
         avg(iif(half = 2, over_anchor, NULL)) AS at_last
  FROM beside GROUP BY node, card
), did AS (
  SELECT a.node, a.device_uuid AS card, count(*) AS evaluations, sum(i.outcome = 'passed') AS passed,
         sum(i.outcome = 'lost') AS lost, sum(i.purpose = 'baseline' AND i.time_ns > 0) AS anchor_of, sum(i.wall_s) AS seconds,
         sum(i.usd) AS usd, sum(d.iteration IS NOT NULL) AS doubted
  FROM iteration i JOIN attempt a ON a.id = i.attempt
  LEFT JOIN (SELECT DISTINCT iteration FROM v_doubted WHERE campaign = :campaign) d ON d.iteration = i.id
  WHERE i.campaign = :campaign AND a.node IS NOT NULL GROUP BY a.node, a.device_uuid
)
SELECT did.*, coalesce(halves.pairs, 0) AS pairs, halves.over_anchor, halves.at_first, halves.at_last
FROM did LEFT JOIN halves ON halves.node = did.node AND halves.card = did.card ORDER BY did.node, did.card
