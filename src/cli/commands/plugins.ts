/** `town plugin list|run`: a person's plugins with their due times, and a run by hand that ignores the time gate. */
import { textOf } from '../../../state/files/disk.ts';
import { dueFor } from '../../../machines/patrols/plugins.ts';
import { readPlugin, readPlugins } from '../../plugins/definition.ts';
import { lastOf, seenOf } from '../../plugins/record.ts';
import { runPlugin } from '../../plugins/run.ts';
import { when } from '../../journal/when.ts';
import { createProcesses } from '../../proc/processes.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { nearest } from '../../terminal/nearest.ts';
import { clean, listing } from '../../terminal/print.ts';
import { mustBeOperator } from '../naming/caller.ts';
import type { Context } from '../context.ts';
import { untilEnded } from '../until-ended.ts';
import { wakeTown } from '../asking/notes.ts';
import { withOlder } from '../asking/yard.ts';
import { quoteName } from '../naming/names.ts';

const COLUMNS = ['PLUGIN', { head: 'GATE', drop: 1 }, { head: 'LAST RUN', drop: 2 }, 'NOW'];

export async function list(context: Context): Promise<void> {
  const disk = await withOlder(context);
  const { plugins, refused } = await readPlugins(disk, context.existing());
  const now = Date.now();
  const known = await Array.fromAsync(plugins, async (plugin) => {
    const seen = await seenOf(disk, plugin, now);
    const last = await lastOf(disk, plugin.name);
    const { name, description, gate, command } = plugin;
    const ran = last === null || last.kind === 'seen' ? null : { came: last.kind, at: new Date(last.at).toISOString() };
    const plain = { name, description, gate: gate.type, command };
    return { ...plain, is_due: dueFor(seen) !== null, last: ran, refused: null };
  });
  const not = refused.map(({ name, why }) => {
    return { name, description: '', gate: null, command: [], is_due: false, last: null, refused: why };
  });
  const all = [...known, ...not];
  const row = (one: (typeof all)[number]): string[] => [
    one.name,
    one.gate ?? '-',
    one.last === null ? 'never' : `${one.last.came} ${when(one.last.at)}`,
    one.refused === null ? (one.is_due ? 'due' : 'rests') : `refused: ${clean(one.refused)}`,
  ];
  const none = 'no plugins; write one: plugins/<name>/plugin.toml with command and gate';
  context.answer('plugins', all, listing(all, none, COLUMNS, row));
}

export async function run(context: Context, name: string): Promise<number> {
  await mustBeOperator(context, 'town plugin run');
  const [root, disk] = [context.existing(), await withOlder(context)];
  const plugin = await readPlugin(disk, root, name).catch((error: unknown) => {
    const why = textOf(error);
    throw new Failure(EXIT.usage, 'bad_plugin', `the plugin ${quoteName(name)} is refused: ${why}`);
  });
  if (plugin === null) {
    const { plugins } = await readPlugins(disk, root);
    const names = plugins.map((one) => one.name);
    const near = nearest(name, names);
    const hint = near === null ? '' : `; did you mean ${near}?`;
    const text = `there is no plugins/${name}/plugin.toml${hint}; see \`town plugin list\``;
    throw new Failure(EXIT.usage, 'unknown_plugin', text);
  }
  const rest = { disk, root, processes: createProcesses(), now: Date.now, cancelled: untilEnded() };
  const report = await runPlugin(rest, plugin);
  const { came, text, output } = report;
  // The Deacon's round says whether it works.
  if (came !== 'unmet') await wakeTown(context, 'cases');
  const printed = output === '' ? '' : `\n${clean(output, 'lines')}`;
  context.answer('plugin-run', report, `${name}: ${came}: ${clean(text)}${printed}`);
  return came === 'done' || came === 'unmet' ? EXIT.done : EXIT.failed;
}
