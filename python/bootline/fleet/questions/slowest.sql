-- SPDX-License-Identifier: MIT OR Apache-2.0
-- The parts on which the fleet spends most time. From the rollups: quantiles are within 2 %, totals exact.
-- Parameters: board, build (null: all), since, until (dates), kind (null: initcalls, probes, async calls and units), most (rows).
WITH buckets AS (
    SELECT board, clock, kind, name, bucket, sum(count) AS boots, sum(sum_us) AS us
    FROM rollups
    WHERE (kind = :kind OR :kind IS NULL AND kind IN ('initcall', 'probe', 'async', 'unit'))
        AND (:board IS NULL OR board = :board) AND (:build IS NULL OR build = :build)
        AND date BETWEEN :since AND :until
    GROUP BY board, clock, kind, name, bucket
),
ranked AS (
    SELECT *,
        us / boots AS value_us,
        sum(boots) OVER (PARTITION BY board, clock, kind, name ORDER BY bucket) AS up_to,
        sum(boots) OVER (PARTITION BY board, clock, kind, name) AS total
    FROM buckets
)
SELECT board, clock, kind, name,
    CAST(max(total) AS BIGINT) AS boots,
    -- Of an even number, the mean of the two in the middle.
    0.5 * (min(value_us) FILTER (WHERE up_to >= 0.5 * total) + min(value_us) FILTER (WHERE up_to > 0.5 * total)) AS median_us,
    min(value_us) FILTER (WHERE up_to >= 0.9 * total) AS p90_us,
    CAST(sum(us) AS BIGINT) AS total_us
FROM ranked
GROUP BY board, clock, kind, name
ORDER BY total_us DESC, board NULLS FIRST, clock, kind, name
LIMIT :most
