import type { TownSettings } from './launch.ts';
export async function purgeTown(_settings: TownSettings): Promise<void> {}
