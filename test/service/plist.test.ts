/** The property list for launchd, read back by the rules of its document type. */
import { expect, test } from 'vitest';
import { plistText } from '../../src/service/unit.ts';

type Value = string | number | boolean | readonly Value[] | { readonly [key: string]: Value };

const SIGNS: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

/** Throws where the document type allows no such text. */
function valueIn(text: string): Value {
  const [head = '', body = ''] = text.split('<plist version="1.0">');
  expect(head.split('\n')[0]).toBe('<?xml version="1.0" encoding="UTF-8"?>');
  expect(text.endsWith('</plist>\n')).toBe(true);
  const words = body.match(/<[^<>]+>|[^<>]+/g) ?? [];
  let at = 0;
  const next = (): string => words[at++] ?? '';
  const tag = (): string => {
    for (let word = next(); ; word = next()) if (word.trim() !== '') return word;
  };
  const textTo = (end: string): string => {
    const inner = words[at] === end ? '' : next();
    expect(next()).toBe(end);
    return inner.replace(/&[^;]*;?/g, (sign) => SIGNS[sign] ?? expect.unreachable(`bare sign ${sign}`));
  };
  const read = (opened: string): Value => {
    if (opened === '<true/>' || opened === '<false/>') return opened === '<true/>';
    if (opened === '<string>') return textTo('</string>');
    if (opened === '<integer>') return Number(textTo('</integer>'));
    const all: Value[] = [];
    const keys: Record<string, Value> = {};
    for (let inner = tag(); inner !== opened.replace('<', '</'); inner = tag()) {
      if (opened === '<array>') all.push(read(inner));
      else if (opened === '<dict>' && inner === '<key>') keys[textTo('</key>')] = read(tag());
      else expect.unreachable(`${inner} in ${opened}`);
    }
    return opened === '<array>' ? all : keys;
  };
  const value = read(tag());
  expect(tag()).toBe('</plist>');
  return value;
}

test.each(['plain', 'a & b', '<dict>', 'x</string>', '"quoted"', 'é ü', '', '%h $HOME'])(
  'a command with the word %j is read back as it is',
  (word) => {
    const command = ['/opt/node', word];
    const environment = { PATH: `/bin:${word}` };
    const value = valueIn(plistText({ name: 'dev.townwatch-x', root: '/r', command, environment }));
    expect(value).toMatchObject({
      Label: 'dev.townwatch-x',
      ProgramArguments: command,
      EnvironmentVariables: environment,
      RunAtLoad: true,
      KeepAlive: { SuccessfulExit: false },
      AbandonProcessGroup: true,
    });
  },
);

test('a text that is none is found', () => {
  const text = plistText({ name: 'x', root: '/r', command: ['/opt/node'], environment: {} });
  expect(() => valueIn(text.replace('</array>', ''))).toThrow();
  expect(() => valueIn(text.replace('/opt/node', 'a & b'))).toThrow();
});
