/**
 * Judges each recorded screen and each obstacle, and prints the judgements as JSON. With `--full` it first compiles as many
 * patterns as a long life does: V8 then optimises none any more (from 1 MB of their code and 16 MB of all code on).
 */
import { UNKNOWN_PICTURE } from '../../../src/screen/picture.ts';
import { Packs } from '../../../src/screen/packs.ts';
import { readScreen } from '../../../src/screen/read.ts';
import { OBSTACLES } from '../obstacles.ts';
import { recordedScreens } from '../recorded.ts';

const PATTERNS = 9_000;
const TEXTS = ['abcx', '漢bcx'];

function fill(): void {
  for (let at = 0; at < PATTERNS; at += 1) {
    const pattern = new RegExp(`(?:a${at}|b.*?c${at}[^x]{0,20}(?:foo|bar|baz${at})){0,6}x(?=${at})`, 'ui');
    // The first look interprets a pattern, the second one compiles it.
    for (const text of TEXTS) for (let look = 0; look < 2; look += 1) pattern.test(`${text}${at}`);
  }
}

if (process.argv.includes('--full')) fill();
const packs = new Packs();
const obstacles = Object.entries(OBSTACLES).map(([name, [, text]]) => {
  return { name, agent: 'generic', picture: { ...UNKNOWN_PICTURE, rows: text.split('\n') } };
});
const judgements = [...obstacles, ...recordedScreens()].map(({ name, agent, picture }) => {
  const { state, rule, mayType } = readScreen(packs.named(agent), picture);
  return `${name}: ${state} by ${rule}${mayType ? ', may be typed into' : ''}`;
});
process.stdout.write(JSON.stringify(judgements));
