-- SPDX-License-Identifier: MIT OR Apache-2.0
-- Boots that took far longer than others of their board and build. What a boot took is related to the median of its build; far is above
-- the upper quartile of all the board's boots by three times what is between the quartiles (Tukey 1977), and by a tenth at least.
-- Parameters: board, build (null: all), since, until (dates), most (rows).
WITH timed AS (
    SELECT boot_id, board, build, device, lab, job, clock, ended_by, date, dur_us, console_us, file_id
    FROM boots
    WHERE usable AND dur_us IS NOT NULL AND (:board IS NULL OR board = :board) AND (:build IS NULL OR build = :build)
        AND date BETWEEN :since AND :until
),
of_builds AS (
    SELECT board, build, clock, ended_by, count(*) AS boots, median(dur_us) AS median_us, median(console_us) AS median_console_us
    FROM timed
    GROUP BY board, build, clock, ended_by
    HAVING count(*) >= 3
),
related AS (
    SELECT timed.*, of_builds.boots AS of_boots, median_us, median_console_us, dur_us / median_us AS ratio
    FROM timed JOIN of_builds
        ON of_builds.clock = timed.clock AND of_builds.ended_by = timed.ended_by
        AND of_builds.board IS NOT DISTINCT FROM timed.board AND of_builds.build IS NOT DISTINCT FROM timed.build
    WHERE median_us > 0
),
usual AS (
    SELECT board, clock, ended_by,
        percentile_cont(0.25) WITHIN GROUP (ORDER BY ratio) AS lower,
        percentile_cont(0.75) WITHIN GROUP (ORDER BY ratio) AS upper
    FROM related
    GROUP BY board, clock, ended_by
    HAVING count(*) >= 20
)
SELECT related.boot_id, related.board, related.build, related.clock, related.device, related.lab, related.job, related.date, files.path,
    related.dur_us, CAST(floor(related.median_us) AS BIGINT) AS median_us, related.of_boots,
    CAST(coalesce(related.console_us, 0) - coalesce(related.median_console_us, 0) AS BIGINT) AS console_longer_us,
    count(*) OVER () AS outliers
FROM related
    JOIN usual ON usual.clock = related.clock AND usual.ended_by = related.ended_by
        AND usual.board IS NOT DISTINCT FROM related.board
    LEFT JOIN files ON files.file_id = related.file_id
WHERE ratio > upper + 3 * (upper - lower) AND ratio > 1.1
ORDER BY related.dur_us - related.median_us DESC, related.boot_id
LIMIT :most
