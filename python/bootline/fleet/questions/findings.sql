-- SPDX-License-Identifier: MIT OR Apache-2.0
-- What each finding costs the whole fleet. Costs that another finding contains are shown and not added up.
-- Parameters: board, build (null: all), since, until (dates).
WITH all_boots AS (
    SELECT board, clock, count(*) AS boots
    FROM boots
    WHERE usable AND (:board IS NULL OR board = :board) AND (:build IS NULL OR build = :build)
        AND date BETWEEN :since AND :until
    GROUP BY board, clock
),
chosen AS (
    SELECT boot_id, board, clock, rule, rule_name, cost_us, CASE WHEN adds_up THEN cost_us ELSE 0 END AS added_us, saves_us, remedy
    FROM findings
    WHERE (:board IS NULL OR board = :board) AND (:build IS NULL OR build = :build) AND date BETWEEN :since AND :until
        -- Unusable boots are the few.
        AND NOT EXISTS (SELECT 1 FROM boots WHERE NOT usable AND boots.boot_id = findings.boot_id)
),
-- A rule may find several causes in a boot.
of_boots AS (
    SELECT boot_id, board, clock, rule, sum(cost_us) AS cost_us FROM chosen GROUP BY boot_id, board, clock, rule
),
medians AS (
    SELECT board, clock, rule, count(*) AS boots, CAST(floor(median(cost_us)) AS BIGINT) AS median_us
    FROM of_boots
    GROUP BY board, clock, rule
),
of_remedies AS (
    SELECT board, clock, rule, remedy, min(rule_name) AS rule_name, sum(added_us) AS added_us, coalesce(sum(saves_us), 0) AS saves_us
    FROM chosen
    GROUP BY board, clock, rule, remedy
),
-- Of several remedies the one that saves most in all.
placed AS (
    SELECT *, row_number() OVER (PARTITION BY board, clock, rule ORDER BY remedy IS NULL, saves_us DESC, remedy) AS place FROM of_remedies
),
totals AS (
    SELECT board, clock, rule,
        min(rule_name) AS rule_name,
        CAST(sum(added_us) AS BIGINT) AS total_us,
        CAST(sum(saves_us) AS BIGINT) AS saves_us,
        min(CASE WHEN place = 1 THEN remedy END) AS remedy
    FROM placed
    GROUP BY board, clock, rule
)
SELECT totals.board, totals.clock, totals.rule, rule_name, medians.boots, all_boots.boots AS of_boots, median_us, total_us, saves_us, remedy
FROM totals
    JOIN medians ON medians.clock = totals.clock AND medians.rule = totals.rule AND medians.board IS NOT DISTINCT FROM totals.board
    JOIN all_boots ON all_boots.clock = totals.clock AND all_boots.board IS NOT DISTINCT FROM totals.board
ORDER BY total_us DESC, median_us DESC, totals.board NULLS FIRST, totals.clock, totals.rule
