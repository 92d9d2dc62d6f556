-- SPDX-License-Identifier: MIT OR Apache-2.0
-- Why boots are unusable.
-- Parameters: board, build (null: all), since, until (dates), most (rows).
SELECT board, coalesce(problem, 'unknown') AS problem, count(*) AS boots
FROM boots
WHERE NOT usable AND (:board IS NULL OR board = :board) AND (:build IS NULL OR build = :build)
    AND date BETWEEN :since AND :until
GROUP BY board, coalesce(problem, 'unknown')
ORDER BY boots DESC, board NULLS FIRST, problem
LIMIT :most
