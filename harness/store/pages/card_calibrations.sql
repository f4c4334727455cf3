-- Calibrations of each card of a fleet, in their order
SELECT k.node, k.device_uuid AS card, k.occasion, k.verdict, k.drift, k.bytes_per_s, k.operations_per_s,
       json_extract(k.state, '$.sm_clock_mhz') AS sm_clock_mhz, json_extract(k.state, '$.memory_clock_mhz') AS memory_clock_mhz,
       json_extract(k.state, '$.temperature_celsius') AS temperature_celsius,
       json_extract(k.state, '$.throttle_reasons') AS throttle_reasons,
       json_extract(k.state, '$.ecc_uncorrected') AS ecc_uncorrected, json_extract(k.state, '$.xids') AS xids,
       k.driver_release, k.why, k.checked_unix - p.started_unix AS after_s
FROM card_check k JOIN campaign p ON p.id = k.campaign WHERE k.campaign = :campaign ORDER BY k.node, k.id
