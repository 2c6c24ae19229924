/** What `town reload` says that changed: every table of town.toml, and nothing that stayed. */
import { expect, test } from 'vitest';
import { changesIn } from '../../../src/cli/asking/read-config.ts';
import { loadSettings } from '../../../src/config/load.ts';
import { tempFolder } from '../../world/over.ts';

const NTFY = '[ntfy]\nurl = "https://ntfy.example"\ntopic = "t"\nreply_topic = "r"\ntoken = "x"\n';
const ROUTE = '[[route]]\nto = ["ntfy"]\n';
const MAY = '[[may_answer]]\nfrom = "ntfy"\nkinds = ["alert"]\noptions = ["seen"]\n';
const RULE = `[[asks.rule]]\nagent = "builder"\npattern = 'npm test'\noption = "yes"\n`;
const PRESET = '[presets.fast]\nharness = "codex"\n';

// Rules: C-17.
test.each([
  ['', []],
  [`${ROUTE}severity = "high"\n`, ['[[route]]']],
  [MAY, ['[[may_answer]]']],
  [RULE, ['[[asks.rule]]']],
  [PRESET, ['[presets.fast]']],
  ['[dance]\npool_size = 3\n[rig.shop]\nagent = "claude"\n', ['dance.pool_size', '[rig.shop]']],
])('after %j', (more, changes) => {
  const root = tempFolder('reload');
  const settings = loadSettings({ root, toml: NTFY + more, env: {} });
  expect(changesIn(settings, NTFY)).toEqual(changes);
  expect(changesIn(settings, NTFY + more)).toEqual([]);
});

test('an entry that is changed, taken out or put in another place is a change of its table', () => {
  const settings = loadSettings({ root: tempFolder('reload'), toml: NTFY + ROUTE + MAY, env: {} });
  for (const before of [ROUTE + MAY + MAY, `${ROUTE + MAY}tag = "worker"\n`, ROUTE + MAY.replace('seen', 'yes')])
    expect(changesIn(settings, NTFY + before)).toEqual(['[[may_answer]]']);
});
