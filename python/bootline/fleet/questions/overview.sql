-- SPDX-License-Identifier: MIT OR Apache-2.0
-- What the store holds, by clock.
-- Parameters: board, build (null: all), since, until (dates).
SELECT clock,
    count(*) AS boots,
    count(*) FILTER (WHERE usable) AS usable,
    count(*) FILTER (WHERE panicked) AS panicked,
    count(DISTINCT board) AS boards,
    count(DISTINCT build) AS builds,
    count(DISTINCT device) AS devices,
    min(start_time) AS first_start,
    max(start_time) AS last_start
FROM boots
WHERE (:board IS NULL OR board = :board) AND (:build IS NULL OR build = :build) AND date BETWEEN :since AND :until
GROUP BY clock
ORDER BY boots DESC, clock
