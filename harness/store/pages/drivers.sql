-- Which drivers and compilers the campaigns ran with
SELECT p.device_name, coalesce(json_extract(e.facts, '$.driver_release'), json_extract(e.facts, '$.device.driver')) AS driver,
       json_extract(e.facts, '$.host') AS host, count(*) AS campaigns, min(p.id) AS first_campaign, max(p.id) AS last_campaign,
       strftime('%Y-%m-%d', min(p.started_unix), 'unixepoch') AS first, strftime('%Y-%m-%d', max(p.started_unix), 'unixepoch') AS last
FROM campaign p LEFT JOIN environment e ON e.campaign = p.id GROUP BY 1, 2, 3 ORDER BY max(p.started_unix) DESC LIMIT 200
