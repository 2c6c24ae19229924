/**
 * A town process whose engine only counts steps: everything around it is the shipped code.
 * argv: settings as JSON. A wake of `sessions` blocks its event loop for ever; one of `warrants` begins a save without end.
 * A file `renew` in its root makes it begin anew. With TOWN_TEST_FAIL=<code> in its settings' root (a file `fail`), the engine refuses or fails.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TownSettings } from '../../src/guard/launch.ts';
import { Refused, STARTING, type Engine } from '../../src/host/host.ts';
import { runProcess } from '../../src/guard/process.ts';

const settings = JSON.parse(process.argv[2]!) as TownSettings;
const guarded = process.argv.includes('--guarded');

process.exitCode = await runProcess(
  settings,
  { guarded, version: '0', level: 'info', misread: () => null },
  async (host) => {
    const failure = join(settings.root, 'fail');
    if (existsSync(failure)) {
      const code = readFileSync(failure, 'utf8').trim();
      if (code === 'throw') throw new Error('the engine is broken');
      throw new Refused(Number(code), `the tmux server belongs to /other/town`);
    }
    let steps = 0;
    let saving = false;
    const end = Promise.withResolvers<undefined>();
    const beat = setInterval(() => {
      if (!saving) host.progress((steps += 1), false);
      const wish = join(settings.root, 'renew');
      if (existsSync(wish) && host.renew('a test')) rmSync(wish);
    }, settings.process.progressEveryMs / 2);
    host.ready();
    const engine: Engine = {
      inspector: () => null,
      run: async () => {
        await end.promise;
      },
      stop: () => {
        clearInterval(beat);
        end.resolve(undefined);
      },
      announce: (news) => {
        if (news.type !== 'CHANGED') return;
        if (news.what === 'sessions') for (;;);
        saving = true;
        host.progress(steps, true);
      },
      refuses: () => Promise.resolve(null),
      overview: () => Promise.reject(new Error('this town shows nothing')),
      costs: () => Promise.resolve([]),
      status: () => ({ ...STARTING, ready: true, tmux_socket: settings.tmux.socket }),
    };
    return engine;
  },
);
process.exit();
