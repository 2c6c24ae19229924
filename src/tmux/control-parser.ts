/**
 * Reads what a control-mode client prints. Pure.
 * 1. Inside a block only the `%end` or `%error` with exactly the `%begin`'s time, number and flags ends it: names and
 *    folders of hostile programs stand in replies and may look like any line of the protocol.
 * 2. Nothing inside a block is a notification.
 * 3. Flag 1 marks replies to our own lines; commands of hooks and of the command line carry 0.
 */

export interface Reply {
  readonly ok: boolean;
  /** It answers a line that we wrote. */
  readonly ours: boolean;
  readonly lines: readonly string[];
}

export interface BlockReader {
  /** One line without its line break. */
  push(line: string): void;
}

const BEGIN = /^%begin (\d+ \d+ (\d+))$/;
const NOTICE = /^%([a-z-]+)(?: |$)/;

interface Heard {
  readonly reply: (reply: Reply) => void;
  /** The name without `%`, as in `sessions-changed`. */
  readonly notice: (name: string) => void;
  /** A line inside a block, and how many stand before it there. */
  readonly inside: (line: string, before: number) => void;
}

export function blockReader({ reply, notice, inside }: Heard): BlockReader {
  let open: { id: string; ours: boolean; lines: string[] } | null = null;
  return {
    push: (line) => {
      if (open === null) {
        const [, id, flags] = BEGIN.exec(line) ?? [];
        if (id !== undefined) open = { id, ours: Number(flags) % 2 === 1, lines: [] };
        else {
          const name = NOTICE.exec(line)?.[1];
          if (name !== undefined) notice(name);
        }
        return;
      }
      const ok = line === `%end ${open.id}`;
      if (!ok && line !== `%error ${open.id}`) {
        inside(line, open.lines.length);
        open.lines.push(line);
        return;
      }
      const { ours, lines } = open;
      open = null;
      reply({ ok, ours, lines });
    },
  };
}
