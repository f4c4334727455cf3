-- The proposal's texts
SELECT q.id AS proposal, q.number, q.decision, strftime('%Y-%m-%d %H:%M:%S', q.asked_unix, 'unixepoch') AS asked,
       (SELECT text FROM proposal_text WHERE hash = q.request) AS request, (SELECT text FROM proposal_text WHERE hash = q.reply) AS reply,
       (SELECT text FROM proposal_text WHERE hash = q.log) AS log, (SELECT text FROM proposal_text WHERE hash = q.source) AS source,
       (SELECT text FROM proposal_text WHERE hash = q.manifest) AS manifest
FROM proposal q WHERE q.campaign = :campaign AND q.number = :number
