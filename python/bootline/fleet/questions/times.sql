-- SPDX-License-Identifier: MIT OR Apache-2.0
-- How long boots and their stages take, by board, build and clock. From the rollups: each figure is within 1 %.
-- Parameters: board, build (null: all), since, until (dates).
WITH buckets AS (
    SELECT board, build, clock, kind, name, bucket, sum(count) AS boots, sum(sum_us) AS us
    FROM rollups
    WHERE kind IN ('boot', 'stage')
        AND (:board IS NULL OR board = :board) AND (:build IS NULL OR build = :build)
        AND date BETWEEN :since AND :until
    GROUP BY board, build, clock, kind, name, bucket
),
ranked AS (
    SELECT *,
        us / boots AS value_us,
        sum(boots) OVER (PARTITION BY board, build, clock, kind, name ORDER BY bucket) AS up_to,
        sum(boots) OVER (PARTITION BY board, build, clock, kind, name) AS total
    FROM buckets
)
SELECT board, build, clock, kind, name,
    CAST(max(total) AS BIGINT) AS boots,
    min(value_us) AS least_us,
    min(value_us) FILTER (WHERE up_to >= 0.1 * total) AS p10_us,
    min(value_us) FILTER (WHERE up_to >= 0.5 * total) AS median_us,
    min(value_us) FILTER (WHERE up_to >= 0.9 * total) AS p90_us,
    max(value_us) AS greatest_us
FROM ranked
GROUP BY board, build, clock, kind, name
ORDER BY board NULLS FIRST, build NULLS FIRST, clock, kind, median_us DESC, name
