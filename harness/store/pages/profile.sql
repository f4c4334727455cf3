-- Its profiles: what counters or counting say, the newest first
SELECT f.id AS profile, f.source, f.why, f.device, f.rule, f.diagnosis, f.page, f.launches, f.wall_s,
       (SELECT json_group_object(n.metric, n.value) FROM profile_number n WHERE n.profile = f.id) AS numbers
FROM profile f WHERE f.iteration = :iteration ORDER BY f.id DESC LIMIT 4
