-- SPDX-License-Identifier: MIT OR Apache-2.0
-- What each boot of the view chosen (boot_id, side) took, in all and for each part.
-- Parameters: least_us: parts that never take so long are left out.
WITH parts AS (
    SELECT chosen.side, spans.boot_id, spans.clock, spans.kind, spans.name, sum(greatest(dur_us - console_us, 0)) AS us
    FROM spans JOIN chosen ON chosen.boot_id = spans.boot_id
    WHERE dur_us IS NOT NULL
    GROUP BY chosen.side, spans.boot_id, spans.clock, spans.kind, spans.name
    UNION ALL
    SELECT chosen.side, boots.boot_id, clock, 'boot', CASE WHEN ended_by = 'marker' THEN 'time-to-marker' ELSE 'time-to-init' END, dur_us
    FROM boots JOIN chosen ON chosen.boot_id = boots.boot_id
    WHERE dur_us IS NOT NULL
    UNION ALL
    SELECT chosen.side, boots.boot_id, clock, 'boot', 'application', app_dur_us
    FROM boots JOIN chosen ON chosen.boot_id = boots.boot_id
    WHERE app_dur_us IS NOT NULL
),
with_greatest AS (
    SELECT *, max(us) OVER (PARTITION BY clock, kind, name) AS greatest_us FROM parts
)
SELECT clock, kind, name, side, CAST(us AS BIGINT) AS us
FROM with_greatest
WHERE greatest_us >= :least_us
ORDER BY clock, kind, name, side, us
