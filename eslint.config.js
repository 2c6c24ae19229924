/**
 * What the compiler cannot see. Rules that carry a law of this house say why; the rest is typescript-eslint's strict set.
 * Comments cannot switch a rule off: an exception is a line here, with its reason.
 */
import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** Reading is free; whatever else `node:fs` offers writes, and only state/ knows how to write durably. */
const READING = [
  ...['access', 'glob', 'lstat', 'opendir', 'readFile', 'readdir', 'readlink', 'realpath', 'stat', 'statfs'].flatMap(
    (name) => [name, `${name}Sync`],
  ),
  'existsSync',
  'constants',
  'createReadStream',
  'watch',
  'Dirent',
  'Stats',
  'FSWatcher',
  'ReadStream',
];

/** Rooms outside state/ that may touch the disk in one more way. None of it is a record that must survive. */
const WRITERS = [
  {
    room: 'demo',
    names: ['mkdtempSync', 'mkdirSync', 'rmSync', 'writeFileSync', 'mkdtemp', 'mkdir', 'rm', 'writeFile'],
    reason: 'builds a throw-away town in a temporary folder and removes it',
  },
  {
    room: 'channels/terminals',
    names: ['closeSync', 'fstatSync', 'openSync', 'writeSync'],
    reason: 'writes a bell or a notification into the terminals of attached people',
  },
  {
    room: 'rescue',
    names: ['rm'],
    reason: 'takes its scratch folder away; what is rescued goes through state/ and git',
  },
  {
    room: 'git',
    names: [
      'copyFile',
      'cp',
      'mkdir',
      'mkdirSync',
      'mkdtempSync',
      'rename',
      'rm',
      'rmSync',
      'symlink',
      'symlinkSync',
      'utimes',
      'writeFile',
      'writeFileSync',
    ],
    reason:
      "gives a call of git folders of ours in place of the repository's settings and index, takes them away, and brings the note of a new worktree into its repository",
  },
  {
    room: 'rigs',
    names: ['mkdir', 'rename', 'rm', 'rmdir', 'unlink', 'writeFile'],
    reason: 'sets worktrees up, aside and takes them away; what is on record of them goes through state/',
  },
  {
    room: 'refinery',
    names: ['mkdir', 'rm', 'writeFile'],
    reason: 'makes its own worktree and removes what a kill left of it; what is decided lies in git and in mailboxes',
  },
  {
    room: 'socket',
    names: ['chmod', 'chmodSync', 'mkdir', 'mkdirSync', 'unlink', 'unlinkSync', 'rm', 'rmSync'],
    reason: 'owns the socket node: its rights, its private folder, its removal',
  },
  {
    room: 'guard',
    names: ['openSync', 'closeSync', 'ftruncateSync'],
    reason: "opens the log that becomes the detached child's output, and empties it when it is too long",
  },
  {
    room: 'ports/log',
    names: ['renameSync', 'rmSync'],
    reason: 'turns the log over when it is full; a log is no record',
  },
  {
    room: 'proc',
    names: ['openSync', 'readSync', 'closeSync'],
    reason: 'keeps files of /proc open, each of which tells of one process, and takes unread input out of a terminal',
  },
  {
    room: 'proc/out-of-memory',
    names: ['writeFileSync'],
    reason: 'writes into /proc which process the kernel ends first',
  },
];

/** The one file that writes to stdout and stderr: what leaves there steers no terminal. */
const DOOR = 'src/terminal/streams.ts';

/** Its child writes into the log that is its own output: the town, into that of its guard. */
const BEQUEATHER = 'src/guard/main.ts';

/** Rooms that may signal a pid: the hands that compare start times, the guard of its own child, the demo of its own town. */
const KILLERS = ['proc', 'guard', 'demo'];

const fsPaths = (names) =>
  ['fs', 'node:fs', 'fs/promises', 'node:fs/promises'].map((name) => ({
    name,
    allowImportNames: names,
    message: 'Only state/ writes durable files: take its store. Reading by name is free (eslint.config.js: READING).',
  }));

const NO_SKIPPING = {
  selector: 'MemberExpression[object.name=/^(it|test|describe)$/][property.name=/^(skip|only|todo|fails)$/]',
  message: 'A skipped test proves nothing: make it pass or delete it.',
};
/** It saves a line and hides what is there. */
const NO_LITERAL_SPREAD = {
  selector: 'SpreadElement > ObjectExpression.argument, SpreadElement > ArrayExpression.argument',
  message: 'Write the properties or items out: no spread of a literal',
};
const NO_EXPORT_DEFAULT = {
  selector: 'ExportDefaultDeclaration',
  message: 'Name the export, so that it is found by its name.',
};
const LOADS_AT_RUN_TIME = {
  selector: "CallExpression[callee.name='require']",
  message: 'This is an ES module: import it, so that the import rules see it.',
};

const HIDDEN_FS = {
  selector: 'ImportExpression[source.value=/^(node:)?fs/]',
  message: 'Import `node:fs` at the top and by name, so that the rule on writing sees it.',
};

const PRINTS = 'Text leaves by src/terminal/streams.ts alone: whatever it holds, it steers no terminal there.';
const AROUND_THE_DOOR = {
  selector: ':matches(ImportDeclaration, ImportExpression)[source.value=/^(node:)?(process|console|tty)$/]',
  message: PRINTS,
};
/** Two stored wall times, of which a step of the wall clock may lie between: `src/ports/age.ts` knows the steps. */
const BY_THE_WALL = [
  {
    selector: "CallExpression[callee.property.name='newestEvidence']",
    message: 'A wall clock that was set back hides what came after it: use newestOf of src/ledger/walk.ts.',
  },
  ...[
    'BinaryExpression[operator=/^[<>]=?$/] > CallExpression[callee.object.name="Date"][callee.property.name="parse"]',
    'BinaryExpression[operator=/^[<>]=?$/][left.property.name=/^(at|.*At)$/][right.property.name=/^(at|.*At)$/]',
    'BinaryExpression[operator=/^[<>]=?$/][left.name="now"][right.property.name=/^(at|.*At)$/]',
    'BinaryExpression[operator=/^[<>]=?$/][left.property.name=/^(at|.*At)$/][right.name=/^(now|since)$/]',
    'CallExpression[callee.object.name="Math"][callee.property.name=/^(max|min)$/] > MemberExpression[property.name=/^(at|.*At)$/]',
  ].map((selector) => ({
    selector,
    message: 'The wall clock may have been set between both times: compare their `order`, or take `latest` or `age`.',
  })),
];
/** `D-3`, `law 6`: for whoever reads the code, in comments; nobody else has the list. */
const RULE_ID = '/\\b([DCPWTMFVI]-\\d+|[Ll]aw \\d+)\\b/';
const NO_RULE_IDS = {
  selector: `:matches(Literal[value=${RULE_ID}], TemplateElement[value.raw=${RULE_ID}])`,
  message: 'Whoever reads this does not know our list of rules: say what it is about.',
};
/** Of a part of a pattern, such as the one that ignores case. */
const NO_PATTERN_MODIFIERS = {
  selector: String.raw`Literal[regex.pattern=/\(\?[ims-]+:/]`,
  message: 'V8 loses modifiers once a process has compiled many patterns: use a flag (src/screen/pattern.ts).',
};
/** What takes a text apart, or looks for one in it. */
const TAKES_APART = '/^(split|slice|substring|startsWith|endsWith|includes|indexOf|match|replace)$/';
const NO_PARSED_IDS = {
  selector: `:matches(CallExpression[callee.property.name=${TAKES_APART}] > MemberExpression > CallExpression[callee.name='orderName'], CallExpression[callee.property.name=/^(exec|test)$/] > CallExpression[callee.name='orderName'])`,
  message: 'The name of an order is for people and maps: take the field of its id (machines/protocol/order-id.ts).',
};
/** A name of an episode, under the word by which all have it. */
const EPISODE = ":matches(Identifier[name='episode'], MemberExpression[property.name='episode'])";
const NO_HANDMADE_EPISODES = {
  selector: `:matches(CallExpression[callee.name='episodeIn'] > :matches(Literal, TemplateLiteral), CallExpression[callee.property.name=${TAKES_APART}] > MemberExpression > ${EPISODE})`,
  message:
    'The name of an episode is made of a declared kind, and taken apart by `aboutOf` (machines/protocol/episode.ts).',
};
/** One process may work for many callers (src/socket/caller-token.ts). */
const NO_OWN_TOKEN = {
  selector: "MemberExpression[object.property.name='env'][property.value='TOWN_TOKEN']",
  message: 'Who calls is not what stands in the environment of a process that works for many: take callerToken().',
};
const BEQUEATHED = { selector: "Literal[value='inherit']", message: `${PRINTS} A child is given no stream of ours.` };
const NO_PRINTING = ['stdout', 'stderr'].map((property) => ({ object: 'process', property, message: PRINTS }));
const NO_NEW_SYNTAX = ['ChainExpression', 'LogicalExpression[operator="??"]'].map((selector) => ({
  selector,
  message: 'Node 12 does not parse it, and who has an old Node would see a SyntaxError.',
}));
const FILTERED =
  'CallExpression[arguments.0.callee.name="harmless"] > MemberExpression > MemberExpression > Identifier';
const UNFILTERED = {
  selector: `:matches(Identifier[name=/^(stdout|stderr)$/]:not(${FILTERED}), Literal[value=/^(stdout|stderr)$/])`,
  message: 'What this file prints itself is made harmless there: `process.stderr.write(harmless(…))`.',
};
const NO_CONSOLE = { name: 'console', message: PRINTS };
const NO_KILLING = {
  object: 'process',
  property: 'kill',
  message: 'A pid may have a new owner: let src/proc signal it, which compares the start time first.',
};

const CLOCKLESS = [
  ...['Date', 'performance', 'setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval'].map(
    (name) => ({
      name,
      message: 'Time is a fact: take it from the event and keep deadlines in context (`wakeAt`).',
    }),
  ),
  ...['Promise', 'queueMicrotask', 'fetch', 'AbortController', 'AbortSignal', 'EventTarget'].map((name) => ({
    name,
    message: 'No machine awaits: give an order and take its outcome as a fact.',
  })),
  ...['process', 'console', 'Buffer', 'crypto', 'globalThis', 'WebSocket', 'require'].map((name) => ({
    name,
    message: 'A machine touches nothing outside: it takes facts and gives orders.',
  })),
];

export default defineConfig(
  { ignores: ['dist/', 'coverage/', 'node_modules/'] },
  { linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/ban-ts-comment': [
        'error',
        { 'ts-expect-error': true, 'ts-ignore': true, 'ts-nocheck': true },
      ],
      'no-duplicate-imports': ['error', { allowSeparateTypeImports: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/consistent-type-exports': 'error',
      // Ports are objects of closures: taking one function out of them is how they are passed on.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/no-misused-spread': ['error', { allow: ['string'] }],
      '@typescript-eslint/no-invalid-void-type': ['error', { allowAsThisParameter: true }],
    },
  },
  {
    files: ['**/*.{ts,js}'],
    rules: {
      eqeqeq: 'error',
      // Panes speak in control characters; patterns must name them.
      'no-control-regex': 'off',
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx', 'hack'], location: 'start' }],
      'no-param-reassign': 'error',
      'no-restricted-syntax': ['error', NO_LITERAL_SPREAD, NO_SKIPPING, LOADS_AT_RUN_TIME],
    },
  },
  {
    files: ['machines/**/*.ts', 'state/**/*.ts', 'src/**/*.ts'],
    rules: {
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      // An exhaustive switch over a sealed union is one decision, however many words the union has.
      complexity: ['error', { max: 18, variant: 'modified' }],
      'max-depth': ['error', 4],
      'max-params': ['error', 5],
      'no-restricted-syntax': [
        'error',
        NO_LITERAL_SPREAD,
        NO_EXPORT_DEFAULT,
        LOADS_AT_RUN_TIME,
        HIDDEN_FS,
        AROUND_THE_DOOR,
        BEQUEATHED,
        NO_RULE_IDS,
        NO_PATTERN_MODIFIERS,
        NO_PARSED_IDS,
        NO_HANDMADE_EPISODES,
        NO_OWN_TOKEN,
      ],
    },
  },
  {
    files: ['src/patrols/**/*.ts', 'src/triage/**/*.ts', 'src/plugins/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        NO_LITERAL_SPREAD,
        NO_EXPORT_DEFAULT,
        LOADS_AT_RUN_TIME,
        HIDDEN_FS,
        AROUND_THE_DOOR,
        BEQUEATHED,
        NO_RULE_IDS,
        NO_PATTERN_MODIFIERS,
        NO_PARSED_IDS,
        NO_HANDMADE_EPISODES,
        NO_OWN_TOKEN,
        ...BY_THE_WALL,
      ],
    },
  },
  {
    files: [BEQUEATHER, DOOR],
    rules: {
      'no-restricted-syntax': [
        'error',
        NO_LITERAL_SPREAD,
        NO_EXPORT_DEFAULT,
        LOADS_AT_RUN_TIME,
        HIDDEN_FS,
        AROUND_THE_DOOR,
        NO_RULE_IDS,
      ],
    },
  },
  {
    files: ['src/socket/caller-token.ts'],
    rules: { 'no-restricted-syntax': ['error', NO_LITERAL_SPREAD, NO_EXPORT_DEFAULT, LOADS_AT_RUN_TIME, HIDDEN_FS] },
  },
  {
    files: ['machines/**/*.ts'],
    rules: {
      // The type of a machine is what `setup` infers; written out it would be longer than the machine.
      '@typescript-eslint/explicit-module-boundary-types': 'off',
      // XState takes its types from a phantom value, `types: {} as T`, which this rule calls unnecessary.
      '@typescript-eslint/no-unnecessary-type-assertion': 'off',
      'no-restricted-globals': ['error', ...CLOCKLESS],
      'no-restricted-properties': [
        'error',
        {
          object: 'Math',
          property: 'random',
          message: 'Chance is a fact too: take a seed or a jitter from the input.',
        },
      ],
      'no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: 'xstate',
              importNames: [
                'fromPromise',
                'fromObservable',
                'fromEventObservable',
                'toPromise',
                'waitFor',
                'SimulatedClock',
              ],
              message: 'No machine awaits: give an order and take its outcome as a fact.',
            },
          ],
        },
      ],
      'no-restricted-syntax': [
        'error',
        NO_LITERAL_SPREAD,
        NO_EXPORT_DEFAULT,
        LOADS_AT_RUN_TIME,
        NO_RULE_IDS,
        NO_PATTERN_MODIFIERS,
        NO_PARSED_IDS,
        NO_HANDMADE_EPISODES,
        {
          selector: ':function[async=true]',
          message: 'No machine awaits: give an order and take its outcome as a fact.',
        },
        {
          selector: "TSTypeReference[typeName.name='Promise']",
          message: 'No machine awaits: give an order and take its outcome as a fact.',
        },
        { selector: 'AwaitExpression', message: 'No machine awaits: give an order and take its outcome as a fact.' },
        { selector: 'ImportExpression', message: 'A machine is loaded whole: import at the top.' },
        {
          selector: "CallExpression[callee.property.name='createMachine'] Property[key.name='after']",
          message: 'XState does not restore `after`: keep the deadline in context and let a TICK fact pass it.',
        },
        {
          selector: "CallExpression[callee.name=/^(raise|sendTo)$/] Property[key.name='delay']",
          message: 'XState does not restore delayed events: keep the deadline in context and let a TICK fact pass it.',
        },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: WRITERS.map(({ room }) => `src/${room}{/**,.ts}`),
    rules: { 'no-restricted-imports': ['error', { paths: fsPaths(READING) }] },
  },
  {
    files: ['src/**/*.ts', 'state/**/*.ts'],
    ignores: ['src/channels/web.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        NO_CONSOLE,
        ...['fetch', 'WebSocket', 'EventSource'].map((name) => ({
          name,
          message: 'The town speaks to no network: the process of the channels does (src/channels/web.ts).',
        })),
      ],
    },
  },
  {
    files: ['src/**/*.ts', 'state/**/*.ts'],
    rules: { 'no-restricted-properties': ['error', NO_KILLING, ...NO_PRINTING] },
  },
  {
    files: KILLERS.map((room) => `src/${room}{/**/*.ts,.ts}`),
    rules: { 'no-restricted-properties': ['error', ...NO_PRINTING] },
  },
  { files: [DOOR], rules: { 'no-restricted-properties': ['error', NO_KILLING] } },
  ...WRITERS.map(({ room, names }) => ({
    files: [`src/${room}{/**/*.ts,.ts}`],
    rules: { 'no-restricted-imports': ['error', { paths: fsPaths([...READING, ...names]) }] },
  })),
  {
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/explicit-module-boundary-types': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-empty-function': 'off',
    },
  },
  { files: ['*.js', 'examples/**/*.mjs'], languageOptions: { globals: { process: 'readonly', console: 'readonly' } } },
  {
    // The one file that runs in whatever Node there is: the syntax of Node 12, whose ES2020 lacks these two.
    files: ['src/**/*.cjs'],
    languageOptions: {
      ecmaVersion: 2020,
      sourceType: 'commonjs',
      globals: { require: 'readonly', process: 'readonly', __dirname: 'readonly' },
    },
    rules: {
      'no-restricted-properties': ['error', ...NO_PRINTING],
      'no-restricted-globals': ['error', NO_CONSOLE],
      'no-restricted-syntax': ['error', NO_LITERAL_SPREAD, ...NO_NEW_SYNTAX],
    },
  },
  {
    // It comes before the door, and may lie there without it: its own words pass its own filter.
    files: ['src/town.cjs'],
    rules: {
      'no-restricted-properties': 'off',
      'no-restricted-syntax': ['error', NO_LITERAL_SPREAD, ...NO_NEW_SYNTAX, UNFILTERED],
    },
  },
);
