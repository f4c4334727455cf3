-- Names that attempts can be filtered by
SELECT 'kernel' AS facet, kernel AS name, '' AS within FROM rollup_device_technique GROUP BY kernel
UNION ALL SELECT 'technique', technique, kernel FROM rollup_device_technique GROUP BY technique, kernel
UNION ALL SELECT 'workload', workload, kernel FROM (SELECT DISTINCT kernel, workload FROM rollup_best)
UNION ALL SELECT 'device', device_name, '' FROM rollup_device_technique GROUP BY device_name
LIMIT 2000
