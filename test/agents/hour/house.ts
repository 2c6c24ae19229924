/** Several real agents on one stage: a home, an account and a model for each, one tmux server and one network namespace for all. */
import { execa } from 'execa';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { actorOn, type Actor } from '../actor.ts';
import { KEPT, type Kept } from '../kept.ts';
import { MODEL_URL, type Place, type Program } from '../program.ts';
import { furnishHome, MODEL, removed, scratch, type Stage } from '../stage.ts';

const FIRST_PORT = 8081;
const LETTERS = 'abcdefghijklmnop';
const VARIANT = 'lived';

/** One agent that lives in the house. */
export interface Resident {
  readonly name: string;
  readonly actor: Actor;
  readonly kept: Kept;
  readonly stage: Stage;
}

/** The same program with a model and an account of its own. */
function withOwn(program: Program, nth: number): Program {
  const letter = LETTERS[nth % LETTERS.length] ?? 'x';
  const own = (text: string): string =>
    text.replaceAll(MODEL_URL, `http://127.0.0.1:${String(FIRST_PORT + nth)}`).replaceAll('dummy', `dumm${letter}`);
  const all = (texts: Record<string, string>) =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, own(text)]));
  return { ...program, env: (place) => all(program.env(place)), files: (place) => all(program.files(place)) };
}

async function openModel(stage: Stage, bench: string, port: number): Promise<void> {
  const model = execa('nsenter', [...stage.enter, process.execPath, MODEL, bench, String(port)], { reject: false });
  await new Promise<void>((ready, fail) => {
    model.stdout.once('data', () => ready());
    void model.then(({ stderr }) => fail(new Error(`a model ended: ${stderr}`)));
  });
}

/** A resident of the stage's namespace, in a home of its own. Nothing is started but its model. */
export async function moveIn(stage: Stage, program: Program, nth: number, name: string): Promise<Resident> {
  const home = scratch();
  stage.endsWith(() => removed(home));
  const place: Place = { home, dir: join(home, 'shop'), variant: VARIANT };
  const own = withOwn(program, nth);
  const env = furnishHome(own, place);
  const bench = join(home, '.bench');
  const kept = KEPT[program.id];
  if (kept === undefined) throw new Error(`the bench does not know what ${program.id} keeps`);
  await openModel(stage, bench, FIRST_PORT + nth);
  const its: Stage = {
    ...stage,
    home,
    dir: place.dir,
    program: own,
    env,
    health: (mode) => writeFileSync(join(bench, 'health'), mode),
    log: () => readFileSync(join(bench, 'log'), 'utf8'),
  };
  its.health('prose');
  return { name, actor: actorOn(its, name), kept, stage: its };
}

export const argvOf = ({ stage: { program } }: Resident): readonly string[] => program.argv(VARIANT);
