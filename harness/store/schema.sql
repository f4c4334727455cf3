-- The store of harness: every experiment, what decided it, what it found and what it cost.
--
-- Units are in the names: _ns nanoseconds, _s seconds, _usd or usd US dollars, _bytes bytes, _unix seconds since 1970 (UTC).
-- NULL means unknown or not applicable, never zero. Columns marked "json" hold JSON text; SQLite's json_each() reads them.
-- Rows are only ever added: an attempt before an evaluation, an iteration after it, each in one transaction.
-- People and scripts read the views at the end; their names and columns are stable. Tables may change between versions
-- (PRAGMA user_version counts them).

------------------------------------------------------------------------------------------------------ what was run

-- One `harness run` or `harness eval`.
CREATE TABLE campaign (
  id            INTEGER PRIMARY KEY,
  uuid          TEXT NOT NULL UNIQUE,      -- made once, kept by export and import: the same campaign is never imported twice
  name          TEXT,
  device        TEXT NOT NULL,             -- "cpu", "cuda:0"
  device_name   TEXT NOT NULL,             -- "NVIDIA H200": times are only compared within one device name
  strategy      TEXT NOT NULL,             -- "" for an eval, which decides nothing
  strategy_hash TEXT NOT NULL,             -- of everything that decides
  search        TEXT NOT NULL,
  seed          INTEGER NOT NULL,          -- of strategies and searches (64 bits, shown signed)
  budget_s      REAL,                      -- wall seconds allowed; NULL: none
  max_cost_usd  REAL,
  usd_per_hour  REAL,                      -- price of the device; NULL: unknown
  kernels       TEXT NOT NULL,   -- json array of names
  options       TEXT NOT NULL,   -- json: everything a resume needs
  started_unix  REAL NOT NULL,
  ended_unix    REAL,                      -- NULL while it runs, and after it was killed
  reason        TEXT,                      -- budget, cost, goal, exhausted, strategy, script_error, device_lost, store_error, interrupted
  spent_s       REAL NOT NULL DEFAULT 0,   -- wall seconds so far, over all its sessions
  cost_usd      REAL,                      -- of those
  owner         TEXT,                      -- the process that last wrote to it (owner.h): --resume leaves running campaigns alone
  imported      INTEGER NOT NULL DEFAULT 0 CHECK (imported IN (0, 1)),  -- came from `harness import`; never resumed
  evidence      INTEGER NOT NULL DEFAULT 1 CHECK (evidence IN (0, 1))   -- 0: shown, but counts for nothing: bests, experience
) STRICT;

-- Where it ran: GPU, driver, compiler, clocks, host, git revision, harness version.
CREATE TABLE environment (
  campaign INTEGER PRIMARY KEY REFERENCES campaign(id),
  facts    TEXT NOT NULL           -- json object
) STRICT;

-- What the strategy chose, and why. Choosing another arm than before is a pivot: from_* then names the arm left.
CREATE TABLE decision (
  id                  INTEGER PRIMARY KEY,
  campaign            INTEGER NOT NULL REFERENCES campaign(id),
  action              TEXT NOT NULL,       -- try, confirm, close, stop, propose
  kernel              TEXT NOT NULL,       -- the arm chosen; "" for a stop
  workload            TEXT NOT NULL,
  technique           TEXT NOT NULL,
  from_kernel         TEXT,
  from_workload       TEXT,
  from_technique      TEXT,
  why                 TEXT NOT NULL,
  rule                TEXT,                -- the rule whose reason it is
  reason              TEXT,                -- of a stop
  predict_speedup_lo  REAL NOT NULL,       -- over the baseline
  predict_speedup_hi  REAL NOT NULL,
  predict_evaluations INTEGER NOT NULL,
  numbers             TEXT NOT NULL,   -- json: the numbers it chose from, one object an arm
  script              TEXT NOT NULL,
  script_hash         TEXT NOT NULL,
  now_unix            INTEGER NOT NULL,    -- the time that the script was told
  decide_s            REAL NOT NULL,
  predict_probability REAL,                -- that the evaluation passes; NULL: not predicted
  predict_minutes_lo  REAL,                -- of the evaluation, a 90 % range
  predict_minutes_hi  REAL,
  rule_numbers        TEXT,    -- json object: what the rule measured
  patterns            TEXT NOT NULL DEFAULT '[]'   -- json array: ids of the playbook's pages that it rests on
) STRICT;
CREATE INDEX decision_by_campaign ON decision(campaign);

-- kernel + variant + configuration, with the hashes of what they were made of: an edit makes another candidate.
CREATE TABLE candidate (
  id            INTEGER PRIMARY KEY,
  kernel        TEXT NOT NULL,
  variant       TEXT NOT NULL,
  technique     TEXT NOT NULL,
  config        TEXT NOT NULL,   -- json: {"BLOCK":128}, keys sorted
  contract_hash TEXT NOT NULL,             -- arguments, generators, reference, tolerances, gates
  source_hash   TEXT NOT NULL,             -- the .cu and everything it includes from the plugin folders
  UNIQUE (kernel, variant, technique, config, contract_hash, source_hash)
) STRICT;
CREATE INDEX candidate_by_variant ON candidate(variant);
CREATE INDEX candidate_by_technique ON candidate(technique);

-- A begun evaluation. One without an iteration is an orphan: the process died, and this is the culprit.
CREATE TABLE attempt (
  id         INTEGER PRIMARY KEY,
  campaign   INTEGER NOT NULL REFERENCES campaign(id),
  decision   INTEGER REFERENCES decision(id),   -- NULL: none led here (eval)
  candidate  INTEGER NOT NULL REFERENCES candidate(id),
  workload   TEXT NOT NULL,
  ask        INTEGER NOT NULL,             -- number of this ask within its arm's search, from 1; 0: not asked by a search
  purpose    TEXT NOT NULL,                -- search, baseline, rival, confirm, eval
  begun_unix REAL NOT NULL,
  budget_left_s REAL,                      -- of the campaign's budget when it began; NULL: it has none
  label      TEXT,                         -- what a person calls it; NULL: nothing
  parent     TEXT,                         -- source_hash of the variant's own source, where an edited one stood in its place
  node       TEXT,                         -- of a fleet, where it was begun; NULL: the campaign had one device
  device_uuid TEXT,                        -- of the card there
  after_iteration INTEGER                  -- the campaign's last iteration that had ended when it was begun on a fleet; 0: none had
) STRICT;
CREATE INDEX attempt_by_campaign ON attempt(campaign, candidate);
CREATE INDEX attempt_by_decision ON attempt(decision);

-- The start of the machine that an attempt was begun in: after a later one, the machine went down on the way.
CREATE TABLE attempt_boot (
  attempt INTEGER PRIMARY KEY REFERENCES attempt(id),
  boot    TEXT NOT NULL
) STRICT;

-- What a campaign does now, beside its attempts: one row while it is under way, replaced at most twice a second. The row
-- of one that was killed stays until another campaign ends; its owner does not run any more.
CREATE TABLE campaign_live (
  campaign  INTEGER PRIMARY KEY REFERENCES campaign(id),
  told_unix REAL NOT NULL,
  live      TEXT NOT NULL   -- json: core/campaign_live.h
) STRICT;

------------------------------------------------------------------------------------------------------ what was found

-- Texts by content: the key is the SHA-256 of the text.
CREATE TABLE source    (hash TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT, WITHOUT ROWID;   -- kernel sources
CREATE TABLE build_log (hash TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT, WITHOUT ROWID;   -- whole compiler logs
-- Machine code, by hash only: the artifact cache holds the bytes.
CREATE TABLE binary (
  id       INTEGER PRIMARY KEY,
  hash     TEXT NOT NULL,
  compiler TEXT NOT NULL,                  -- "NVRTC 13.0", "g++ 12.2.0"
  UNIQUE (hash, compiler)
) STRICT;

-- An ended evaluation of one candidate on one workload. Times are per call, of passed and screened ones; intervals are 95 %.
-- Resources are those of the entry with the most registers. Seconds by stage are summed over processes. The columns in the
-- place of the mark are those of core/iteration_fields.cpp, which says what each is.
CREATE TABLE iteration (
  id               INTEGER PRIMARY KEY,
  attempt          INTEGER NOT NULL UNIQUE REFERENCES attempt(id),
  campaign         INTEGER NOT NULL REFERENCES campaign(id),
  candidate        INTEGER NOT NULL REFERENCES candidate(id),
  kernel           TEXT NOT NULL,          -- the candidate's, repeated for the index
  workload         TEXT NOT NULL,
  purpose          TEXT NOT NULL,
--{fields}
  binary           INTEGER REFERENCES binary(id),
  error_class      TEXT,                   -- of the json of `error`, for queries
  error_message    TEXT
) STRICT;
CREATE INDEX iteration_by_campaign ON iteration(campaign);
CREATE INDEX iteration_by_kernel ON iteration(kernel);
CREATE INDEX iteration_by_outcome ON iteration(outcome);
CREATE INDEX iteration_by_binary ON iteration(binary) WHERE binary IS NOT NULL;
CREATE INDEX iteration_by_candidate ON iteration(candidate);
CREATE INDEX iteration_by_fingerprint ON iteration(kernel, fingerprint) WHERE fingerprint <> '';
-- The fastest time of each candidate on each workload, without reading the rows themselves.
CREATE INDEX iteration_fastest ON iteration(kernel, workload, candidate, campaign, time_ns, confirmed)
  WHERE outcome = 'passed' AND purpose <> 'rival' AND time_ns IS NOT NULL;
-- What a table of all attempts is sorted by, and the messages that it is searched for, without reading the rows themselves.
CREATE INDEX iteration_numbers
  ON iteration(wall_s, usd, time_ns, speedup, floor_ns, registers, shared_bytes, spill_bytes, workload);
CREATE INDEX iteration_confirmed ON iteration(campaign, kernel, workload, time_ns, candidate)
  WHERE confirmed = 1 AND outcome = 'passed';
CREATE INDEX iteration_messages ON iteration(error_message) WHERE error_message IS NOT NULL;

-- Each check that was made, in order, with its evidence in words and numbers.
CREATE TABLE gate_result (
  iteration INTEGER NOT NULL REFERENCES iteration(id),
  position  INTEGER NOT NULL,
  name      TEXT NOT NULL,                 -- finite, written, relative-l2, guard-zones, ...
  passed    INTEGER NOT NULL CHECK (passed IN (0, 1)),
  detail    TEXT NOT NULL,
  checked   INTEGER NOT NULL DEFAULT 1 CHECK (checked IN (0, 1)),   -- 0: could not be checked; `passed` means nothing
  seconds   REAL,                          -- from the gate before it until it was known; NULL: not measured
  PRIMARY KEY (iteration, position)
) STRICT, WITHOUT ROWID;

-- The measured error of each output argument.
CREATE TABLE argument_error (
  iteration     INTEGER NOT NULL REFERENCES iteration(id),
  position      INTEGER NOT NULL,
  argument      TEXT NOT NULL,
  relative_l2   REAL,                      -- NULL: not finite
  max_ulp       INTEGER NOT NULL,
  ulp_histogram TEXT NOT NULL,   -- json: elements at distance 0, 1, 2-3, 4-7, ...; the last: the rest
  non_finite    INTEGER NOT NULL,          -- elements, where the reference is finite
  unwritten     INTEGER NOT NULL,          -- elements still as poisoned
  mismatches    INTEGER NOT NULL,          -- elements: exact, quantized, set
  tolerance     REAL,
  PRIMARY KEY (iteration, position)
) STRICT, WITHOUT ROWID;

-- Raw samples. kind: rotating_ns, cold_ns, warm_ns (per call), clock_mhz (the SM clock at each rotating sample).
CREATE TABLE sample (
  iteration INTEGER NOT NULL REFERENCES iteration(id),
  kind      TEXT NOT NULL,
  series    TEXT NOT NULL,   -- json array of numbers, in order of measurement
  PRIMARY KEY (iteration, kind)
) STRICT, WITHOUT ROWID;

-- Seconds of a campaign outside its evaluations, by day. Work that runs beside the device's wall time (prepare) costs no money of its own.
CREATE TABLE charge (
  campaign INTEGER NOT NULL REFERENCES campaign(id),
  stage    TEXT NOT NULL,                  -- decide, prepare, idle, lost (between the last record and a kill), ...
  day      TEXT NOT NULL,                  -- UTC, 2025-01-31
  seconds  REAL NOT NULL,
  usd      REAL,
  PRIMARY KEY (campaign, stage, day)
) STRICT, WITHOUT ROWID;

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

-- What programs outside of harness took on a workload: their own word, which harness neither judged nor timed. Shown beside
-- its own bests as such; nothing is decided by it. export leaves it out: the file it came from is its text.
CREATE TABLE outside_figure (
  kernel      TEXT NOT NULL,
  workload    TEXT NOT NULL,
  device_name TEXT NOT NULL,
  program     TEXT NOT NULL,               -- "PyTorch 2.11 flash"
  time_ns     REAL NOT NULL CHECK (time_ns > 0),
  method      TEXT NOT NULL,               -- how it was timed, in that program's words: it is not how harness times
  measured    TEXT NOT NULL,               -- the day, YYYY-MM-DD
  PRIMARY KEY (kernel, workload, device_name, program, measured)
) STRICT, WITHOUT ROWID;

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

-- A kernel's gates on trial: its mutants must all fail. hash: of its contracts, baseline and mutants, and the version of the gates.
-- device_key: the devices it holds for ("cpu emulation 1"). spot_checked: of a trial made elsewhere, what was tried again here.
CREATE TABLE admission (
  hash          TEXT NOT NULL,
  device_key    TEXT NOT NULL,
  device_name   TEXT NOT NULL,
  kernel        TEXT NOT NULL,
  passed        INTEGER NOT NULL CHECK (passed IN (0, 1)),
  tolerances    TEXT NOT NULL,   -- json array: group, form, output, honest, impostor, tolerance, origin
  mutants       TEXT NOT NULL,   -- json array: name, workload, output, caught_by (empty: it passed), detail
  skipped_forms TEXT NOT NULL,   -- json array of sentences
  problems      TEXT NOT NULL,   -- json array of sentences
  seconds       REAL NOT NULL,
  spot_checked  TEXT NOT NULL,
  decided_unix  REAL NOT NULL,
  PRIMARY KEY (hash, device_key)
) STRICT, WITHOUT ROWID;

-- What trials of a kernel's gates have found, part by part: a trial that is cut short goes on, and one that was made elsewhere
-- (imported, and a person said that it is evidence) is only spot-checked.
CREATE TABLE admission_part (
  hash        TEXT NOT NULL,
  device_key  TEXT NOT NULL,
  kernel      TEXT NOT NULL,
  part        TEXT NOT NULL,
  found       TEXT NOT NULL,   -- json
  imported    INTEGER NOT NULL CHECK (imported IN (0, 1)),
  evidence    INTEGER NOT NULL CHECK (evidence IN (0, 1)),
  PRIMARY KEY (hash, device_key, part, imported)
) STRICT, WITHOUT ROWID;

-- What a device was measured to reach when it was first seen with a driver, beside its theoretical peaks at the highest clock.
CREATE TABLE device_peak (
  device_name   TEXT NOT NULL,
  driver        TEXT NOT NULL,
  theoretical   TEXT NOT NULL,   -- json: bytes_per_s, flops by type, exps_per_s
  measured      TEXT NOT NULL,   -- json: bytes_per_s, l2_bytes_per_s, flops by type, exps_per_s, launch_ns
  measured_unix REAL NOT NULL,
  PRIMARY KEY (device_name, driver)
) STRICT, WITHOUT ROWID;

-- Whether the cards of a fleet are still what they were.
CREATE TABLE card_check (
  id               INTEGER PRIMARY KEY,
  campaign         INTEGER NOT NULL REFERENCES campaign(id),
  node             TEXT NOT NULL,
  device_uuid      TEXT NOT NULL,
  device_name      TEXT NOT NULL,
  driver_release   TEXT NOT NULL,
  occasion         TEXT NOT NULL,          -- joined, due, doubted
  verdict          TEXT NOT NULL CHECK (verdict IN ('first', 'good', 'suspect', 'quarantined')),
  method           TEXT NOT NULL,          -- calibrations of two methods are not compared
  bytes_per_s      REAL NOT NULL,          -- a copy that no cache holds
  operations_per_s REAL NOT NULL,          -- a loop of arithmetic, of the tensor cores where there are some
  drift            REAL,                   -- of the rate that changed most beside the card's first calibration; NULL: it is the first
  why              TEXT NOT NULL,          -- a sentence where it is not good
  state            TEXT NOT NULL,          -- json: clocks, temperature, power, throttle reasons, memory errors, XIDs
  seconds          REAL NOT NULL,          -- that the card was held
  checked_unix     REAL NOT NULL
) STRICT;
CREATE INDEX card_check_by_card ON card_check(device_uuid, driver_release);
CREATE INDEX card_check_by_campaign ON card_check(campaign, node);

------------------------------------------------------------------------------------------------------ sums kept current
-- A million iterations answer at once because these are kept by triggers, in the transaction that adds the iteration.

-- Candidates that gave a wrong answer or were rejected at least once: never the best, whatever they did before or after.
CREATE TABLE refuted (
  candidate   INTEGER NOT NULL REFERENCES candidate(id),
  workload    TEXT NOT NULL,
  device_name TEXT NOT NULL,
  iteration   INTEGER NOT NULL REFERENCES iteration(id),   -- the first that showed it
  PRIMARY KEY (candidate, workload, device_name)
) STRICT, WITHOUT ROWID;

-- What is no best of a campaign, though it passed there: a refuted candidate, and one that failed its confirmation in any way.
CREATE TABLE struck (
  campaign  INTEGER NOT NULL REFERENCES campaign(id),
  workload  TEXT NOT NULL,
  candidate INTEGER NOT NULL REFERENCES candidate(id),
  PRIMARY KEY (campaign, workload, candidate)
) STRICT, WITHOUT ROWID;

-- The fastest passed iteration of ours, once among the confirmed and once among the others.
CREATE TABLE rollup_best (
  kernel        TEXT NOT NULL,
  workload      TEXT NOT NULL,
  device_name   TEXT NOT NULL,
  contract_hash TEXT NOT NULL,
  confirmed     INTEGER NOT NULL,
  iteration     INTEGER NOT NULL REFERENCES iteration(id),
  time_ns       REAL NOT NULL,
  PRIMARY KEY (kernel, workload, device_name, contract_hash, confirmed)
) STRICT, WITHOUT ROWID;

-- What each arm did in each campaign: the evidence of strategies.
CREATE TABLE rollup_arm (
  campaign      INTEGER NOT NULL REFERENCES campaign(id),
  kernel        TEXT NOT NULL,
  workload      TEXT NOT NULL,
  technique     TEXT NOT NULL,
  contract_hash TEXT NOT NULL,
  iterations    INTEGER NOT NULL,
  passed        INTEGER NOT NULL,
  wall_s        REAL NOT NULL,
  best_speedup  REAL,                      -- of those that passed
  screened      INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (campaign, kernel, workload, technique, contract_hash)
) STRICT, WITHOUT ROWID;

-- How the iterations of each campaign ended: outcome, and the class that says why ("": none). example: the newest.
CREATE TABLE rollup_end (
  campaign   INTEGER NOT NULL REFERENCES campaign(id),
  outcome    TEXT NOT NULL,
  class      TEXT NOT NULL,
  iterations INTEGER NOT NULL,
  seconds    REAL NOT NULL,
  usd        REAL,                         -- of those whose price is known
  example    INTEGER NOT NULL REFERENCES iteration(id),
  PRIMARY KEY (campaign, outcome, class)
) STRICT, WITHOUT ROWID;

-- How the best time of each workload fell in each campaign: the passed iterations of ours that were faster than all before,
-- with what the campaign's iterations had cost until then. Without what was struck.
CREATE TABLE rollup_step (
  campaign  INTEGER NOT NULL REFERENCES campaign(id),
  kernel    TEXT NOT NULL,
  workload  TEXT NOT NULL,
  iteration INTEGER NOT NULL REFERENCES iteration(id),
  time_ns   REAL NOT NULL,
  usd       REAL,
  PRIMARY KEY (campaign, kernel, workload, iteration)
) STRICT, WITHOUT ROWID;

-- Seconds and money by stage. kernel and technique are "" for what the campaign spent outside its evaluations. The money
-- of an evaluation is shared among its stages by their seconds; the stage "other" is wall time that no stage claimed.
CREATE TABLE rollup_cost (
  campaign   INTEGER NOT NULL REFERENCES campaign(id),
  kernel     TEXT NOT NULL,
  technique  TEXT NOT NULL,
  stage      TEXT NOT NULL,
  day        TEXT NOT NULL,                -- UTC
  seconds    REAL NOT NULL,
  usd        REAL,                         -- of the seconds whose price is known
  unpriced_s REAL NOT NULL,                -- the seconds whose price is not
  PRIMARY KEY (campaign, kernel, technique, stage, day)
) STRICT, WITHOUT ROWID;

-- The same, over all campaigns of a device name: a handful of rows, however many campaigns there were. Kept by triggers on
-- rollup_cost and rollup_arm.
CREATE TABLE rollup_device_cost (
  device_name TEXT NOT NULL,
  kernel      TEXT NOT NULL,
  technique   TEXT NOT NULL,
  stage       TEXT NOT NULL,
  seconds     REAL NOT NULL,
  usd         REAL,
  unpriced_s  REAL NOT NULL,
  PRIMARY KEY (device_name, kernel, technique, stage)
) STRICT, WITHOUT ROWID;

CREATE TABLE rollup_device_technique (
  device_name  TEXT NOT NULL,
  kernel       TEXT NOT NULL,
  technique    TEXT NOT NULL,
  iterations   INTEGER NOT NULL,
  passed       INTEGER NOT NULL,
  best_speedup REAL,
  PRIMARY KEY (device_name, kernel, technique)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER iteration_keeps_best AFTER INSERT ON iteration
WHEN NEW.outcome = 'passed' AND NEW.time_ns IS NOT NULL AND NEW.purpose <> 'rival'
BEGIN
  INSERT INTO rollup_best
    SELECT NEW.kernel, NEW.workload, p.device_name, c.contract_hash, NEW.confirmed, NEW.id,
           coalesce(NEW.anchor_ns, NEW.time_ns)
    FROM candidate c, campaign p
    WHERE c.id = NEW.candidate AND p.id = NEW.campaign AND p.evidence = 1
      AND NOT EXISTS (SELECT 1 FROM refuted r WHERE r.candidate = NEW.candidate AND r.workload = NEW.workload
                                                AND r.device_name = p.device_name)
    ON CONFLICT DO UPDATE SET iteration = excluded.iteration, time_ns = excluded.time_ns WHERE excluded.time_ns < time_ns;
END;

CREATE TRIGGER iteration_refutes AFTER INSERT ON iteration
WHEN NEW.outcome IN ('wrong_answer', 'rejected')
BEGIN
  INSERT OR IGNORE INTO refuted
    SELECT NEW.candidate, NEW.workload, p.device_name, NEW.id FROM campaign p
    WHERE p.id = NEW.campaign AND p.evidence = 1;
END;

-- Its place as the best, if it held one, goes to the next fastest.
CREATE TRIGGER refuted_loses_best AFTER INSERT ON refuted
WHEN EXISTS (SELECT 1 FROM rollup_best b JOIN iteration i ON i.id = b.iteration
             WHERE b.kernel = (SELECT kernel FROM candidate WHERE id = NEW.candidate) AND b.workload = NEW.workload
               AND b.device_name = NEW.device_name AND i.candidate = NEW.candidate)
BEGIN
  DELETE FROM rollup_best
    WHERE (kernel, contract_hash) = (SELECT kernel, contract_hash FROM candidate WHERE id = NEW.candidate)
      AND workload = NEW.workload AND device_name = NEW.device_name;
  INSERT INTO rollup_best
    SELECT kernel, workload, device_name, contract_hash, confirmed, id, time_ns FROM (
      SELECT i.kernel, i.workload, p.device_name, c.contract_hash, i.confirmed, i.id,
             coalesce(i.anchor_ns, i.time_ns) AS time_ns,
             row_number() OVER (PARTITION BY i.confirmed ORDER BY coalesce(i.anchor_ns, i.time_ns), i.id) AS place
      FROM candidate me
      JOIN iteration i ON i.kernel = me.kernel
      JOIN candidate c ON c.id = i.candidate AND c.contract_hash = me.contract_hash
      JOIN campaign p ON p.id = i.campaign AND p.evidence = 1
      WHERE me.id = NEW.candidate AND i.workload = NEW.workload AND p.device_name = NEW.device_name
        AND i.outcome = 'passed' AND i.time_ns IS NOT NULL AND i.purpose <> 'rival'
        AND NOT EXISTS (SELECT 1 FROM refuted r WHERE r.candidate = i.candidate AND r.workload = i.workload
                                                  AND r.device_name = p.device_name))
    WHERE place = 1;
END;

-- An import is asked to count: what its iterations would have done one by one.
CREATE TRIGGER campaign_becomes_evidence AFTER UPDATE OF evidence ON campaign
WHEN NEW.evidence = 1 AND OLD.evidence = 0
BEGIN
  INSERT OR IGNORE INTO refuted
    SELECT candidate, workload, NEW.device_name, min(id) FROM iteration
    WHERE campaign = NEW.id AND outcome IN ('wrong_answer', 'rejected') GROUP BY candidate, workload;
  INSERT INTO rollup_best
    SELECT kernel, workload, NEW.device_name, contract_hash, confirmed, id, time_ns FROM (
      SELECT i.kernel, i.workload, c.contract_hash, i.confirmed, i.id,
             coalesce(i.anchor_ns, i.time_ns) AS time_ns,
             row_number() OVER (PARTITION BY i.kernel, i.workload, c.contract_hash, i.confirmed
                                ORDER BY coalesce(i.anchor_ns, i.time_ns), i.id) AS place
      FROM iteration i JOIN candidate c ON c.id = i.candidate
      WHERE i.campaign = NEW.id AND i.outcome = 'passed' AND i.time_ns IS NOT NULL AND i.purpose <> 'rival'
        AND NOT EXISTS (SELECT 1 FROM refuted r WHERE r.candidate = i.candidate AND r.workload = i.workload
                                                  AND r.device_name = NEW.device_name))
    WHERE place = 1
    ON CONFLICT DO UPDATE SET iteration = excluded.iteration, time_ns = excluded.time_ns WHERE excluded.time_ns < time_ns;
END;

CREATE TRIGGER iteration_counts_for_its_arm AFTER INSERT ON iteration
BEGIN
  INSERT INTO rollup_arm
    SELECT NEW.campaign, NEW.kernel, NEW.workload, c.technique, c.contract_hash, 1, NEW.outcome = 'passed', NEW.wall_s,
           CASE WHEN NEW.outcome = 'passed' THEN NEW.speedup END, NEW.outcome = 'screened'
    FROM candidate c WHERE c.id = NEW.candidate
      AND NOT EXISTS (SELECT 1 FROM attempt a WHERE a.id = NEW.attempt AND a.parent IS NOT NULL)   -- an edit is no such evidence
    ON CONFLICT DO UPDATE SET
      iterations   = iterations + 1,
      passed       = passed + excluded.passed,
      screened     = screened + excluded.screened,
      wall_s       = wall_s + excluded.wall_s,
      best_speedup = max(coalesce(best_speedup, excluded.best_speedup), coalesce(excluded.best_speedup, best_speedup));
END;

CREATE TRIGGER iteration_ends AFTER INSERT ON iteration
BEGIN
  INSERT INTO rollup_end
    VALUES (NEW.campaign, NEW.outcome, coalesce(NEW.error_class, ''), 1, NEW.wall_s, NEW.usd, NEW.id)
    ON CONFLICT DO UPDATE SET
      iterations = iterations + 1,
      seconds    = seconds + excluded.seconds,
      usd        = CASE WHEN excluded.usd IS NULL THEN usd ELSE coalesce(usd, 0) + excluded.usd END,
      example    = excluded.example;
  INSERT OR IGNORE INTO struck
    SELECT NEW.campaign, NEW.workload, NEW.candidate
    WHERE (NEW.purpose = 'confirm' AND NEW.confirmed = 0 AND NEW.outcome NOT IN ('interrupted', 'lost'))
       OR (NEW.outcome = 'passed' AND EXISTS (
             SELECT 1 FROM refuted r WHERE r.candidate = NEW.candidate AND r.workload = NEW.workload
               AND r.device_name = (SELECT device_name FROM campaign WHERE id = NEW.campaign)));
  INSERT INTO rollup_step
    SELECT NEW.campaign, NEW.kernel, NEW.workload, NEW.id, NEW.time_ns,
           (SELECT sum(e.usd) FROM rollup_end e WHERE e.campaign = NEW.campaign)
    WHERE NEW.outcome = 'passed' AND NEW.purpose <> 'rival' AND NEW.time_ns IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM rollup_step s WHERE s.campaign = NEW.campaign AND s.kernel = NEW.kernel
                      AND s.workload = NEW.workload AND s.time_ns <= NEW.time_ns)
      AND NOT EXISTS (SELECT 1 FROM struck l WHERE l.campaign = NEW.campaign AND l.workload = NEW.workload
                      AND l.candidate = NEW.candidate);
END;

CREATE TRIGGER refuted_is_struck AFTER INSERT ON refuted
BEGIN
  INSERT OR IGNORE INTO struck
    SELECT i.campaign, i.workload, i.candidate FROM iteration i JOIN campaign p ON p.id = i.campaign
    WHERE i.candidate = NEW.candidate AND i.workload = NEW.workload AND i.outcome = 'passed' AND p.device_name = NEW.device_name;
END;

-- Where it was a step, the times fell otherwise.
CREATE TRIGGER struck_leaves_steps AFTER INSERT ON struck
WHEN EXISTS (SELECT 1 FROM rollup_step s JOIN iteration i ON i.id = s.iteration
             WHERE s.campaign = NEW.campaign AND s.workload = NEW.workload AND i.candidate = NEW.candidate)
BEGIN
  DELETE FROM rollup_step
    WHERE campaign = NEW.campaign AND workload = NEW.workload AND kernel = (SELECT kernel FROM candidate WHERE id = NEW.candidate);
  INSERT INTO rollup_step
    SELECT NEW.campaign, kernel, workload, id, time_ns, usd FROM (
      SELECT kernel, workload, id, time_ns, ours, sum(usd) OVER (ORDER BY id) AS usd,
             min(time_ns) OVER (PARTITION BY ours ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before_ns
      FROM (SELECT i.*, i.outcome = 'passed' AND i.purpose <> 'rival' AND i.time_ns IS NOT NULL AND i.workload = NEW.workload
                   AND i.kernel = (SELECT kernel FROM candidate WHERE id = NEW.candidate)
                   AND NOT EXISTS (SELECT 1 FROM struck l WHERE l.campaign = NEW.campaign AND l.workload = NEW.workload
                                   AND l.candidate = i.candidate) AS ours
            FROM iteration i WHERE i.campaign = NEW.campaign))
    WHERE ours AND (before_ns IS NULL OR time_ns < before_ns);
END;

CREATE TRIGGER iteration_costs AFTER INSERT ON iteration
BEGIN
  INSERT INTO rollup_cost
    SELECT NEW.campaign, NEW.kernel, c.technique, s.stage, date(NEW.ended_unix, 'unixepoch'), s.seconds,
           NEW.usd * iif(s.total > 0, s.seconds / s.total, 1), iif(NEW.usd IS NULL, s.seconds, 0)
    FROM candidate c, (
      SELECT stage, seconds, sum(seconds) OVER () AS total FROM (
        SELECT 'decide' AS stage, NEW.decide_s AS seconds
        UNION ALL SELECT 'prepare', NEW.prepare_s
        UNION ALL SELECT 'build', NEW.build_s
        UNION ALL SELECT 'gates', NEW.gates_s
        UNION ALL SELECT 'timing', NEW.timing_s
        UNION ALL SELECT 'idle', NEW.idle_s
        UNION ALL SELECT 'other', max(0, NEW.wall_s - (NEW.decide_s + NEW.prepare_s + NEW.build_s + NEW.gates_s
                                                       + NEW.timing_s + NEW.idle_s)))) s
    WHERE c.id = NEW.candidate AND (s.seconds > 0 OR (s.stage = 'other' AND s.total = 0 AND NEW.usd > 0))
    ON CONFLICT DO UPDATE SET
      seconds    = seconds + excluded.seconds,
      usd        = CASE WHEN excluded.usd IS NULL THEN usd ELSE coalesce(usd, 0) + excluded.usd END,
      unpriced_s = unpriced_s + excluded.unpriced_s;
END;

CREATE TRIGGER charge_costs AFTER INSERT ON charge
BEGIN
  INSERT INTO rollup_cost
    VALUES (NEW.campaign, '', '', NEW.stage, NEW.day, NEW.seconds, NEW.usd, iif(NEW.usd IS NULL, NEW.seconds, 0));
END;
CREATE TRIGGER further_charge_costs AFTER UPDATE ON charge
BEGIN
  UPDATE rollup_cost SET seconds = NEW.seconds, usd = NEW.usd, unpriced_s = iif(NEW.usd IS NULL, NEW.seconds, 0)
    WHERE campaign = NEW.campaign AND kernel = '' AND technique = '' AND stage = NEW.stage AND day = NEW.day;
END;

CREATE TRIGGER cost_adds_to_device AFTER INSERT ON rollup_cost
BEGIN
  INSERT INTO rollup_device_cost
    SELECT p.device_name, NEW.kernel, NEW.technique, NEW.stage, NEW.seconds, NEW.usd, NEW.unpriced_s
    FROM campaign p WHERE p.id = NEW.campaign
    ON CONFLICT DO UPDATE SET
      seconds    = seconds + excluded.seconds,
      usd        = CASE WHEN excluded.usd IS NULL THEN usd ELSE coalesce(usd, 0) + excluded.usd END,
      unpriced_s = unpriced_s + excluded.unpriced_s;
END;
CREATE TRIGGER further_cost_adds_to_device AFTER UPDATE ON rollup_cost
BEGIN
  UPDATE rollup_device_cost SET
      seconds    = seconds + (NEW.seconds - OLD.seconds),
      usd        = CASE WHEN NEW.usd IS NULL THEN usd ELSE coalesce(usd, 0) + (NEW.usd - coalesce(OLD.usd, 0)) END,
      unpriced_s = unpriced_s + (NEW.unpriced_s - OLD.unpriced_s)
    WHERE device_name = (SELECT device_name FROM campaign WHERE id = NEW.campaign)
      AND kernel = NEW.kernel AND technique = NEW.technique AND stage = NEW.stage;
END;

CREATE TRIGGER arm_adds_to_device AFTER INSERT ON rollup_arm
BEGIN
  INSERT INTO rollup_device_technique
    SELECT p.device_name, NEW.kernel, NEW.technique, NEW.iterations, NEW.passed, NEW.best_speedup
    FROM campaign p WHERE p.id = NEW.campaign
    ON CONFLICT DO UPDATE SET
      iterations   = iterations + excluded.iterations,
      passed       = passed + excluded.passed,
      best_speedup = max(coalesce(best_speedup, excluded.best_speedup), coalesce(excluded.best_speedup, best_speedup));
END;
CREATE TRIGGER arm_grows_on_device AFTER UPDATE ON rollup_arm
BEGIN
  UPDATE rollup_device_technique SET
      iterations   = iterations + (NEW.iterations - OLD.iterations),
      passed       = passed + (NEW.passed - OLD.passed),
      best_speedup = max(coalesce(best_speedup, NEW.best_speedup), coalesce(NEW.best_speedup, best_speedup))
    WHERE device_name = (SELECT device_name FROM campaign WHERE id = NEW.campaign)
      AND kernel = NEW.kernel AND technique = NEW.technique;
END;

------------------------------------------------------------------------------------------------------ views for people

-- One row an iteration. `harness history` shows the newest.
CREATE VIEW v_iterations AS
  SELECT i.id AS iteration, i.campaign, i.kernel, i.workload, c.variant, c.technique, c.config, p.device, p.device_name,
         i.purpose,
--{fields for people}
         i.floor_ns / i.time_ns AS of_floor, i.reachable_ns / i.time_ns AS of_limit, i.error_class, i.error_message, a.decision, a.ask, c.contract_hash, c.source_hash,
         (SELECT hash FROM binary b WHERE b.id = i.binary) AS binary_hash,
         strftime('%Y-%m-%d %H:%M:%S', i.ended_unix, 'unixepoch') AS ended, p.imported, a.label, a.parent, a.node, a.device_uuid
  FROM iteration i
  JOIN attempt a ON a.id = i.attempt
  JOIN candidate c ON c.id = i.candidate
  JOIN campaign p ON p.id = i.campaign;

-- The best of each kernel, workload and device under its newest contract: of what was confirmed, which is timed again in fresh
-- processes on fresh inputs; where nothing was, of what passed all gates (confirmed is 0).
CREATE VIEW v_best AS
  WITH dated AS (
    SELECT b.*, max(i.ended_unix) OVER (PARTITION BY b.kernel, b.workload, b.device_name, b.contract_hash) AS newest
    FROM rollup_best b JOIN iteration i ON i.id = b.iteration),
  chosen AS (
    SELECT kernel, workload, device_name, iteration,
           row_number() OVER (PARTITION BY kernel, workload, device_name ORDER BY newest DESC, contract_hash, confirmed DESC) AS place
    FROM dated)
  SELECT b.kernel, b.workload, b.device_name, c.variant, c.technique, c.config, i.time_ns, i.time_lo_ns, i.time_hi_ns,
         i.baseline_ns, i.speedup, i.speedup_lo, i.speedup_hi, i.floor_ns, i.floor_ns / i.time_ns AS of_floor, i.reachable_ns AS limit_ns,
         i.reachable_ns / i.time_ns AS of_limit, i.confirmed, i.emulation, i.id AS iteration, i.campaign, p.device, c.contract_hash, c.source_hash,
         strftime('%Y-%m-%d %H:%M:%S', i.ended_unix, 'unixepoch') AS ended, p.imported, a.label, a.parent
  FROM chosen b
  JOIN iteration i ON i.id = b.iteration
  JOIN attempt a ON a.id = i.attempt
  JOIN candidate c ON c.id = i.candidate
  JOIN campaign p ON p.id = i.campaign
  WHERE b.place = 1;

-- What a card that was quarantined did since its last good calibration.
CREATE VIEW v_doubted AS
  SELECT i.id AS iteration, i.campaign, a.node, a.device_uuid, q.id AS card_check, q.why
  FROM card_check q
  JOIN attempt a ON a.campaign = q.campaign AND a.node = q.node AND a.device_uuid = q.device_uuid
                AND a.begun_unix <= q.checked_unix
                AND a.begun_unix >= coalesce((SELECT max(g.checked_unix) FROM card_check g
                                              WHERE g.campaign = q.campaign AND g.node = q.node AND g.id < q.id
                                                AND g.verdict IN ('first', 'good')), 0)
  JOIN iteration i ON i.attempt = a.id
  WHERE q.verdict = 'quarantined';

-- What each technique has been worth so far, by kernel and device.
CREATE VIEW v_techniques AS
  SELECT r.kernel, r.technique, p.device_name, count(DISTINCT r.workload) AS workloads, count(DISTINCT r.campaign) AS campaigns,
         sum(r.iterations) AS iterations, sum(r.passed) AS passed, 1.0 * sum(r.passed) / sum(r.iterations) AS pass_rate,
         max(r.best_speedup) AS best_speedup, sum(r.wall_s) AS wall_s, sum(r.wall_s) / sum(r.iterations) AS wall_s_per_iteration
  FROM rollup_arm r JOIN campaign p ON p.id = r.campaign AND p.evidence = 1
  GROUP BY r.kernel, r.technique, p.device_name;

-- Where time and money went. technique is NULL for what a campaign spent outside its evaluations.
CREATE VIEW v_costs AS
  SELECT r.campaign, p.name AS campaign_name, p.device, p.device_name, nullif(r.kernel, '') AS kernel,
         nullif(r.technique, '') AS technique, r.stage, r.day, r.seconds, r.usd, r.unpriced_s
  FROM rollup_cost r JOIN campaign p ON p.id = r.campaign;

-- Each decision with what it predicted and what came of it. predict_speedup_*: the range of an evaluation that passes.
CREATE VIEW v_decisions AS
  SELECT d.id AS decision, d.campaign, d.action, d.kernel, d.workload, d.technique, d.from_kernel IS NOT NULL AS pivot,
         d.from_kernel, d.from_workload, d.from_technique, d.rule, d.reason, d.why, d.predict_speedup_lo, d.predict_speedup_hi,
         d.predict_evaluations,
         (SELECT count(*) FROM attempt a JOIN iteration i ON i.attempt = a.id WHERE a.decision = d.id) AS iterations,
         (SELECT max(i.speedup) FROM attempt a JOIN iteration i ON i.attempt = a.id WHERE a.decision = d.id) AS best_speedup,
         d.script, d.script_hash, d.decide_s, strftime('%Y-%m-%d %H:%M:%S', d.now_unix, 'unixepoch') AS decided,
         d.predict_probability, d.predict_minutes_lo, d.predict_minutes_hi, d.rule_numbers, d.patterns
  FROM decision d;

-- Each prediction beside what was seen. held: the 90 % range was right; NULL: it was not put to the test.
CREATE VIEW v_predictions AS
  SELECT d.id AS decision, d.campaign, d.script, p.device_name, i.id AS iteration, d.kernel, d.workload, d.technique, i.outcome,
         d.predict_speedup_lo, d.predict_speedup_hi, i.speedup,
         CASE WHEN i.speedup IS NOT NULL AND d.predict_speedup_lo < d.predict_speedup_hi
              THEN i.speedup BETWEEN d.predict_speedup_lo AND d.predict_speedup_hi END AS speedup_held,
         d.predict_minutes_lo, d.predict_minutes_hi, i.wall_s / 60 AS minutes,
         CASE WHEN d.predict_minutes_lo IS NOT NULL AND i.wall_s > 0 AND i.outcome <> 'interrupted'
              THEN i.wall_s / 60 BETWEEN d.predict_minutes_lo AND d.predict_minutes_hi END AS minutes_held,
         d.predict_probability
  FROM decision d
  JOIN attempt a ON a.decision = d.id AND a.purpose = 'search'
  JOIN iteration i ON i.attempt = a.id
  JOIN campaign p ON p.id = d.campaign;

-- Were 90 % ranges right 90 % of the time? By campaign and strategy.
CREATE VIEW v_calibration AS
  SELECT campaign, script, device_name, count(speedup_held) AS speedups, avg(speedup_held) AS speedup_share_held,
         count(minutes_held) AS minutes, avg(minutes_held) AS minutes_share_held,
         count(predict_probability) AS probabilities, avg(predict_probability) AS passed_predicted,
         avg(CASE WHEN predict_probability IS NOT NULL THEN outcome IN ('passed', 'screened', 'abandoned') END) AS passed_seen
  FROM v_predictions
  GROUP BY campaign, script, device_name;

-- The fastest rival (a library doing the same work) that passed, for each kernel, workload, device and contract.
CREATE INDEX iteration_rivals ON iteration(kernel, workload, time_ns) WHERE purpose = 'rival' AND outcome = 'passed';
CREATE VIEW v_rivals AS
  WITH placed AS (
    SELECT i.id, i.kernel, i.workload, p.device_name, c.contract_hash, c.variant, c.config, i.time_ns,
           row_number() OVER (PARTITION BY i.kernel, i.workload, p.device_name, c.contract_hash ORDER BY i.time_ns, i.id) AS place
    FROM iteration i INDEXED BY iteration_rivals
    JOIN candidate c ON c.id = i.candidate JOIN campaign p ON p.id = i.campaign AND p.evidence = 1
    WHERE i.purpose = 'rival' AND i.outcome = 'passed' AND i.time_ns IS NOT NULL)
  SELECT kernel, workload, device_name, contract_hash, variant AS rival_variant, config AS rival_config, time_ns AS rival_ns,
         id AS rival_iteration
  FROM placed WHERE place = 1;

-- The fastest of those programs, each by its newest figure.
CREATE VIEW v_outside AS
  WITH newest AS (
    SELECT *, row_number() OVER (PARTITION BY kernel, workload, device_name, program ORDER BY measured DESC) AS age
    FROM outside_figure),
  placed AS (
    SELECT *, row_number() OVER (PARTITION BY kernel, workload, device_name ORDER BY time_ns, program) AS place
    FROM newest WHERE age = 1)
  SELECT kernel, workload, device_name, program AS outside_program, time_ns AS outside_ns, method AS outside_method,
         measured AS outside_measured
  FROM placed WHERE place = 1;

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

------------------------------------------------------------------------------------------------------ agents

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
--{fields for agents}
         iif(i.emulation AND p.device_name LIKE '%, predicted, not measured', i.time_ns, NULL) AS predicted_ns,
         iif(i.emulation AND p.device_name NOT LIKE '%, predicted, not measured', i.time_ns, NULL) AS emulated_ns,
         i.error_class, a.decision, a.label, c.source_hash,
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
