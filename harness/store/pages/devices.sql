-- Devices, by name and driver: what they were measured to reach, and what they were used for
WITH used AS (
  SELECT p.device_name, count(*) AS campaigns, sum(p.spent_s) AS spent_s, sum(p.cost_usd) AS cost_usd,
         strftime('%Y-%m-%d', min(p.started_unix), 'unixepoch') AS first, strftime('%Y-%m-%d', max(p.started_unix), 'unixepoch') AS last
  FROM campaign p GROUP BY 1)
SELECT u.device_name, k.driver, u.campaigns, u.spent_s, u.cost_usd, u.first, u.last, k.theoretical, k.measured,
       strftime('%Y-%m-%d %H:%M', k.measured_unix, 'unixepoch') AS measured_at
FROM used u LEFT JOIN device_peak k ON k.device_name = u.device_name ORDER BY u.last DESC, u.device_name, k.measured_unix DESC
