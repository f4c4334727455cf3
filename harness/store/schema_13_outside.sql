-- What programs outside of harness took on a workload.
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
