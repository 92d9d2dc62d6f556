-- SPDX-License-Identifier: MIT OR Apache-2.0
-- How long boots, their stages and phases take, by board and clock, and by build if asked. From the rollups, where each figure is within
-- 2 % (it is the mean of its bucket, and the median is interpolated within it; that of an even number lies between the two in the
-- middle); the time to the application from boots. The bounds of the median are those of the buckets that hold its order statistics (95 %).
-- Parameters: board, build (null: all), since, until (dates), by_build (whether builds are rows of their own).
WITH buckets AS (
    SELECT board, CASE WHEN :by_build THEN build END AS build, clock, kind, name, bucket, sum(count) AS boots, sum(sum_us) AS us
    FROM rollups
    WHERE kind IN ('boot', 'stage', 'phase')
        AND (:board IS NULL OR board = :board) AND (:build IS NULL OR build = :build)
        AND date BETWEEN :since AND :until
    GROUP BY board, CASE WHEN :by_build THEN build END, clock, kind, name, bucket
),
applications AS (
    SELECT board, CASE WHEN :by_build THEN build END AS build, clock, app_dur_us, count(*) AS boots
    FROM boots
    WHERE usable AND app_dur_us IS NOT NULL
        AND (:board IS NULL OR board = :board) AND (:build IS NULL OR build = :build)
        AND date BETWEEN :since AND :until
    GROUP BY board, CASE WHEN :by_build THEN build END, clock, app_dur_us
),
valued AS (
    SELECT board, build, clock, kind, name, us / boots AS value_us, boots,
        CASE WHEN bucket < 0 THEN 0 ELSE power(1.02, bucket - 1) END AS low_us,
        CASE WHEN bucket < 0 THEN 0 ELSE power(1.02, bucket) END AS high_us
    FROM buckets
    UNION ALL
    SELECT board, build, clock, 'boot', 'time-to-application', app_dur_us, boots, app_dur_us, app_dur_us FROM applications
),
ranked AS (
    SELECT *,
        sum(boots) OVER (
            PARTITION BY board, build, clock, kind, name ORDER BY value_us ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS up_to,
        sum(boots) OVER (PARTITION BY board, build, clock, kind, name) AS total
    FROM valued
),
interpolated AS (
    SELECT *,
        least(
            greatest(value_us + ((0.5 * total - up_to + boots) / boots - 0.5) * (high_us - low_us) * (1 - 1.0 / boots), low_us), high_us
        ) AS middle_us
    FROM ranked
)
SELECT board, build, clock, kind, name,
    CAST(max(total) AS BIGINT) AS boots,
    min(value_us) AS least_us,
    min(value_us) FILTER (WHERE up_to >= 0.1 * total) AS p10_us,
    min(low_us) FILTER (WHERE up_to >= 0.5 * total - 0.98 * sqrt(total)) AS median_low_us,
    0.5 * (min(middle_us) FILTER (WHERE up_to >= 0.5 * total) + min(middle_us) FILTER (WHERE up_to > 0.5 * total)) AS median_us,
    min(high_us) FILTER (WHERE up_to >= least(0.5 * total + 0.98 * sqrt(total) + 1, total)) AS median_high_us,
    min(value_us) FILTER (WHERE up_to >= 0.9 * total) AS p90_us,
    max(value_us) AS greatest_us
FROM interpolated
GROUP BY board, build, clock, kind, name
ORDER BY board NULLS FIRST, build NULLS FIRST, clock, kind, median_us DESC, name
