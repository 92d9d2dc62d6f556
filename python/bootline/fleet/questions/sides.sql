-- SPDX-License-Identifier: MIT OR Apache-2.0
-- What each boot of the table chosen (boot_id, side, date) took, in all and for each part.
-- Parameters: since, until (dates: those of the chosen boots), by_board (whether boards are compared apart),
-- least_us: parts that never take so long are left out.
WITH parts AS (
    SELECT chosen.side, spans.boot_id, CASE WHEN :by_board THEN spans.board END AS board, spans.clock, spans.kind, spans.name,
        sum(greatest(dur_us - spans.console_us, 0)) AS us
    -- By the date, too, so that only the chosen days are read.
    FROM spans JOIN chosen ON chosen.boot_id = spans.boot_id AND chosen.date = spans.date
    WHERE dur_us IS NOT NULL AND spans.date BETWEEN :since AND :until
    GROUP BY chosen.side, spans.boot_id, spans.board, spans.clock, spans.kind, spans.name
    UNION ALL
    SELECT chosen.side, boots.boot_id, CASE WHEN :by_board THEN boots.board END, clock, 'boot',
        CASE WHEN ended_by = 'marker' THEN 'time-to-marker' ELSE 'time-to-init' END, dur_us
    FROM boots JOIN chosen ON chosen.boot_id = boots.boot_id
    WHERE dur_us IS NOT NULL AND boots.date BETWEEN :since AND :until
    UNION ALL
    SELECT chosen.side, boots.boot_id, CASE WHEN :by_board THEN boots.board END, clock, 'boot', 'time-to-application', app_dur_us
    FROM boots JOIN chosen ON chosen.boot_id = boots.boot_id
    WHERE app_dur_us IS NOT NULL AND boots.date BETWEEN :since AND :until
),
with_greatest AS (
    SELECT *, max(us) OVER (PARTITION BY board, clock, kind, name) AS greatest_us FROM parts
)
SELECT board, clock, kind, name, side, CAST(us AS DOUBLE) AS value_us, CAST(us AS DOUBLE) AS low_us, CAST(us AS DOUBLE) AS high_us, 1 AS boots
FROM with_greatest
WHERE greatest_us >= :least_us
ORDER BY board NULLS FIRST, clock, kind, name, side, value_us
