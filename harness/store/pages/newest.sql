-- What changed last
SELECT (SELECT max(id) FROM iteration) AS iteration, (SELECT max(id) FROM decision) AS decision,
       (SELECT max(id) FROM campaign) AS campaign, (SELECT max(id) FROM proposal) AS proposal, (SELECT max(id) FROM attempt) AS attempt,
       (SELECT count(*) FROM campaign WHERE ended_unix IS NOT NULL) AS ended
