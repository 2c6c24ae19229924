/** The commands about hearings: warrants, dogs, the answer, and the story afterwards. */
import type { Command } from 'commander';
import { command, group, readOnly, type Does } from './shape.ts';

function warrantCommands(program: Command, does: Does): void {
  const load = () => import('../commands/warrants.ts');
  const warrant = group(program, 'warrant', 'requests for a hearing');
  command(warrant, 'file <session>', 'ask for a hearing of a session; works with the town down', [
    'town warrant file builder --reason "no output for an hour"',
    'town warrant file builder --reason "loops" --json | jq -r .data.id',
  ])
    .requiredOption('--reason <text>', 'what the session does wrong')
    .option('--by <who>', 'author name; an agent always files in its own')
    .action(does(load, 'fileWarrant'));
  readOnly(warrant, 'list', 'list the warrants that wait or are heard')
    .option('--all', 'closed ones too')
    .action(does(load, 'listWarrants'));
  readOnly(warrant, 'show <id>', 'show one warrant: whether it waits, is heard or is closed, and its verdict').action(
    does(load, 'showWarrant'),
  );
  command(warrant, 'cancel <id>', 'withdraw a warrant; its hearing ends without a verdict').action(
    does(load, 'cancelWarrant'),
  );
  command(program, 'alive <code>', 'answer a health check with the code in its question', ['town alive K7-3F']).action(
    does(() => import('../commands/alive.ts'), 'answerAlive'),
  );
}

export function hearingCommands(program: Command, does: Does): void {
  const load = () => import('../commands/dogs.ts');
  warrantCommands(program, does);
  const dog = group(program, 'dog', 'the dogs and their hearings');
  const pool = group(dog, 'pool', 'the pool of dogs');
  readOnly(pool, 'status', 'show how many dogs are at work, and how many warrants wait').action(does(load, 'pool'));
  readOnly(dog, 'dances', 'list the hearings under way')
    .option('--all', 'closed ones too')
    .action(does(load, 'dances'));
  readOnly(dog, 'show <id>', 'show one hearing in full: questions, observations, verdict, rescue').action(
    does(load, 'show'),
  );
  readOnly(program, 'why <what>', 'print the story of a session, a bead or a hearing in ten lines, with its evidence', [
    'town why builder',
    'town why builder --all | grep executed',
    'town why 412   # the hearing or warrant with a number that ends in 412',
  ])
    .option('--all', 'print every line, with its time')
    .option('--since <duration>', 'how far back, such as 8h or 2d; the whole journal by default')
    .action(does(() => import('../commands/why.ts'), 'why'));
}
