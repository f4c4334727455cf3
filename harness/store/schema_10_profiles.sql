-- What a device's counters, or the cpu device's counting, say of an evaluated candidate, and the diagnosis of a rule.
CREATE TABLE profile (
  id        INTEGER PRIMARY KEY,
  iteration INTEGER NOT NULL REFERENCES iteration(id),
  source    TEXT NOT NULL,                 -- counted, cupti, ncu, binary
  why       TEXT NOT NULL,                 -- why no better source; "" for the best
  device    TEXT NOT NULL,                 -- of the counters, or whose model was used
  rule      TEXT,                          -- of strategies/diagnoses/; NULL: none spoke
  diagnosis TEXT NOT NULL,                 -- its sentence
  page      TEXT NOT NULL,                 -- of the playbook, which answers it
  launches  TEXT NOT NULL,   -- json array: numbers and lines of each launch
  wall_s    REAL NOT NULL                  -- what it took to find out
) STRICT;
CREATE INDEX profile_by_iteration ON profile(iteration);
CREATE INDEX profile_by_rule ON profile(rule) WHERE rule IS NOT NULL;

-- Its numbers over all launches. A metric that the source cannot know has no row.
CREATE TABLE profile_number (
  profile INTEGER NOT NULL REFERENCES profile(id),
  metric  TEXT NOT NULL,                   -- dram_bytes, shared_conflicts, ... (docs/diagnoses.md)
  value   REAL NOT NULL,
  PRIMARY KEY (profile, metric)
) STRICT, WITHOUT ROWID;

-- One row a number of a profile.
CREATE VIEW v_profiles AS
  SELECT f.id AS profile, f.iteration, i.campaign, i.kernel, i.workload, c.variant, c.technique, c.config, p.device_name,
         i.purpose, i.time_ns, f.source, n.metric, n.value, f.rule, f.diagnosis, f.page, f.why, f.device AS counted_for, f.wall_s
  FROM profile f
  JOIN iteration i ON i.id = f.iteration
  JOIN candidate c ON c.id = i.candidate
  JOIN campaign p ON p.id = i.campaign
  LEFT JOIN profile_number n ON n.profile = f.id;

-- What each diagnosis led to: of the profiles that have it, after how many something else was timed on that workload in the
-- same campaign (tried), after how many of these something was faster, and by how much (old time over new).
CREATE VIEW v_diagnoses AS
  WITH led AS (
    SELECT f.rule, f.page, f.id,
           count(n.id) AS tried,
           count(CASE WHEN n.verdict = 'faster' THEN 1 END) AS faster,
           max(i.time_ns / n.time_ns) AS gain
    FROM profile f
    JOIN iteration i ON i.id = f.iteration
    JOIN campaign p ON p.id = i.campaign AND p.evidence = 1
    LEFT JOIN iteration n ON n.campaign = i.campaign AND n.kernel = i.kernel AND n.workload = i.workload AND n.id > i.id
         AND n.candidate <> i.candidate AND n.purpose = 'search' AND n.time_ns IS NOT NULL
    WHERE f.rule IS NOT NULL
    GROUP BY f.id)
  SELECT rule, max(page) AS page, count(*) AS profiles, count(CASE WHEN tried > 0 THEN 1 END) AS tried,
         count(CASE WHEN faster > 0 THEN 1 END) AS faster, max(CASE WHEN faster > 0 THEN gain END) AS best_gain,
         avg(CASE WHEN faster > 0 THEN gain END) AS mean_gain
  FROM led GROUP BY rule;
