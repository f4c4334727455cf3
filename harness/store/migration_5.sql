-- From version 4 to 5: rivals.
-- The fastest rival (a library doing the same work) that passed, for each kernel, workload, device and contract.
CREATE INDEX iteration_rivals ON iteration(kernel, workload, time_ns) WHERE purpose = 'rival' AND outcome = 'passed';
CREATE VIEW v_rivals AS
  WITH placed AS (
    SELECT i.id, i.kernel, i.workload, p.device_name, c.contract_hash, c.variant, c.config, i.time_ns,
           row_number() OVER (PARTITION BY i.kernel, i.workload, p.device_name, c.contract_hash ORDER BY i.time_ns, i.id) AS place
    FROM iteration i JOIN candidate c ON c.id = i.candidate JOIN campaign p ON p.id = i.campaign
    WHERE i.purpose = 'rival' AND i.outcome = 'passed' AND i.time_ns IS NOT NULL)
  SELECT kernel, workload, device_name, contract_hash, variant AS rival_variant, config AS rival_config, time_ns AS rival_ns,
         id AS rival_iteration
  FROM placed WHERE place = 1;
