-- Where it ran
SELECT key AS fact, json_extract(facts, fullkey) AS value FROM environment, json_tree(facts)
WHERE campaign = :campaign AND atom IS NOT NULL AND path NOT LIKE '%peak_flops%' ORDER BY path, key
