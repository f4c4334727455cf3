-- The proposal that made the variant
SELECT q.id AS proposal, q.number, q.second_to, q.campaign, q.ask, q.parents, q.proposer, q.model, q.tokens_in, q.tokens_out,
       q.tokens_cached, q.usd, q.latency_s, q.outcome, q.message, q.hypothesis, q.predict_lo, q.predict_hi, q.twin, q.variant,
       (SELECT text FROM proposal_text WHERE hash = q.request) AS request, (SELECT text FROM proposal_text WHERE hash = q.reply) AS reply,
       (SELECT text FROM proposal_text WHERE hash = q.log) AS log
FROM iteration i JOIN candidate c ON c.id = i.candidate
JOIN proposal q ON q.campaign = i.campaign AND q.kernel = i.kernel AND q.variant = c.variant AND q.variant <> ''
WHERE i.id = :iteration ORDER BY q.id LIMIT 4
