-- SPDX-License-Identifier: MIT OR Apache-2.0
-- The median of every part in each build, in the order of commits: what changes are looked for in. From the rollups: within 1 %.
-- Parameters: board (null: all), since, until (dates), least_us: parts that never take so long are left out.
WITH first_boots AS (
    SELECT build, min(start_time) AS first_boot FROM boots WHERE build IS NOT NULL GROUP BY build
),
places AS (
    SELECT first_boots.build,
        row_number() OVER (
            ORDER BY builds.ordinal NULLS LAST, builds.start_time NULLS LAST, first_boots.first_boot NULLS LAST, first_boots.build
        ) AS place
    FROM first_boots LEFT JOIN builds ON builds.build = first_boots.build
),
buckets AS (
    SELECT board, build, clock, kind, name, bucket, sum(count) AS boots, sum(sum_us) AS us
    FROM rollups
    WHERE build IS NOT NULL AND (:board IS NULL OR board = :board) AND date BETWEEN :since AND :until
    GROUP BY board, build, clock, kind, name, bucket
),
ranked AS (
    SELECT *,
        us / boots AS value_us,
        sum(boots) OVER (PARTITION BY board, build, clock, kind, name ORDER BY bucket) AS up_to,
        sum(boots) OVER (PARTITION BY board, build, clock, kind, name) AS total
    FROM buckets
),
medians AS (
    SELECT board, build, clock, kind, name,
        CAST(max(total) AS BIGINT) AS boots,
        min(value_us) FILTER (WHERE up_to >= 0.5 * total) AS median_us
    FROM ranked
    GROUP BY board, build, clock, kind, name
),
with_greatest AS (
    SELECT *, max(median_us) OVER (PARTITION BY board, clock, kind, name) AS greatest_us FROM medians
)
SELECT board, clock, kind, name, places.place, with_greatest.build, boots, median_us
FROM with_greatest JOIN places ON places.build = with_greatest.build
WHERE greatest_us >= :least_us
ORDER BY board NULLS FIRST, clock, kind, name, places.place
