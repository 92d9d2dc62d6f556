-- SPDX-License-Identifier: MIT OR Apache-2.0
-- The median of every part in each build, in the order of commits: what changes are looked for in. From the rollups: within 2 %.
-- A boot without a part spent no time in it, provided that it shows others of the kind (without initcall_debug it shows no initcall), or
-- that the part is a gap. Builds of another branch, configuration or compiler are another series.
-- Rows without a name are the builds that show parts of a kind.
-- Parameters: board (null: all), since, until (dates), least_us: parts (not boots) whose medians differ by less are left out.
WITH first_boots AS (
    SELECT build, min(start_time) AS first_boot FROM boots WHERE build IS NOT NULL GROUP BY build
),
places AS (
    SELECT first_boots.build,
        nullif(concat_ws(' ', tree_name, git_repository_branch, config_name, compiler), '') AS branch,
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
        sum(boots) OVER (PARTITION BY board, build, clock, kind, name) AS total,
        sum(CASE WHEN kind = 'boot' THEN boots ELSE 0 END) OVER (PARTITION BY board, build, clock) AS all_boots
    FROM buckets
),
counted AS (
    SELECT *,
        CASE WHEN kind = 'gap' THEN greatest(all_boots, total) ELSE max(total) OVER (PARTITION BY board, build, clock, kind) END AS of_boots
    FROM ranked
),
medians AS (
    SELECT board, build, clock, kind, name,
        CAST(max(of_boots) AS BIGINT) AS boots,
        CASE WHEN max(of_boots) >= 2 * max(total) THEN 0
            ELSE min(value_us) FILTER (WHERE up_to + of_boots - total >= 0.5 * of_boots) END AS median_us
    FROM counted
    GROUP BY board, build, clock, kind, name
),
placed AS (
    SELECT medians.*, places.branch, places.place
    FROM medians JOIN places ON places.build = medians.build
),
kinds AS (
    SELECT board, branch, clock, kind, place, build, max(boots) AS boots
    FROM placed
    GROUP BY board, branch, clock, kind, place, build
),
builds_of_kinds AS (
    SELECT board, branch, clock, kind, count(*) AS builds FROM kinds GROUP BY board, branch, clock, kind
),
parts AS (
    SELECT board, branch, clock, kind, name, count(*) AS builds, min(median_us) AS least, max(median_us) AS greatest_us
    FROM placed
    GROUP BY board, branch, clock, kind, name
)
SELECT placed.board, placed.branch, placed.clock, placed.kind, placed.name, place, build, boots, median_us
FROM placed
    JOIN parts ON coalesce(parts.board, '') = coalesce(placed.board, '') AND coalesce(parts.branch, '') = coalesce(placed.branch, '')
        AND parts.clock = placed.clock AND parts.kind = placed.kind AND parts.name = placed.name
    JOIN builds_of_kinds AS k ON coalesce(k.board, '') = coalesce(placed.board, '') AND coalesce(k.branch, '') = coalesce(placed.branch, '')
        AND k.clock = placed.clock AND k.kind = placed.kind
WHERE placed.kind = 'boot' OR greatest_us - CASE WHEN parts.builds < k.builds OR parts.kind = 'gap' THEN 0 ELSE least END >= :least_us
UNION ALL
SELECT board, branch, clock, kind, NULL, place, build, boots, NULL FROM kinds
ORDER BY board NULLS FIRST, branch NULLS FIRST, clock, kind, name NULLS FIRST, place
