-- From version 1 to 2: sums over all campaigns of a device name, so that `cost` does not slow down with their number.
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

INSERT INTO rollup_device_cost
  SELECT p.device_name, r.kernel, r.technique, r.stage, sum(r.seconds), sum(r.usd), sum(r.unpriced_s)
  FROM rollup_cost r JOIN campaign p ON p.id = r.campaign GROUP BY 1, 2, 3, 4;
INSERT INTO rollup_device_technique
  SELECT p.device_name, r.kernel, r.technique, sum(r.iterations), sum(r.passed), max(r.best_speedup)
  FROM rollup_arm r JOIN campaign p ON p.id = r.campaign GROUP BY 1, 2, 3;
