-- SPDX-License-Identifier: MIT OR Apache-2.0
-- What each finding costs the whole fleet. Costs that another finding contains are shown and not added up.
-- Parameters: board, build (null: all), since, until (dates).
WITH chosen_boots AS (
    SELECT boot_id, board, clock
    FROM boots
    WHERE usable AND (:board IS NULL OR board = :board) AND (:build IS NULL OR build = :build)
        AND date BETWEEN :since AND :until
),
all_boots AS (
    SELECT board, clock, count(*) AS boots FROM chosen_boots GROUP BY board, clock
),
-- A rule may find several causes in a boot.
of_boots AS (
    SELECT findings.boot_id, findings.board, findings.clock, rule, rule_name,
        sum(cost_us) AS cost_us,
        sum(CASE WHEN adds_up THEN cost_us ELSE 0 END) AS added_us,
        sum(coalesce(saves_us, 0)) AS saves_us,
        min(remedy) AS remedy
    FROM findings JOIN chosen_boots ON chosen_boots.boot_id = findings.boot_id
    WHERE (:board IS NULL OR findings.board = :board) AND (:build IS NULL OR findings.build = :build)
        AND findings.date BETWEEN :since AND :until
    GROUP BY findings.boot_id, findings.board, findings.clock, rule, rule_name
),
costs AS (
    SELECT board, clock, rule, rule_name,
        count(*) AS boots,
        CAST(median(cost_us) AS BIGINT) AS median_us,
        CAST(sum(added_us) AS BIGINT) AS total_us,
        CAST(sum(saves_us) AS BIGINT) AS saves_us,
        min(remedy) AS remedy
    FROM of_boots
    GROUP BY board, clock, rule, rule_name
)
SELECT costs.board, costs.clock, rule, rule_name, costs.boots, all_boots.boots AS of_boots, median_us, total_us, saves_us, remedy
FROM costs JOIN all_boots
    ON all_boots.clock = costs.clock AND coalesce(all_boots.board, '') = coalesce(costs.board, '')
ORDER BY total_us DESC, median_us DESC, costs.board NULLS FIRST, costs.clock, rule
