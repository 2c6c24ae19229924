/** Gates that only a person opens, as levels: one without a time is an alert while it is shut, since no patrol escalates it. */
import type { Claim } from '../alerts/levels.ts';
import { aboutOf, episodeOf, type Declared, type EpisodeName } from '../protocol/episode.ts';
import type { PersonsGate } from '../protocol/patrols.ts';

export const GATE = {
  kind: 'gate',
  // The first line is for a message, which has no list's number.
  asks: ({ of }) => [`town answer ${of} open`, `town bead show ${of}`],
  answers: ['open'],
} as const satisfies Declared;

export const gatesClaim = (shut: readonly PersonsGate[]): Claim => {
  const stands = shut.map(({ id: name, text }) => ({ name, severity: 'medium', session: null, text }) as const);
  return { stands, only: [] };
};

export const episodeOfGate = (bead: string): EpisodeName => episodeOf(GATE, bead);

/** Of one gate, or of many. */
export const isOfGates = (episode: string): boolean => aboutOf(episode).kind === GATE.kind;
