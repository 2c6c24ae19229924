/**
 * Which part of the seeds is played: another one each day, so that the suite finds more over time; in CI always the same, so that
 * a red run is the change's doing. A failure names its seed.
 */
export const DAY = process.env['CI'] === undefined ? Math.floor(Date.now() / 86_400_000) : 20_781;
