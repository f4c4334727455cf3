-- The fastest time of each candidate on each workload, without reading the rows themselves.
CREATE INDEX iteration_fastest ON iteration(kernel, workload, candidate, campaign, time_ns, confirmed)
  WHERE outcome = 'passed' AND purpose <> 'rival' AND time_ns IS NOT NULL;
