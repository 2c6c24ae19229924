/** The commands about hearings: warrants, dogs, the answer, and the story afterwards. */
import type { Command } from 'commander';
import type { WhyOptions } from '../commands/why.ts';
import { command, count, group, plainly, type Act } from './shape.ts';

interface FileOptions {
  readonly reason: string;
  readonly by?: string;
}

function warrantCommands(program: Command, act: Act): void {
  const load = async () => import('../commands/warrants.ts');
  const warrant = group(program, 'warrant', 'requests for a hearing');
  command(warrant, 'file <session>', 'ask for a hearing; works with the town down', [
    'town warrant file builder --reason "no output for an hour"',
    'town warrant file builder --reason "loops" --json | jq -r .data.id',
  ])
    .requiredOption('--reason <text>', 'what it does wrong')
    .option('--by <who>', 'in whose name; an agent always files in its own')
    .action((session: string, options: FileOptions) =>
      act(async (c) => {
        await (await load()).fileWarrant(c, session, options);
        return undefined;
      }),
    );
  command(warrant, 'list', 'warrants that wait or are heard')
    .option('--all', 'closed ones too')
    .action((options: { all?: boolean }) => act(async (c) => plainly((await load()).listWarrants(c, options))));
  command(warrant, 'show <id>', 'one warrant: whether it waits, is heard or is closed, and its verdict').action(
    (id: string) => act(async (c) => plainly((await load()).showWarrant(c, id))),
  );
  command(warrant, 'cancel <id>', 'withdraw a warrant; its hearing ends without a verdict against anybody').action(
    (id: string) => act(async (c) => plainly((await load()).cancelWarrant(c, id))),
  );
  command(program, 'alive <code>', 'answer a health check: the code stands in the question', [
    'town alive K7-3F',
  ]).action((code: string) => act(async (c) => plainly((await import('../commands/alive.ts')).answerAlive(c, code))));
}

export function hearingCommands(program: Command, act: Act): void {
  const load = async () => import('../commands/dogs.ts');
  warrantCommands(program, act);
  const dog = group(program, 'dog', 'the dogs and their hearings');
  const pool = group(dog, 'pool', 'the pool of dogs');
  command(pool, 'status', 'how many are at work, and how many warrants wait').action(() =>
    act(async (c) => plainly((await load()).pool(c))),
  );
  command(dog, 'dances', 'hearings under way')
    .option('--all', 'closed ones too')
    .action((options: { all?: boolean }) => act(async (c) => plainly((await load()).dances(c, options))));
  command(dog, 'warrants', 'warrants that wait or are heard')
    .option('--all', 'closed ones too')
    .action((options: { all?: boolean }) =>
      act(async (c) => plainly((await import('../commands/warrants.ts')).listWarrants(c, options))),
    );
  command(dog, 'show <id>', 'one hearing in full: questions, what was seen, verdict, rescue').action((id: string) =>
    act(async (c) => plainly((await load()).show(c, id))),
  );
  command(
    program,
    'why <what>',
    'what happened to a session, a bead, or in a hearing, in ten lines and on what evidence',
    [
      'town why builder',
      'town why builder --all | grep executed',
      'town why 412   # the hearing or warrant whose number ends so',
    ],
  )
    .option('--all', 'every line, with its time')
    .option('--days <n>', 'how far back', count)
    .action((what: string, options: WhyOptions) =>
      act(async (c) => plainly((await import('../commands/why.ts')).why(c, what, options))),
    );
}
