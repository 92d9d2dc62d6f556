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
costs AS (
    SELECT findings.*
    FROM findings JOIN boots ON boots.boot_id = findings.boot_id AND boots.date = findings.date
    WHERE boots.usable AND (:board IS NULL OR findings.board = :board) AND (:build IS NULL OR findings.build = :build)
        AND findings.date BETWEEN :since AND :until
)
SELECT costs.board, costs.clock, rule, rule_name,
    count(DISTINCT boot_id) AS boots,
    CAST(max(all_boots.boots) AS BIGINT) AS of_boots,
    CAST(median(cost_us) AS BIGINT) AS median_us,
    CAST(coalesce(sum(cost_us) FILTER (WHERE adds_up), 0) AS BIGINT) AS total_us,
    CAST(coalesce(sum(saves_us), 0) AS BIGINT) AS saves_us,
    min(remedy) AS remedy
FROM costs JOIN all_boots
    ON all_boots.clock = costs.clock AND coalesce(all_boots.board, '') = coalesce(costs.board, '')
GROUP BY costs.board, costs.clock, rule, rule_name
ORDER BY total_us DESC, costs.board NULLS FIRST, costs.clock, rule
