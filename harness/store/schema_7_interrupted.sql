CREATE TABLE attempt_boot (
  attempt INTEGER PRIMARY KEY REFERENCES attempt(id),
  boot    TEXT NOT NULL
) STRICT;

CREATE TABLE admission_part (
  hash        TEXT NOT NULL,
  device_name TEXT NOT NULL,
  part        TEXT NOT NULL,
  found       TEXT NOT NULL,   -- json
  PRIMARY KEY (hash, device_name, part)
) STRICT, WITHOUT ROWID;
