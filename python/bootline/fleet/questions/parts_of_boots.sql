-- SPDX-License-Identifier: MIT OR Apache-2.0
-- What the boots of the view chosen (boot_id) took longer for than others of their board and build do.
-- Parameters: none.
WITH parts AS (
    SELECT spans.boot_id, board, build, clock, kind, name, sum(greatest(dur_us - console_us, 0)) AS us
    FROM spans JOIN chosen ON chosen.boot_id = spans.boot_id
    WHERE dur_us IS NOT NULL
    GROUP BY spans.boot_id, board, build, clock, kind, name
),
buckets AS (
    SELECT board, build, clock, kind, name, bucket, sum(count) AS boots, sum(sum_us) AS us
    FROM rollups
    WHERE EXISTS (
        SELECT 1 FROM parts
        WHERE coalesce(parts.board, '') = coalesce(rollups.board, '') AND coalesce(parts.build, '') = coalesce(rollups.build, '')
            AND parts.clock = rollups.clock AND parts.kind = rollups.kind AND parts.name = rollups.name
    )
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
    SELECT board, build, clock, kind, name, min(value_us) FILTER (WHERE up_to >= 0.5 * total) AS median_us
    FROM ranked
    GROUP BY board, build, clock, kind, name
)
SELECT parts.boot_id, parts.kind, parts.name, CAST(parts.us AS BIGINT) AS us, medians.median_us
FROM parts JOIN medians
    ON coalesce(medians.board, '') = coalesce(parts.board, '') AND coalesce(medians.build, '') = coalesce(parts.build, '')
    AND medians.clock = parts.clock AND medians.kind = parts.kind AND medians.name = parts.name
WHERE parts.us > medians.median_us
ORDER BY parts.boot_id, parts.us - medians.median_us DESC, parts.kind, parts.name
