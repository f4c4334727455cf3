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
