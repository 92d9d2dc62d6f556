-- SPDX-License-Identifier: MIT OR Apache-2.0
-- Boots that took far longer than those of the same board and build: above the upper quartile by three times what is between the
-- quartiles (Tukey 1977), and by a tenth of the median at least.
-- Parameters: board, build (null: all), since, until (dates), most (rows).
WITH chosen AS (
    SELECT boot_id, board, build, device, lab, job, clock, ended_by, date, dur_us, file_id
    FROM boots
    WHERE usable AND dur_us IS NOT NULL AND (:board IS NULL OR board = :board) AND (:build IS NULL OR build = :build)
        AND date BETWEEN :since AND :until
),
usual AS (
    SELECT board, build, clock, ended_by,
        count(*) AS boots,
        percentile_cont(0.25) WITHIN GROUP (ORDER BY dur_us) AS lower_us,
        percentile_cont(0.5) WITHIN GROUP (ORDER BY dur_us) AS median_us,
        percentile_cont(0.75) WITHIN GROUP (ORDER BY dur_us) AS upper_us
    FROM chosen
    GROUP BY board, build, clock, ended_by
    HAVING count(*) >= 8
)
SELECT chosen.boot_id, chosen.board, chosen.build, chosen.clock, chosen.device, chosen.lab, chosen.job, chosen.date, files.path,
    chosen.dur_us, CAST(usual.median_us AS BIGINT) AS median_us, usual.boots AS of_boots
FROM chosen
    JOIN usual ON usual.clock = chosen.clock AND usual.ended_by = chosen.ended_by
        AND coalesce(usual.board, '') = coalesce(chosen.board, '') AND coalesce(usual.build, '') = coalesce(chosen.build, '')
    LEFT JOIN files ON files.file_id = chosen.file_id
WHERE chosen.dur_us > usual.upper_us + 3 * (usual.upper_us - usual.lower_us) AND chosen.dur_us > 1.1 * usual.median_us
ORDER BY chosen.dur_us - usual.median_us DESC, chosen.boot_id
LIMIT :most
