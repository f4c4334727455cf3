-- Where time and money went: stages, summed over processes, by technique
SELECT nullif(kernel, '') AS kernel, nullif(technique, '') AS technique, stage, sum(seconds) AS seconds, sum(usd) AS usd
FROM rollup_cost WHERE campaign = :campaign GROUP BY 1, 2, 3 ORDER BY seconds DESC, 1, 2, 3
