/** What the town remembers of an agent that may spend tokens and do nothing new (M-12). */
import type { Instant } from '../protocol.ts';

/** What is known of one life. */
export type Burn = {
  /** Of the life. */
  readonly uuid: string;
} & (
  | { readonly state: 'calm' }
  | {
      /** It repeats a call: `suspected` since a while, `burning` for long enough. */
      readonly state: 'suspected' | 'burning';
      /** As long as this is the same nothing new was done. */
      readonly sign: string;
      readonly since: Instant;
      /** Tokens and calls when that began, … */
      readonly from: Taken;
      /** … and as they were last, when they grew. */
      readonly to: Taken;
      readonly grewAt: Instant;
      /** What it did before is not known: an earlier process of the town may have told of it. */
      readonly isFirst: boolean;
      readonly call: string;
    }
);
interface Taken {
  readonly tokens: number;
  readonly calls: number;
}
