/** Hooks in the text of settings files: an install and an uninstall leave all that is not ours as it was. */
import fc from 'fast-check';
import { parse, type ParseError, visit } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import { areHooksOff, commandsIn, unfitText, withoutHooks } from '../../src/hooks/edit.ts';
import { foundIn, installing, uninstalling, type Ours } from '../../src/hooks/install.ts';
import { installedHooks } from '../../src/sources/claude-hooks.ts';
import { installedAs, textBefore } from '../../state/hooks/installed.ts';

const OURS: Ours = { socket: "/home/o'neil/town/daemon/hooks.sock", version: '0.1.0' };
const AT = { file: '/s', socket: OURS.socket };
const EVENTS = installedHooks(OURS.socket, OURS.version).map(({ event }) => event);

const word = fc.oneof(
  fc.constantFrom('model', 'env', '$schema', 'ключ', 'a"b', 'hook', '漢'),
  fc.string({ maxLength: 5 }),
);
const plain = fc.jsonValue({ maxDepth: 2 });
const foreign = fc.record({
  hooks: fc.array(fc.record({ type: fc.constant('command'), command: fc.string({ maxLength: 9 }) }), {
    minLength: 1,
    maxLength: 2,
  }),
});
const hooks = fc.dictionary(
  fc.constantFrom(...EVENTS, 'Stop', 'PreToolUse'),
  fc.array(foreign, { minLength: 1, maxLength: 3 }),
  { minKeys: 1, maxKeys: 4 },
);
const settings = fc
  .tuple(fc.dictionary(word, plain, { maxKeys: 4 }), fc.option(hooks), fc.nat(4))
  .map(([others, there, at]) => {
    const entries = Object.entries(others).filter(([key]) => key !== 'hooks' && key !== '__proto__');
    return Object.fromEntries(there === null ? entries : entries.toSpliced(at, 0, ['hooks', there]));
  });
const style = fc.record({
  indent: fc.constantFrom('  ', '    ', '\t', ''),
  eol: fc.constantFrom('\n', '\r\n'),
  comma: fc.constantFrom('', ','),
  comments: fc.array(fc.constantFrom('', ' // mine', ' /* one "hooks": {} */', '\n// an own line'), { minLength: 1 }),
  end: fc.constantFrom('', '\n', '\n\n'),
  bom: fc.constantFrom('', '\ufeff'),
});
type Style = typeof style extends fc.Arbitrary<infer One> ? One : never;

/** As a person may write it: with comments behind lines, trailing commas, tabs, other line ends, or all in one line. */
function written(value: object, { indent, eol, comma, comments, end, bom }: Style): string {
  const lines = JSON.stringify(value, null, indent).split('\n');
  const isOne = indent === '';
  const text = lines.map((line, at) => {
    const next = lines[at + 1]?.trim() ?? '';
    const isLast = /^[\]}]/.test(next) && !/[[{]$/.test(line);
    return `${line}${isLast ? comma : ''}${isOne ? '' : (comments[at % comments.length] ?? '')}`;
  });
  return bom + (text.join('\n') + end).replaceAll('\n', eol);
}
const file = fc.tuple(settings, style).map(([value, how]) => written(value, how));

const valueOf = (text: string): Record<string, unknown> => {
  const errors: ParseError[] = [];
  const value = parse(text.replace(/^\ufeff/, ''), errors, { allowTrailingComma: true }) as Record<string, unknown>;
  expect(errors).toEqual([]);
  return value;
};
function commentsOf(text: string): string[] {
  const found: string[] = [];
  const body = text.replace(/^\ufeff/, '');
  visit(body, { onComment: (from, length) => void found.push(body.slice(from, from + length)) });
  return found;
}
const install = (text: string | null): string => installing(text, OURS, undefined).after ?? '';
const isOurs = ({ command }: { readonly command: string }) => command.includes('http://town/hook');

describe('an install', () => {
  test('adds our hooks behind those that are there, and changes nothing else', () => {
    fc.assert(
      fc.property(file, (before) => {
        expect(unfitText(before)).toBeNull();
        const after = install(before);
        expect(unfitText(after)).toBeNull();
        const [was, is] = [valueOf(before), valueOf(after)];
        expect({ ...is, hooks: null }).toEqual({ ...was, hooks: null });
        expect(Object.keys(is).filter((key) => key in was)).toEqual(Object.keys(was));
        expect(commandsIn(after).filter((one) => !isOurs(one))).toEqual(commandsIn(before));
        expect(
          commandsIn(after)
            .filter(isOurs)
            .map(({ event }) => event)
            .sort(),
        ).toEqual(EVENTS.toSorted());
        expect(commentsOf(after)).toEqual(commentsOf(before));
        expect(foundIn(after, OURS)).toMatchObject({ areCurrent: true, version: '0.1.0', others: 0 });
        if (before.includes('\r\n')) expect(after.replaceAll('\r\n', '')).not.toContain('\n');
      }),
    );
  });

  test('and its end give back each byte, also after a renewal', () => {
    fc.assert(
      fc.property(fc.option(file), (before) => {
        const old = { ...OURS, version: '0.0.9' };
        const first = installing(before, old, undefined).after ?? '';
        const record = installedAs({ ...AT, at: 1 }, before, first);
        expect(uninstalling(first, OURS, record).after).toBe(before);
        const renewed = installing(first, OURS, record).after ?? '';
        expect(foundIn(renewed, OURS)).toMatchObject({ areCurrent: true, version: '0.1.0' });
        const again = installedAs({ ...AT, at: 2 }, uninstalling(first, OURS, record).after, renewed);
        expect(uninstalling(renewed, OURS, again).after).toBe(before);
      }),
    );
  });

  test('ends without its record, or after other changes, with all that is not ours', () => {
    fc.assert(
      fc.property(file, (before) => {
        const changed = install(before).replace(/\{/, '{"later": [1],');
        const record = installedAs({ ...AT, at: 1 }, before, install(before));
        expect(textBefore(record, changed)).toBeUndefined();
        const after = uninstalling(changed, OURS, record).after ?? '';
        expect(valueOf(after)).toEqual({ later: [1], ...valueOf(before) });
        expect(commentsOf(after)).toEqual(commentsOf(before));
      }),
    );
  });

  test('and its end under a root that was moved since, known by what the record says they call', () => {
    const before = '{"a": 1}\n';
    const changed = install(before).replace('"a": 1', '"a": 2');
    const record = installedAs({ ...AT, at: 1 }, before, install(before));
    const moved = { ...OURS, socket: '/elsewhere/daemon/hooks.sock' };
    expect(valueOf(uninstalling(changed, moved, record).after ?? '')).toEqual({ a: 2 });
    expect(uninstalling(changed, moved, undefined).after).toBe(changed);
  });

  test('of a file that is not there, or is empty, is a whole one', () => {
    const whole = install(null);
    expect(whole).toMatch(/^\{\n {2}"hooks": \{[^]*\n\}\n$/);
    for (const empty of ['', ' \n', '{}\n']) expect(install(empty)).toBe(whole);
    for (const empty of ['', ' \n', '{}\n', null])
      expect(uninstalling(whole, OURS, installedAs({ ...AT, at: 1 }, empty, whole)).after).toBe(empty);
  });
});

describe('what is not understood whole is not changed', () => {
  test.each([
    ['{"a": 1', 'line 1 is not JSON'],
    ['{\n  "a": tru\n}', 'line 2 is not JSON'],
    ['{}\n{}', 'line 2 is not JSON'],
    ['[]', 'it is not a JSON object'],
    ['"text"', 'it is not a JSON object'],
    ['null', 'it is not a JSON object'],
    ['{"hooks": []}', 'its "hooks" is not an object'],
    ['{"hooks": {"Stop": {}}}', 'its hooks of "Stop" are not a list'],
    ['{"hooks": {}, "hooks": {}}', 'it has the key "hooks" twice'],
    ['{"hooks": {"Stop": [], "Stop": []}}', 'it has the key "Stop" twice'],
    ['{"a": "\ufffd"}', 'it is not UTF-8'],
  ])('%j: %s', (text, why) => {
    expect(unfitText(text)).toBe(why);
    expect(foundIn(text, OURS).events).toEqual([]);
  });

  test.each([
    '{}',
    '',
    '{"hooks": {}, // mine\n}',
    '{"hooks": {"Stop": [7, {"hooks": "no list"}, {"hooks": [7, {}]}]}}',
  ])('%j is', (text) => {
    expect(unfitText(text)).toBeNull();
    expect(commandsIn(text)).toEqual([]);
    expect(foundIn(install(text), OURS).areCurrent).toBe(true);
  });
});

describe('whose a hook is', () => {
  const other = { ...OURS, socket: '/tmp/other.sock' };

  test('another town keeps its own', () => {
    const both = installing(install('{}'), other, undefined).after ?? '';
    expect([foundIn(both, OURS), foundIn(both, other)]).toMatchObject([
      { areCurrent: true, others: EVENTS.length },
      { areCurrent: true, others: EVENTS.length },
    ]);
    const left = uninstalling(both, OURS, undefined).after;
    expect([foundIn(left, OURS).events, foundIn(left, other).areCurrent]).toEqual([[], true]);
  });

  test('a hook of a person that stands in an entry of ours, or speaks of the town, stays', () => {
    const mine = { type: 'command', command: 'curl http://town/hook # townwatch ' };
    const value = valueOf(install('{}')) as { hooks: Record<string, { hooks: unknown[] }[]> };
    value.hooks['StopFailure']?.[0]?.hooks.push(mine);
    const after = uninstalling(JSON.stringify(value), OURS, undefined).after ?? '';
    expect(valueOf(after)).toEqual({ hooks: { StopFailure: [{ hooks: [mine] }] } });
    expect(foundIn(after, OURS)).toMatchObject({ events: [], others: 0 });
  });

  test('an older one, and one that is missing, are not what this version writes', () => {
    const old = installing('{}', { ...OURS, version: '0.0.1' }, undefined).after;
    expect(foundIn(old, OURS)).toMatchObject({ areCurrent: false, version: '0.0.1', events: EVENTS });
    const fewer = withoutHooks(install('{}'), (command) => command.includes('--max-time'));
    expect(foundIn(fewer, OURS)).toMatchObject({ areCurrent: false, events: ['PermissionRequest'] });
  });

  test('a file can switch all hooks off', () => {
    expect([areHooksOff('{"disableAllHooks": true}'), areHooksOff('{}'), areHooksOff(null)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
