-- Devices, by name and driver: what they were measured to reach, their clocks, and what they were used for
WITH used AS (
  SELECT p.device_name, count(*) AS campaigns, sum(p.spent_s) AS spent_s, sum(p.cost_usd) AS cost_usd,
         strftime('%Y-%m-%d', min(p.started_unix), 'unixepoch') AS first, strftime('%Y-%m-%d', max(p.started_unix), 'unixepoch') AS last
  FROM campaign p GROUP BY 1),
kernels AS (
  SELECT device_name, json_group_array(kernel) AS kernels
  FROM (SELECT DISTINCT p.device_name, j.value AS kernel FROM campaign p JOIN json_each(p.kernels) j ORDER BY 1, 2) GROUP BY 1),
clocks AS (   -- of the newest timed samples
  SELECT p.device_name, count(DISTINCT i.id) AS attempts, min(j.value) AS least_mhz, max(j.value) AS most_mhz
  FROM iteration i CROSS JOIN sample s ON s.iteration = i.id AND s.kind = 'clock_mhz' JOIN campaign p ON p.id = i.campaign JOIN json_each(s.series) j
  WHERE i.id > (SELECT max(id) FROM iteration) - 1000 GROUP BY 1)
SELECT u.device_name, k.driver, u.campaigns, u.spent_s, u.cost_usd, u.first, u.last, k.theoretical, k.measured,
       strftime('%Y-%m-%d %H:%M', k.measured_unix, 'unixepoch') AS measured_at, n.kernels, c.least_mhz, c.most_mhz, c.attempts AS clocked
FROM used u LEFT JOIN device_peak k ON k.device_name = u.device_name LEFT JOIN kernels n ON n.device_name = u.device_name
LEFT JOIN clocks c ON c.device_name = u.device_name ORDER BY u.last DESC, u.device_name, k.measured_unix DESC
