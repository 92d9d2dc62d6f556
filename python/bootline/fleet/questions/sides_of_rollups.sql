-- SPDX-License-Identifier: MIT OR Apache-2.0
-- How often boots of either side took so long, in all and for each part, and the bounds between which each of them did. From the rollups:
-- values of parts are within 2 %; those of whole boots are from boots, within 0.1 %.
-- A value is the mean of all boots in its bucket, those of both sides. Were it the mean of one side, no boot of this would equal one of the
-- other, and a rank test would take the order of two means for that of all their boots.
-- Parameters: base_board, base_build, base_clock, base_since, base_until, new_board, new_build, new_clock, new_since, new_until (null: all),
-- by_board (whether boards are compared apart), least_us: parts that never take so long are left out.
WITH sided AS (
    SELECT 'base' AS side, * FROM rollups
    WHERE kind <> 'boot' AND (:base_board IS NULL OR board = :base_board) AND (:base_build IS NULL OR build = :base_build)
        AND (:base_clock IS NULL OR clock = :base_clock) AND date BETWEEN :base_since AND :base_until
    UNION ALL
    SELECT 'new' AS side, * FROM rollups
    WHERE kind <> 'boot' AND (:new_board IS NULL OR board = :new_board) AND (:new_build IS NULL OR build = :new_build)
        AND (:new_clock IS NULL OR clock = :new_clock) AND date BETWEEN :new_since AND :new_until
),
sided_boots AS (
    SELECT 'base' AS side, CASE WHEN :by_board THEN board END AS board, clock, ended_by, dur_us, app_dur_us FROM boots
    WHERE usable AND (:base_board IS NULL OR board = :base_board) AND (:base_build IS NULL OR build = :base_build)
        AND (:base_clock IS NULL OR clock = :base_clock) AND date BETWEEN :base_since AND :base_until
    UNION ALL
    SELECT 'new' AS side, CASE WHEN :by_board THEN board END AS board, clock, ended_by, dur_us, app_dur_us FROM boots
    WHERE usable AND (:new_board IS NULL OR board = :new_board) AND (:new_build IS NULL OR build = :new_build)
        AND (:new_clock IS NULL OR clock = :new_clock) AND date BETWEEN :new_since AND :new_until
),
named AS (
    SELECT side, board, clock, CASE WHEN ended_by = 'marker' THEN 'time-to-marker' ELSE 'time-to-init' END AS name, dur_us AS us
    FROM sided_boots WHERE dur_us IS NOT NULL
    UNION ALL
    SELECT side, board, clock, 'time-to-application', app_dur_us FROM sided_boots WHERE app_dur_us IS NOT NULL
),
buckets AS (
    SELECT side, CASE WHEN :by_board THEN board END AS board, clock, kind, name, bucket, sum(count) AS boots, sum(sum_us) AS us,
        CASE WHEN bucket < 0 THEN 0 ELSE power(1.02, bucket - 1) END AS low_us,
        CASE WHEN bucket < 0 THEN 0 ELSE power(1.02, bucket) END AS high_us
    FROM sided
    GROUP BY side, CASE WHEN :by_board THEN board END, clock, kind, name, bucket
    UNION ALL
    SELECT side, board, clock, 'boot', name, floor(1000 * ln(greatest(us, 1))), count(*), sum(us), min(us), max(us)
    FROM named
    GROUP BY side, board, clock, name, floor(1000 * ln(greatest(us, 1)))
),
of_both AS (
    SELECT side, board, clock, kind, name, boots AS boots_of_side,
        sum(boots) OVER (PARTITION BY board, clock, kind, name, bucket) AS boots,
        sum(us) OVER (PARTITION BY board, clock, kind, name, bucket) AS us,
        min(low_us) OVER (PARTITION BY board, clock, kind, name, bucket) AS low_us,
        max(high_us) OVER (PARTITION BY board, clock, kind, name, bucket) AS high_us
    FROM buckets
),
-- What a bucket's only boot took is known.
valued AS (
    SELECT side, board, clock, kind, name, CAST(us / boots AS DOUBLE) AS value_us,
        CAST(CASE WHEN boots = 1 THEN us ELSE low_us END AS DOUBLE) AS low_us,
        CAST(CASE WHEN boots = 1 THEN us ELSE high_us END AS DOUBLE) AS high_us,
        CAST(boots_of_side AS BIGINT) AS boots
    FROM of_both
),
with_greatest AS (
    SELECT *, max(value_us) OVER (PARTITION BY board, clock, kind, name) AS greatest_us FROM valued
)
SELECT board, clock, kind, name, side, value_us, low_us, high_us, boots
FROM with_greatest
WHERE greatest_us >= :least_us
ORDER BY board NULLS FIRST, clock, kind, name, side, value_us
