/**
 * Which part of the seeds is played: another one each day, so that the suite finds more over time; in CI always the same, so that
 * a red run is the change's doing. A failure names its seed.
 */
export const DAY = process.env['CI'] === undefined ? Math.floor(Date.now() / 86_400_000) : 20_781;

/** The seed at which a planted fault is known to show, then the first `most`: a change of the town moves that seed. */
export function* seedsFrom(known: number, most: number): Generator<number> {
  yield known;
  for (let seed = 0; seed < most; seed += 1) if (seed !== known) yield seed;
}

/** Of these, so many, others each day. `SIM_KILLS=all` = all of them. */
export function someOf<T>(all: readonly T[], most: number): readonly T[] {
  const stride = process.env['SIM_KILLS'] === 'all' ? 1 : Math.max(1, Math.floor(all.length / most));
  return all.filter((_, nth) => nth % stride === DAY % stride);
}
