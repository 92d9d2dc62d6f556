-- SPDX-License-Identifier: MIT OR Apache-2.0
-- A row if there is a boot, usable or not.
-- Parameters: board, build (null: all), since, until (dates).
SELECT 1 AS found
FROM boots
WHERE (:board IS NULL OR board = :board) AND (:build IS NULL OR build = :build) AND date BETWEEN :since AND :until
LIMIT 1
