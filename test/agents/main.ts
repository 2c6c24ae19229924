/**
 * `npm run agents`: the real agent programs, each in a network namespace without a way out and with a model that answers by
 * rote. `record --out DIR` keeps their screens as fixtures.
 */
import { parseArgs } from 'node:util';
import { PROGRAMS } from './programs.ts';
import { record } from './record.ts';
import { closeStages } from './stage.ts';
import { TAKES } from './takes.ts';

const { values } = parseArgs({
  allowPositionals: true,
  options: {
    agent: { type: 'string', multiple: true },
    size: { type: 'string', multiple: true },
    take: { type: 'string', multiple: true },
    out: { type: 'string', default: 'screens' },
  },
});
const say = (line: string) => void process.stdout.write(`${line}\n`);
const programs = PROGRAMS.filter(({ id }) => values.agent?.includes(id) ?? true);
const sizes = values.size ?? ['120x40', '80x24', '200x50'];
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => void closeStages().finally(() => process.exit(1)));
const missed = await record({ programs, sizes, takes: values.take ?? Object.keys(TAKES), out: values.out, say });
say(`${missed} missed`);
