/** Where a demo is shown: a live table on a terminal, plain lines into a pipe, nothing with --json. Owns stdout meanwhile. */
import { say } from '../terminal/print.ts';
import { print, terminal } from '../terminal/streams.ts';
import type { Show } from './acts.ts';
import { CAST } from './cast.ts';
import { Canvas, frame, news } from './view.ts';
import type { Moment } from './watch.ts';

/** A Show that can be ended; afterwards stdout is free, and the cursor is back. */
export interface Stageplay extends Show {
  end(): void;
}

const SIZE = { columns: 80, rows: 24 };

/** The time since now, as it stands before each line. */
function stamper(): (text: string) => string {
  const began = Date.now();
  return (text) => `${((Date.now() - began) / 1_000).toFixed(1).padStart(5)} s  ${text}`;
}

export function showFor({ json, title }: { readonly json: boolean; readonly title: string }): Stageplay {
  if (json) return { say: () => undefined, moment: () => undefined, end: () => undefined };
  return terminal() === null ? plain(title) : live(title);
}

function plain(title: string): Stageplay {
  const stamp = stamper();
  const told = new Set<string>();
  const tell = (text: string): void => say(stamp(text));
  say(title);
  return { say: tell, moment: ({ lines }) => news(lines, told).forEach(tell), end: () => undefined };
}

function live(title: string): Stageplay {
  const stamp = stamper();
  const told = new Set<string>();
  const events: string[] = [];
  const canvas = new Canvas(print);
  // A process that ends in any way gives the cursor back.
  const restore = (): void => canvas.end();
  process.once('exit', restore);
  const draw = (moment: Moment): void => {
    // A terminal that does not know its size says 0.
    const { columns, rows } = terminal() ?? SIZE;
    const size = columns > 0 && rows > 0 ? { columns, rows } : SIZE;
    canvas.draw(frame({ title, cast: CAST, moment, now: Date.now(), events }, size), size);
  };
  let last: Moment = { town: null, guard: null, sessions: new Map(), open: [], closed: [], warrants: [], lines: [] };
  return {
    say: (text) => {
      events.push(stamp(text));
      draw(last);
    },
    moment: (moment) => {
      last = moment;
      events.push(...news(moment.lines, told).map(stamp));
      draw(moment);
    },
    end: () => {
      canvas.end();
      process.off('exit', restore);
    },
  };
}
