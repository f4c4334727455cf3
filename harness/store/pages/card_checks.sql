-- Calibrations of cards, the newest first
SELECT k.campaign, k.node, k.device_uuid AS card, k.device_name, k.driver_release AS driver, k.occasion, k.verdict, k.bytes_per_s,
       k.operations_per_s, k.drift, k.why, k.state, strftime('%Y-%m-%d %H:%M:%S', k.checked_unix, 'unixepoch') AS checked
FROM card_check k ORDER BY k.id DESC LIMIT 300
