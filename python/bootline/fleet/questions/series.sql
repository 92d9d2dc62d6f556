-- SPDX-License-Identifier: MIT OR Apache-2.0
-- The median of every part in each build, in the order of commits: what changes are looked for in. From the rollups: within
-- 2 %, and closer the more boots there are, because medians are interpolated within their bucket.
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
-- Medians take a sort: they are made only of parts whose mean differs between builds by half of least_us at least.
of_boots AS (
    SELECT board, build, clock, sum(count) AS boots
    FROM rollups
    WHERE kind = 'boot' AND build IS NOT NULL AND (:board IS NULL OR board = :board) AND date BETWEEN :since AND :until
    GROUP BY board, build, clock
),
all_parts AS (
    SELECT board, build, clock, kind, name, sum(count) AS boots,
        -- Values below half of least_us matter to neither.
        sum(CASE WHEN bucket >= floor(ln(greatest(0.5 * :least_us, 1)) / ln(1.02)) THEN sum_us END) AS us
    FROM rollups
    WHERE build IS NOT NULL AND (:board IS NULL OR board = :board) AND date BETWEEN :since AND :until
    GROUP BY board, build, clock, kind, name
),
long_parts AS (
    SELECT * FROM all_parts WHERE us IS NOT NULL
),
-- Of all parts, long or not: a build whose only long part is gone still shows the kind.
kinds AS (
    SELECT board, build, clock, kind, max(boots) AS boots FROM all_parts GROUP BY board, build, clock, kind
),
means AS (
    SELECT long_parts.board, long_parts.clock, kind, name, us / of_boots.boots AS mean_us
    FROM long_parts JOIN of_boots ON of_boots.board IS NOT DISTINCT FROM long_parts.board AND of_boots.build = long_parts.build
        AND of_boots.clock = long_parts.clock
    WHERE kind <> 'boot'
),
builds_of_boards AS (
    SELECT board, clock, count(*) AS builds FROM of_boots GROUP BY board, clock
),
differing AS (
    SELECT means.board, means.clock, kind, name
    FROM means JOIN builds_of_boards AS b ON b.board IS NOT DISTINCT FROM means.board AND b.clock = means.clock
    GROUP BY means.board, means.clock, kind, name
    HAVING max(mean_us) - CASE WHEN count(*) < max(b.builds) THEN 0 ELSE min(mean_us) END >= 0.5 * :least_us
    UNION ALL
    SELECT board, clock, 'boot', 'time-to-init' FROM builds_of_boards
    UNION ALL
    SELECT board, clock, 'boot', 'time-to-marker' FROM builds_of_boards
),
buckets AS (
    SELECT rollups.board, build, rollups.clock, rollups.kind, rollups.name, bucket, sum(count) AS boots, sum(sum_us) AS us
    FROM rollups JOIN differing ON differing.name = rollups.name AND differing.kind = rollups.kind AND differing.clock = rollups.clock
        AND differing.board IS NOT DISTINCT FROM rollups.board
    WHERE build IS NOT NULL AND (:board IS NULL OR rollups.board = :board) AND date BETWEEN :since AND :until
    GROUP BY rollups.board, build, rollups.clock, rollups.kind, rollups.name, bucket
),
ranked AS (
    SELECT *,
        us / boots AS value_us,
        CASE WHEN bucket < 0 THEN 0 ELSE power(1.02, bucket - 1) END AS low_us,
        CASE WHEN bucket < 0 THEN 0 ELSE power(1.02, bucket) END AS high_us,
        sum(boots) OVER (PARTITION BY board, build, clock, kind, name ORDER BY bucket) AS up_to,
        sum(boots) OVER (PARTITION BY board, build, clock, kind, name) AS total
    FROM buckets
),
counted AS (
    SELECT ranked.*,
        -- A boot that ended in another way is no boot of no length.
        CASE ranked.kind WHEN 'boot' THEN total WHEN 'gap' THEN greatest(total, coalesce(of_boots.boots, 0))
            ELSE greatest(total, coalesce(kinds.boots, 0)) END AS of_boots
    FROM ranked
        LEFT JOIN of_boots ON of_boots.board IS NOT DISTINCT FROM ranked.board AND of_boots.build = ranked.build
            AND of_boots.clock = ranked.clock
        LEFT JOIN kinds ON kinds.board IS NOT DISTINCT FROM ranked.board AND kinds.build = ranked.build
            AND kinds.clock = ranked.clock AND kinds.kind = ranked.kind
),
-- Where the median is among the boots that have the part: those without it come first.
interpolated AS (
    SELECT *, total - 0.5 * of_boots AS median_rank,
        least(
            greatest(value_us + ((total - 0.5 * of_boots - up_to + boots) / boots - 0.5) * (high_us - low_us) * (1 - 1.0 / boots), low_us),
            high_us
        ) AS middle_us
    FROM counted
),
-- Of an even number, the mean of the two in the middle, which may lie in different buckets.
medians AS (
    SELECT board, build, clock, kind, name,
        CAST(max(of_boots) AS BIGINT) AS boots,
        0.5 * (
            CASE WHEN max(median_rank) <= 0 THEN 0 ELSE min(middle_us) FILTER (WHERE up_to >= median_rank) END
            + CASE WHEN max(median_rank) < 0 THEN 0 ELSE min(middle_us) FILTER (WHERE up_to > median_rank) END
        ) AS median_us
    FROM interpolated
    GROUP BY board, build, clock, kind, name
),
placed AS (
    SELECT medians.*, places.branch, places.place FROM medians JOIN places ON places.build = medians.build
),
placed_kinds AS (
    SELECT kinds.*, places.branch, places.place FROM kinds JOIN places ON places.build = kinds.build
),
builds_of_kinds AS (
    SELECT board, branch, clock, kind, count(*) AS builds FROM placed_kinds GROUP BY board, branch, clock, kind
),
parts AS (
    SELECT board, branch, clock, kind, name, count(*) AS builds, min(median_us) AS least, max(median_us) AS greatest_us
    FROM placed
    GROUP BY board, branch, clock, kind, name
)
SELECT placed.board, placed.branch, placed.clock, placed.kind, placed.name, place, build, boots, median_us
FROM placed
    JOIN parts ON parts.board IS NOT DISTINCT FROM placed.board AND parts.branch IS NOT DISTINCT FROM placed.branch
        AND parts.clock = placed.clock AND parts.kind = placed.kind AND parts.name = placed.name
    LEFT JOIN builds_of_kinds AS k ON k.board IS NOT DISTINCT FROM placed.board AND k.branch IS NOT DISTINCT FROM placed.branch
        AND k.clock = placed.clock AND k.kind = placed.kind
WHERE placed.kind = 'boot'
    OR greatest_us - CASE WHEN parts.builds < coalesce(k.builds, 0) OR parts.kind = 'gap' THEN 0 ELSE least END >= :least_us
UNION ALL
SELECT board, branch, clock, kind, NULL, place, build, CAST(boots AS BIGINT), NULL FROM placed_kinds
ORDER BY board NULLS FIRST, branch NULLS FIRST, clock, kind, name NULLS FIRST, place
