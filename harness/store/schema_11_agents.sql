-- What agents asked of a session: a campaign whose options say {"session": true} and whose name every client of it gives.
CREATE TABLE agent_job (
  id           INTEGER PRIMARY KEY,
  campaign     INTEGER NOT NULL REFERENCES campaign(id),
  kind         TEXT NOT NULL,              -- evaluate, campaign
  request      TEXT NOT NULL,   -- json
  key          TEXT NOT NULL,              -- of the request and the files that it is about; the same question has the same
  asked_unix   REAL NOT NULL,
  state        TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'interrupted', 'lost')),
  cancelled    INTEGER NOT NULL DEFAULT 0 CHECK (cancelled IN (0, 1)),   -- somebody asked it to stop
  owner        TEXT,                       -- the process that does it (owner.h)
  begun_unix   REAL,                       -- from when on it had the device
  spent_before REAL,                       -- by the campaign, when it began
  ended_unix   REAL,
  answer       TEXT,            -- json
  lasting      INTEGER NOT NULL DEFAULT 0 CHECK (lasting IN (0, 1))      -- the same question may be answered by it
) STRICT;
CREATE INDEX agent_job_by_key ON agent_job(key) WHERE lasting = 1;
CREATE INDEX agent_job_by_campaign ON agent_job(campaign);

-- What agents wrote down for those that come after them.
CREATE TABLE agent_note (
  id         INTEGER PRIMARY KEY,
  campaign   INTEGER NOT NULL REFERENCES campaign(id),
  iteration  INTEGER REFERENCES iteration(id),
  kernel     TEXT NOT NULL,                -- "" where it is about none
  text       TEXT NOT NULL,
  noted_unix REAL NOT NULL
) STRICT;
CREATE INDEX agent_note_by_kernel ON agent_note(kernel);

-- The chain of the record: the SHA-256 of an iteration's row with its attempt, candidate and gates, and of the link before it.
-- So nobody changes, adds or takes away a row in between. Imported iterations have none, nor do those older than the chain.
CREATE TABLE iteration_link (
  iteration INTEGER PRIMARY KEY REFERENCES iteration(id),
  hash      TEXT NOT NULL
) STRICT;

-- What an agent may read (tool `query`): nothing of seeds, tolerances, the gates' numbers or a winner's confirmation.
CREATE VIEW agent_iterations AS
  SELECT i.id AS iteration, i.campaign, i.kernel, i.workload, c.variant, c.technique, c.config, p.device_name, i.purpose,
         i.outcome, i.time_ns, i.time_lo_ns, i.time_hi_ns, i.cold_ns, i.warm_ns, i.baseline_ns, i.speedup, i.speedup_lo,
         i.speedup_hi, i.floor_ns, i.verdict, i.emulation, i.error_class, i.fingerprint, i.same_as, i.registers, i.shared_bytes,
         i.spill_bytes, i.wall_s, i.usd, a.decision, a.label, c.source_hash,
         strftime('%Y-%m-%d %H:%M:%S', i.ended_unix, 'unixepoch') AS ended
  FROM iteration i
  JOIN attempt a ON a.id = i.attempt
  JOIN candidate c ON c.id = i.candidate
  JOIN campaign p ON p.id = i.campaign
  WHERE i.purpose <> 'confirm';
CREATE VIEW agent_gates AS
  SELECT g.iteration, g.position, g.name, iif(g.checked = 1, g.passed, NULL) AS passed
  FROM gate_result g JOIN iteration i ON i.id = g.iteration WHERE i.purpose <> 'confirm';
CREATE VIEW agent_campaigns AS
  SELECT id AS campaign, name, device_name, strategy, search, budget_s, max_cost_usd, kernels, reason, spent_s, cost_usd,
         strftime('%Y-%m-%d %H:%M:%S', started_unix, 'unixepoch') AS started
  FROM campaign;
CREATE VIEW agent_decisions AS
  SELECT id AS decision, campaign, action, kernel, workload, technique, why, rule, reason, predict_speedup_lo, predict_speedup_hi
  FROM decision;
CREATE VIEW agent_techniques AS
  SELECT r.kernel, r.technique, p.device_name, count(DISTINCT r.workload) AS workloads, sum(r.iterations) AS iterations,
         sum(r.passed) AS passed, max(r.best_speedup) AS best_speedup, sum(r.wall_s) AS wall_s
  FROM rollup_arm r JOIN campaign p ON p.id = r.campaign AND p.evidence = 1
  GROUP BY r.kernel, r.technique, p.device_name;
CREATE VIEW agent_proposals AS
  SELECT id AS proposal, campaign, number, kernel, workload, technique, ask, outcome, message, hypothesis, label, variant, twin,
         predict_lo, predict_hi, model, tokens_in, tokens_out, usd
  FROM proposal;
CREATE VIEW agent_notes AS
  SELECT id AS note, campaign, iteration, kernel, text, strftime('%Y-%m-%d %H:%M:%S', noted_unix, 'unixepoch') AS noted
  FROM agent_note;
