/** The commands about work: beads, gates, what follows several of them, escalations, evidence, and the front that speaks as `bd`. */
import { Option, type Command } from 'commander';
import { USUAL_SEVERITY } from '../../../machines/alerts/severity.ts';
import { collect, command, count, group, priority, type Does } from './shape.ts';

const loadBeads = () => import('../commands/beads.ts');
const loadChanges = () => import('../commands/bead-changes.ts');
const CLOSE_REASON = ['--reason <text>', 'how it ended'] as const;
const GATES = ['timer', 'human', 'condition', 'plugin'];
const FORCE = ['--force', 'also if it waits for an open bead'] as const;

function withFilters<Of extends Command>(made: Of): Of {
  return made
    .option('--assignee <agent>', 'assigned to this agent; "" = unassigned')
    .option('--label <label>', 'with this label (repeatable)', collect, [])
    .option('--type <type>', 'such as task, bug, gate')
    .option('--rig <rig>', 'of this repository')
    .option('--wisp', 'only wisps')
    .option('--limit <n>', 'how many; 50 by default', count);
}

function makeCommands(bead: Command, does: Does): void {
  command(bead, 'create <title>', 'put work into the ledger; works with the town down', [
    'town bead create "fix the login" --priority 1 --rig shop',
    'id=$(town bead create "write its test" --dep tw-4k2x9q)',
  ])
    .option('--type <type>', 'task by default')
    .option('--priority <0-4>', '0 is the most urgent; 2 by default', priority)
    .option('--description <text>', 'what is to be done')
    .option('--label <label>', 'a label (repeatable)', collect, [])
    .option('--assignee <agent>', 'the agent that it is assigned to')
    .option('--wisp [type]', 'make it a wisp, of this type')
    .option(
      '--dep <id>',
      'a bead that it waits for, or with a type such as tracks:<id> is linked to (repeatable)',
      collect,
      [],
    )
    .option('--metadata <key=value>', 'a fact to set (repeatable)', collect, [])
    .option('--rig <rig>', 'the repository that it is about')
    .option('--prefix <word>', 'first word of its id; tw by default')
    .option('--actor <name>', 'author name; an agent always writes in its own')
    .action(does(loadBeads, 'create'));
  withFilters(command(bead, 'list', 'list open work, the most urgent first, and what each piece waits for'))
    .option('--status <status>', 'open, in_progress, blocked, deferred, hooked, pinned or closed', collect, [])
    .option('--all', 'closed ones too, and what the town keeps for itself')
    .action(does(loadBeads, 'list'));
  withFilters(command(bead, 'ready', 'list work that can begin now: open, and waiting for nothing'))
    .option('--unassigned', 'only unassigned ones')
    .action(does(loadBeads, 'listReady'));
  command(bead, 'show <id>', 'show one bead, its blockers and its comments').action(does(loadBeads, 'show'));
}

function changeCommands(bead: Command, does: Does): void {
  command(bead, 'update <id>', 'change the given fields of a bead', [
    'town bead update tw-4k2x9q --status in_progress --assignee nux',
  ])
    .option('--status <status>', 'open, in_progress, blocked, deferred, hooked, pinned or closed')
    .option('--title <text>', 'one line')
    .option('--description <text>', 'what is to be done')
    .option('--priority <0-4>', '0 is the most urgent', priority)
    .option(
      '--assignee <agent>',
      'the agent it is assigned to; "" = unassigned, and open again if that agent had begun',
    )
    .option('--type <type>', 'such as task, bug')
    .option('--rig <rig>', 'the repository that it is about')
    .option('--add-label <label>', 'a label to add (repeatable)', collect, [])
    .option('--remove-label <label>', 'a label to remove (repeatable)', collect, [])
    .option('--metadata <key=value>', 'a fact to set (repeatable)', collect, [])
    .option('--unset <key>', 'a key of its metadata to remove (repeatable)', collect, [])
    .action(does(loadChanges, 'update'));
  command(bead, 'close <id...>', 'close beads: the work is done, or never will be', [
    'town bead close tw-4k2x9q --reason merged',
  ])
    .option(...CLOSE_REASON)
    .option(...FORCE)
    .action(does(loadChanges, 'closeAll'));
  command(bead, 'approve [id...]', 'say yes to work that agents made, so that the town gives it out', [
    'town bead approve tw-4k2x9q',
    'town bead approve --rig shop --by shop/polecats/nux',
  ])
    .option('--rig <rig>', 'all that wait for your yes in this repository')
    .option('--by <agent>', 'of these only those that this agent made')
    .action(does(() => import('../commands/approve.ts'), 'approve'));
  command(bead, 'reopen <id>', 'open a closed bead again').action(does(loadChanges, 'reopenBead'));
  command(bead, 'hook <id> <agent>', 'put a bead on the hook of an agent; refused while another agent has it', [
    'town bead hook tw-4k2x9q shop/polecats/nux',
  ]).action(does(loadChanges, 'hookTo'));
  command(
    bead,
    'unhook <id> [agent]',
    "take a bead off its hook, for the next worker; with a name only off that agent's hook",
  ).action(does(loadChanges, 'takeOff'));
  command(bead, 'squash <wisp...>', 'make one closed bead out of wisps, with a line for each; the wisps go', [
    'town bead squash tw-wisp-1a2b tw-wisp-4d5e --summary "patrol 12: nothing"',
  ])
    .option('--summary <text>', 'title of that bead')
    .action(does(loadChanges, 'squash'));
}

function linkCommands(bead: Command, does: Does): void {
  const dep = group(bead, 'dep', 'which bead waits for which');
  command(dep, 'add <later> <earlier>', 'the first waits for the second; a circle is refused')
    .option('--type <type>', 'blocks by default; tracks, parent-child and others do not block')
    .action(does(loadChanges, 'depAdd'));
  command(dep, 'remove <later> <earlier>', 'the first no longer waits for the second').action(
    does(loadChanges, 'depRemove'),
  );
  command(dep, 'list <id>', 'list what a bead waits for').action(does(loadChanges, 'depList'));
  const files = () => import('../commands/bead-files.ts');
  command(bead, 'import <file>', 'read the JSON lines that bd exports; - is stdin. Newer beads here stay').action(
    does(files, 'importLines'),
  );
  command(bead, 'export', 'print all beads as JSON lines that bd imports', ['town bead export > beads.jsonl']).action(
    does(files, 'exportLines'),
  );
}

function gateCommands(bead: Command, does: Does): void {
  const load = () => import('../commands/gates.ts');
  const gate = group(
    bead,
    'gate',
    'beads that others wait for: a time, a person, a thing outside; `town bead close` opens one',
  );
  command(gate, 'create <title>', 'make a gate: it is shut until you close its bead', [
    'town bead gate create "review of the design" --timeout 4h --blocks tw-4k2x9q',
  ])
    .addOption(new Option('--type <kind>', 'what opens it').choices(GATES).default('timer'))
    .option('--timeout <time>', 'time until it is overdue, such as 30m')
    .option('--await-id <what>', 'what it waits for, in your own words; for condition and plugin the name of a plugin')
    .option('--blocks <id>', 'a bead that waits for it (repeatable)', collect, [])
    .option('--rig <rig>', 'the repository that it is about')
    .action(does(load, 'createGate'));
  command(gate, 'list', 'list the gates that are shut')
    .option('--all', 'closed ones too')
    .action(does(load, 'listGates'));
  command(gate, 'check', 'list overdue gates; opens none')
    .addOption(new Option('--type <kind>', 'only gates of this kind').choices(GATES))
    .option('--escalate', 'escalate each overdue one, once')
    .action(does(load, 'checkGates'));
}

function convoyCommands(program: Command, does: Does): void {
  const load = () => import('../commands/convoys.ts');
  const convoy = group(program, 'convoy', 'beads that are followed together');
  command(convoy, 'create <title> <bead...>', 'follow these beads until all are closed', [
    'town convoy create release-1 tw-4k2x9q tw-7h3m2p',
  ]).action(does(load, 'create'));
  command(convoy, 'list', 'list convoys that are open, and swarms that a letter started')
    .option('--all', 'closed ones too')
    .action(does(load, 'list'));
  command(convoy, 'show <id>', 'show its beads, and how many are closed').action(does(load, 'show'));
  command(convoy, 'add <id> <bead...>', 'follow these beads too').action(does(load, 'add'));
  command(convoy, 'close <id>', 'stop following; refused while one of its beads is open')
    .option(...CLOSE_REASON)
    .option(...FORCE)
    .action(does(load, 'closeOne'));
}

function wordCommands(program: Command, does: Does): void {
  const load = () => import('../commands/escalations.ts');
  const escalations = group(program, 'escalation', 'escalations, which wait for a decision');
  command(escalations, 'list', 'list open escalations, the gravest first')
    .option('--all', 'closed ones too')
    .option('--limit <n>', 'how many; 50 by default', count)
    .action(does(load, 'listEscalations'));
  const what = 'ask for a decision that you cannot make; high and critical reach a person';
  command(program, 'escalate <what>', what, ['town escalate "which database?" --severity high --reason "both fit"'])
    .option('-s, --severity <severity>', `low, medium, high or critical; ${USUAL_SEVERITY} by default`)
    .option('-r, --reason <text>', 'what you tried, and what is missing')
    .option('--bead <id>', 'the bead that it is about')
    .option('--actor <name>', 'author name; an agent always writes in its own')
    .action(does(load, 'escalate'));
  const files = () => import('../commands/evidence.ts');
  const evidence = group(program, 'evidence', 'signs of life and of progress, by author');
  command(evidence, 'add [text]', 'record a sign of life or progress', [
    'town evidence add "tests pass" --kind test',
    'town evidence add --type signal --body \'{"fatigue": 0.8}\'',
  ])
    .option('--author <name>', 'author name; an agent always writes in its own')
    .option('--kind <kind>', 'such as commit, message, test; note by default')
    .option('--type <kind>', 'the same as --kind')
    .option('--body <json>', 'JSON in place of the text')
    .option('--id <id>', 'its id; the same id again changes nothing')
    .option('--at <time>', 'its time, such as 2026-01-31T12:00:00Z; now by default')
    .action(does(files, 'add'));
  command(evidence, 'list', 'list the newest of each author, or all of one')
    .option('--author <name>', 'only evidence of this author')
    .option('--limit <n>', 'how many; 50 by default', count)
    .action(does(files, 'list'));
}

export function workCommands(program: Command, does: Does): void {
  const bead = group(program, 'bead', 'work: all of it, its assignees, its blockers');
  makeCommands(bead, does);
  changeCommands(bead, does);
  linkCommands(bead, does);
  gateCommands(bead, does);
  convoyCommands(program, does);
  wordCommands(program, does);
  command(
    program,
    'bd [words...]',
    'the same ledger for programs and agents that know bd: its verbs, JSON and exit codes',
    ['town bd ready --json'],
  ).action(does(() => import('../bd/front.ts'), 'bd'));
}
