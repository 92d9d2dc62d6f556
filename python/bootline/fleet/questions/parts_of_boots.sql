-- SPDX-License-Identifier: MIT OR Apache-2.0
-- What the boots of the table chosen (boot_id, board, build, date) took longer for than others of their board and build do.
-- A boot without a part spent no time in it, provided that it shows others of its kind, or that the part is a gap.
-- Parameters: since, until (dates: those of the chosen boots), all_since, all_until (dates: those of the boots they are compared with).
WITH parts AS (
    SELECT spans.boot_id, spans.board, spans.build, spans.clock, spans.kind, spans.name, sum(greatest(dur_us - spans.console_us, 0)) AS us
    FROM spans JOIN chosen ON chosen.boot_id = spans.boot_id
    WHERE dur_us IS NOT NULL AND spans.date BETWEEN :since AND :until
    GROUP BY spans.boot_id, spans.board, spans.build, spans.clock, spans.kind, spans.name
),
of_builds AS (
    SELECT DISTINCT board, build FROM chosen
),
buckets AS (
    SELECT of_builds.board, of_builds.build, clock, kind, name, bucket, sum(count) AS boots, sum(sum_us) AS us
    FROM rollups JOIN of_builds ON of_builds.board IS NOT DISTINCT FROM rollups.board
        AND of_builds.build IS NOT DISTINCT FROM rollups.build
    WHERE date BETWEEN :all_since AND :all_until
    GROUP BY of_builds.board, of_builds.build, clock, kind, name, bucket
),
ranked AS (
    SELECT *,
        us / boots AS value_us,
        sum(boots) OVER (PARTITION BY board, build, clock, kind, name ORDER BY bucket) AS up_to,
        sum(boots) OVER (PARTITION BY board, build, clock, kind, name) AS total,
        sum(CASE WHEN kind = 'boot' THEN boots ELSE 0 END) OVER (PARTITION BY board, build, clock) AS all_boots
    FROM buckets
),
shown AS (
    SELECT *,
        CASE kind WHEN 'gap' THEN greatest(all_boots, total)
            ELSE max(total) OVER (PARTITION BY board, build, clock, kind) END AS of_boots
    FROM ranked
),
-- Of an even number, the mean of the two in the middle.
medians AS (
    SELECT board, build, clock, kind, name,
        0.5 * (
            CASE WHEN max(of_boots) >= 2 * max(total) THEN 0
                ELSE min(value_us) FILTER (WHERE up_to + of_boots - total >= 0.5 * of_boots) END
            + CASE WHEN max(of_boots) > 2 * max(total) THEN 0
                ELSE min(value_us) FILTER (WHERE up_to + of_boots - total > 0.5 * of_boots) END
        ) AS median_us
    FROM shown
    GROUP BY board, build, clock, kind, name
),
longer AS (
    SELECT parts.boot_id, parts.kind, parts.name, CAST(parts.us AS BIGINT) AS us, coalesce(medians.median_us, 0) AS median_us
    FROM parts LEFT JOIN medians
        ON medians.board IS NOT DISTINCT FROM parts.board AND medians.build IS NOT DISTINCT FROM parts.build
        AND medians.clock = parts.clock AND medians.kind = parts.kind AND medians.name = parts.name
)
SELECT boot_id, kind, name, us, median_us
FROM longer
WHERE us > median_us
ORDER BY boot_id, us - median_us DESC, kind, name
