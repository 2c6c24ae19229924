/**
 * Which room may import what. One rule, one sentence of reason. `test/rules/imports.test.ts` proves that every file is
 * read and that every rule finds a planted violation; the tables below are what it plants from.
 * Imports go one way: src -> state -> machines -> xstate. Types count: a room that needs another's types knows it.
 */

/** Rooms that may start programs. Everything else asks one of them. */
export const SPAWNERS = [
  'tmux',
  'sessions/detached',
  'proc',
  'git',
  'guard',
  'demo',
  'alerts/command',
  'channels/child',
  'terminal/streams',
  'town.cjs',
];

/** Rooms that may open a socket or listen on one. */
export const SPEAKERS = ['socket', 'channels/irc', 'channels/web', 'guard', 'demo', 'inspect', 'mcp/http', 'sources'];

/** Packages that the built product holds; none is installed beside it. */
export const INSIDE = [
  '@modelcontextprotocol/node',
  '@modelcontextprotocol/server',
  'commander',
  'croner',
  'execa',
  'jsonc-parser',
  'nodemailer',
  'pino',
  'smol-toml',
  'unbash',
  'ws',
  'xstate',
  'zod',
];

const room = (names) => `^src/(${names.join('|')})(/|\\.ts$|$)`;
const PRODUCT = '^(machines|state|src)/';
const SPAWN = ['^(node:)?(child_process|cluster)$', '(^|/)node_modules/execa/'];
const SPEAK = ['^(node:)?(net|http|https|http2|dgram|tls|dns)(/promises)?$', '(^|/)node_modules/ws/'];

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'machines-know-only-xstate',
      comment:
        'A machine decides from facts alone, so that the whole town runs in virtual time: it has no I/O to import.',
      severity: 'error',
      from: { path: '^machines/' },
      to: { pathNot: ['^machines/', '(^|/)node_modules/xstate/'] },
    },
    {
      name: 'state-knows-no-hands',
      comment:
        'What is remembered must be readable by a simulator or another program, without the hands that act on it.',
      severity: 'error',
      from: { path: '^state/' },
      to: { path: '^(src|test|scripts)/' },
    },
    {
      name: 'state-runs-no-machine',
      comment:
        'Records are plain data in our own schema: XState in state/ would tie every file on disk to its internals.',
      severity: 'error',
      from: { path: '^state/' },
      to: { path: '(^|/)node_modules/xstate/' },
    },
    {
      name: 'product-knows-no-test',
      comment: 'Tests and scripts are not shipped: an import of them breaks the installed package.',
      severity: 'error',
      from: { path: PRODUCT },
      to: { path: '^(test|scripts)/' },
    },
    {
      name: 'only-hands-spawn',
      comment: `A program may be started only where orders are carried out under a time limit: ${SPAWNERS.join(', ')}.`,
      severity: 'error',
      from: { path: PRODUCT, pathNot: room(SPAWNERS) },
      to: { path: SPAWN },
    },
    {
      name: 'only-the-bell-notifies',
      comment:
        "A person's command is started once per cause and window: who decides that is one file, src/alerts/bell.ts.",
      severity: 'error',
      from: { path: PRODUCT, pathNot: '^src/alerts/(bell|command)\\.ts$' },
      to: { path: '^src/alerts/command\\.ts$' },
    },
    {
      name: 'only-hands-speak',
      comment: `A socket is a way in: only ${SPEAKERS.join(', ')} may open one, where its rights and limits are checked.`,
      severity: 'error',
      from: { path: PRODUCT, pathNot: room(SPEAKERS) },
      to: { path: SPEAK },
    },
    {
      name: 'one-door-for-the-web',
      comment:
        'What a browser can reach is served in one place, src/inspect, where Host, Origin and every bound are checked. src/sources asks a program that serves itself.',
      severity: 'error',
      from: { path: PRODUCT, pathNot: room(['inspect', 'sources']) },
      to: { path: '(^|/)node_modules/ws/' },
    },
    {
      name: 'inspector-is-loaded-late',
      comment: 'A town that is not looked at pays nothing for its inspector: it is imported when it is opened.',
      severity: 'error',
      from: { path: PRODUCT, pathNot: room(['inspect']) },
      to: {
        path: '^src/inspect/',
        pathNot: '^src/inspect/(health|policy)\\.ts$',
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'no-cycles',
      comment: 'Two files that import each other are one file in two places, and their order of evaluation is luck.',
      severity: 'error',
      from: { pathNot: '^test/' },
      to: { circular: true },
    },
    {
      name: 'no-cycles-in-tests',
      comment: 'A test may look back at a type, which is gone before anything is evaluated, but at nothing else.',
      severity: 'error',
      from: { path: '^test/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-unresolved',
      comment: 'An import that cannot be found fails at run time, or is a file that this checker then never reads.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-undeclared-package',
      comment: 'A package that package.json does not name is there by accident and may be gone after the next install.',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'product-holds-chosen-packages',
      comment: `What the product imports is shipped inside it, so each package is chosen: ${INSIDE.join(', ')}.`,
      severity: 'error',
      from: { path: PRODUCT },
      to: {
        path: '(^|/)node_modules/',
        pathNot: `(^|/)node_modules/(@types|${INSIDE.join('|')})/`,
        dependencyTypesNot: ['type-only'],
      },
    },
  ],
  options: {
    doNotFollow: { path: '(^|/)node_modules/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    moduleSystems: ['es6', 'cjs'],
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
