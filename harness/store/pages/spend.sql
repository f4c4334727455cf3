-- Where the seconds and the money went, by stage
SELECT stage, sum(seconds) AS seconds, sum(usd) AS usd FROM rollup_cost WHERE campaign = :campaign GROUP BY 1 ORDER BY 2 DESC
