-- What each value of a parameter costs: times of what passed, over the best of the same variant and workload
WITH timed AS (
  SELECT i.kernel, c.variant, c.config, i.time_ns / min(i.time_ns) OVER (PARTITION BY i.kernel, i.workload, c.variant) AS slowdown
  FROM iteration i JOIN candidate c ON c.id = i.candidate
  WHERE i.campaign = :campaign AND i.outcome IN ('passed', 'screened') AND i.time_ns > 0 AND i.purpose IN ('search', 'baseline')),
effects AS (
  SELECT t.kernel, t.variant, j.key AS parameter, j.value AS value, count(*) AS iterations, exp(avg(ln(t.slowdown))) AS geomean,
         min(t.slowdown) AS best, max(t.slowdown) AS worst
  FROM timed t, json_each(t.config) j GROUP BY 1, 2, 3, 4)
SELECT e.*, count(*) OVER (PARTITION BY kernel, variant, parameter) AS value_count,
       max(geomean) OVER (PARTITION BY kernel, variant, parameter) / min(geomean) OVER (PARTITION BY kernel, variant, parameter) AS spread
FROM effects e ORDER BY spread DESC, kernel, variant, parameter, value
