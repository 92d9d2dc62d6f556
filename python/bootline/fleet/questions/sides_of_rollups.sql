-- SPDX-License-Identifier: MIT OR Apache-2.0
-- How often boots of either side took so long, in all and for each part. From the rollups: values are within 2 %.
-- Parameters: base_board, base_build, base_clock, base_since, base_until, new_board, new_build, new_clock, new_since, new_until (null: all),
-- by_board (whether boards are compared apart), least_us: parts that never take so long are left out.
WITH sided AS (
    SELECT 'base' AS side, * FROM rollups
    WHERE (:base_board IS NULL OR board = :base_board) AND (:base_build IS NULL OR build = :base_build)
        AND (:base_clock IS NULL OR clock = :base_clock) AND date BETWEEN :base_since AND :base_until
    UNION ALL
    SELECT 'new' AS side, * FROM rollups
    WHERE (:new_board IS NULL OR board = :new_board) AND (:new_build IS NULL OR build = :new_build)
        AND (:new_clock IS NULL OR clock = :new_clock) AND date BETWEEN :new_since AND :new_until
),
buckets AS (
    SELECT side, CASE WHEN :by_board THEN board END AS board, clock, kind, name, bucket, sum(count) AS boots, sum(sum_us) AS us
    FROM sided
    GROUP BY side, CASE WHEN :by_board THEN board END, clock, kind, name, bucket
),
applications AS (
    SELECT 'base' AS side, CASE WHEN :by_board THEN board END AS board, clock, app_dur_us FROM boots
    WHERE usable AND app_dur_us IS NOT NULL AND (:base_board IS NULL OR board = :base_board)
        AND (:base_build IS NULL OR build = :base_build) AND (:base_clock IS NULL OR clock = :base_clock)
        AND date BETWEEN :base_since AND :base_until
    UNION ALL
    SELECT 'new' AS side, CASE WHEN :by_board THEN board END AS board, clock, app_dur_us FROM boots
    WHERE usable AND app_dur_us IS NOT NULL AND (:new_board IS NULL OR board = :new_board)
        AND (:new_build IS NULL OR build = :new_build) AND (:new_clock IS NULL OR clock = :new_clock)
        AND date BETWEEN :new_since AND :new_until
),
valued AS (
    SELECT side, board, clock, kind, name, CAST(us / boots AS DOUBLE) AS value_us, CAST(boots AS BIGINT) AS boots FROM buckets
    UNION ALL
    SELECT side, board, clock, 'boot', 'time-to-application', CAST(app_dur_us AS DOUBLE), count(*)
    FROM applications GROUP BY side, board, clock, app_dur_us
),
with_greatest AS (
    SELECT *, max(value_us) OVER (PARTITION BY board, clock, kind, name) AS greatest_us FROM valued
)
SELECT board, clock, kind, name, side, value_us, boots
FROM with_greatest
WHERE greatest_us >= :least_us
ORDER BY board NULLS FIRST, clock, kind, name, side, value_us
