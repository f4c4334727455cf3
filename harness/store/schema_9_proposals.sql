-- Every request to whoever proposes variants (--proposer), and what came of it. What was accepted is evaluated like any other
-- variant: its iterations are those of this campaign with this variant.
CREATE TABLE proposal (
  id             INTEGER PRIMARY KEY,
  campaign       INTEGER NOT NULL REFERENCES campaign(id),
  decision       INTEGER REFERENCES decision(id),
  number         INTEGER NOT NULL,         -- within the campaign, from 1
  second_to      INTEGER,                  -- the number of the one whose reply could not be used and which this one mends
  kernel         TEXT NOT NULL,
  workload       TEXT NOT NULL,
  technique      TEXT NOT NULL,
  ask            TEXT NOT NULL,            -- what was wanted, in words
  parents        TEXT NOT NULL,   -- json array of variants; edits apply to the first
  proposer       TEXT NOT NULL,            -- its SPEC
  request        TEXT REFERENCES proposal_text(hash),   -- NULL: none was sent
  reply          TEXT REFERENCES proposal_text(hash),
  log            TEXT REFERENCES proposal_text(hash),   -- what the program wrote to its standard error
  model          TEXT,
  tokens_in      INTEGER,
  tokens_out     INTEGER,
  tokens_cached  INTEGER,
  usd            REAL,                     -- NULL: unknown
  usd_source     TEXT NOT NULL,            -- proposer, token price; "": unknown
  latency_s      REAL NOT NULL,
  asked_unix     REAL NOT NULL,
  outcome        TEXT NOT NULL,            -- accepted, twin, unparsable, unappliable, unusable, refused, truncated, too_long, ...
  message        TEXT NOT NULL,            -- why it was not accepted
  hypothesis     TEXT NOT NULL,
  label          TEXT,
  predict_lo     REAL,                     -- speedup over the baseline
  predict_hi     REAL,
  twin           TEXT NOT NULL,            -- the variant that it repeats
  twin_iteration INTEGER REFERENCES iteration(id),
  variant        TEXT NOT NULL,            -- its name, where it was accepted
  source         TEXT REFERENCES proposal_text(hash),
  manifest       TEXT REFERENCES proposal_text(hash),
  normal_hash    TEXT NOT NULL,            -- of the source without comments and spaces, and the manifest's changes
  UNIQUE (campaign, number)
) STRICT;
CREATE TABLE proposal_text (hash TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- Each request to a proposer, and what became of it: how many configurations were tried, and the best.
CREATE VIEW v_proposals AS
  SELECT q.id AS proposal, q.campaign, q.number, q.second_to, q.kernel, q.workload, q.technique, q.ask, q.parents, q.outcome,
         q.variant, q.label, q.hypothesis, q.predict_lo, q.predict_hi, q.message, q.twin, q.twin_iteration, q.proposer, q.model,
         q.tokens_in, q.tokens_out, q.tokens_cached, q.usd, q.usd_source, q.latency_s, q.decision,
         (SELECT count(*) FROM iteration i JOIN candidate c ON c.id = i.candidate
          WHERE i.campaign = q.campaign AND q.variant <> '' AND c.variant = q.variant AND c.kernel = q.kernel) AS iterations,
         (SELECT max(i.speedup) FROM iteration i JOIN candidate c ON c.id = i.candidate
          WHERE i.campaign = q.campaign AND i.outcome IN ('passed', 'screened') AND q.variant <> '' AND c.variant = q.variant
            AND c.kernel = q.kernel) AS best_speedup,
         (SELECT i.outcome FROM iteration i JOIN candidate c ON c.id = i.candidate
          WHERE i.campaign = q.campaign AND q.variant <> '' AND c.variant = q.variant AND c.kernel = q.kernel
          ORDER BY i.outcome = 'passed' DESC, i.outcome = 'screened' DESC, i.id DESC LIMIT 1) AS became,
         strftime('%Y-%m-%d %H:%M:%S', q.asked_unix, 'unixepoch') AS asked
  FROM proposal q;
