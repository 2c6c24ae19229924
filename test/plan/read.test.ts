/** Which tasks a Markdown file has: each way to write them, each mistake by its line, and any plan that is written out. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PLAN } from '../../src/plan/policy.ts';
import { readPlan } from '../../src/plan/read.ts';

/** Of each task what a person wrote; its line too where asked for. */
const tasksIn = (text: string) => {
  const { tasks, mistakes } = readPlan(text);
  expect(mistakes).toEqual([]);
  return tasks.map(({ title, priority, after, description }) => ({
    title,
    priority,
    after: after.map((one) => one.text),
    description,
  }));
};
const task = (title: string, more: object = {}) => ({ title, priority: null, after: [], description: '', ...more });

// Rules: R-3.
describe('a task', () => {
  test.each([
    ['- [ ] mend it', task('mend it')],
    ['* [ ] mend it', task('mend it')],
    ['3) [ ] mend it', task('mend it')],
    ['- [ ] mend it (P1)', task('mend it', { priority: 1 })],
    ['- [ ] (P0) mend it', task('mend it', { priority: 0 })],
    ['- [ ] keep (P5) in the middle', task('keep (P5) in the middle')],
    ['- [ ] mend `a b` and *c*', task('mend `a b` and *c*')],
    ['- [ ] mend it after: 2', task('mend it', { after: ['2'] })],
    ['- [ ] mend it (after: test it) (P3)', task('mend it', { after: ['test it'], priority: 3 })],
    ['- [ ] mend it (P3) after: test it', task('mend it', { after: ['test it'], priority: 3 })],
    ['- [ ] look after: the house\n  After: 2', task('look', { after: ['the house', '2'] })],
    ['- [ ] mend it\n  after: 2\n\n  after: x, 3', task('mend it', { after: ['2', 'x, 3'] })],
    ['- [ ] mend it\n  - after: 2\n  - keep this', task('mend it', { after: ['2'], description: '- keep this' })],
    ['- [ ] mend it\nat once', task('mend it', { description: 'at once' })],
    [
      '- [ ] mend it\n  ```sh\n  if a\n    after: no task\n\n  ```\n\n  end',
      task('mend it', { description: '```sh\nif a\n  after: no task\n\n```\n\nend' }),
    ],
    ['- [ ] mend it\n  - [ ] first\n    - [x] deep', task('mend it', { description: '- [ ] first\n  - [x] deep' })],
    ['- [ ] mend it\n\n  <!-- not yet -->', task('mend it', { description: '<!-- not yet -->' })],
  ])('%j', (text, wanted) => {
    expect(tasksIn(text)).toEqual([wanted]);
  });

  test('in code, a comment or HTML is none', () => {
    expect(tasksIn('```\n- [ ] a\n```\n<!--\n- [ ] b\n-->\n\n<ul><li>[ ] c</li></ul>\n')).toEqual([]);
  });

  test('knows its line, its number before it and whether it is ticked', () => {
    const { tasks } = readPlan('# A\n\n1. [ ] a\n1. [x] b\n\n- [X] c\n');
    const seen = tasks.map(({ line, number, isTicked }) => [line, number, isTicked]);
    expect(seen).toEqual([
      [3, 1, false],
      [4, 2, true],
      [6, null, true],
    ]);
  });

  test('has its headings and the text around it, and nothing of other headings', () => {
    const text =
      '# Week 1\nfor all\n## Parser\nuse yacc\n- [ ] a\n  own\n\nlater\n<!-- secret -->\n\n- [ ] b\n## Docs\n- write\n- Manual\n  - [ ] c\n\n# Week 2\n- [ ] d\n';
    const [a, b, c, d] = tasksIn(text).map(({ description }) => description);
    expect(a).toBe('own\n\nPart of the plan: Week 1 › Parser\n\nfor all\n\nuse yacc\n\nlater');
    expect(b).toBe('Part of the plan: Week 1 › Parser\n\nfor all\n\nuse yacc\n\nlater');
    expect(c).toBe('Part of the plan: Week 1 › Docs › Manual\n\nfor all\n\n- write');
    expect(d).toBe('Part of the plan: Week 2');
  });
});

const BEGINS = 'it begins like a task, and is none; write `- [ ] title`';
test.each([
  ['- [ ]', 1, BEGINS],
  ['- [] mend it', 1, BEGINS],
  ['-[ ] mend it', 1, BEGINS],
  ['[ ] mend it', 1, BEGINS],
  ['- [ ] a\n-[ ] b', 2, BEGINS],
  ['> - [ ] quoted', 1, BEGINS],
  ['text\n\n    - [ ] deep', 3, 'four blanks before a task make it code; indent it less'],
  ['- [ ] (P1)', 1, 'the task has no title; write `- [ ] title`'],
  ['- [ ] a (P7)', 1, '(P7) is no priority; write (P0), the most urgent, to (P4)'],
  [`- [ ] ${'x'.repeat(501)}`, 1, 'the title has 501 characters, the limit is 500; indent the rest'],
  [`- [ ] a\n\n  ${'x'.repeat(262_145)}`, 1, 'its text has 262145 characters, the limit is 262144'],
])('%# is a mistake of its line', (text, line, words) => {
  expect(readPlan(text).mistakes).toEqual([{ line, text: words }]);
});

test('a long text around many tasks is one mistake', () => {
  const { mistakes } = readPlan(`${'x '.repeat(PLAN.maxContext)}\n\n${'- [ ] a\n'.repeat(50)}`);
  expect(mistakes).toEqual([
    { line: 3, text: expect.stringContaining('put it into a file of the repository') as string },
  ]);
});

test('a link that looks like a tick, and text in brackets, are text', () => {
  expect(readPlan('- [x](http://a)\n- [a] b\n\n[ref] c\n')).toEqual({ tasks: [], mistakes: [] });
});

const words = fc
  .array(fc.stringMatching(/^[a-z0-9äß.,:`*_<>#-]{1,8}$/), { minLength: 1, maxLength: 6 })
  .map((all) => `T ${all.join(' ')}`)
  .filter((title) => !/after:/i.test(title));
const written = fc.record({
  title: words,
  priority: fc.option(fc.integer({ min: 0, max: 4 })),
  after: fc.array(fc.stringMatching(/^[a-z]{1,8}( [a-z]{1,8})?$/), { maxLength: 3 }),
  body: fc.array(fc.stringMatching(/^[A-Za-z][A-Za-z .`]{0,20}[a-z]$/), { maxLength: 3 }),
  code: fc.option(fc.array(fc.string({ maxLength: 12, unit: 'grapheme-ascii' }), { maxLength: 3 })),
});

// Rules: R-3.
test('any plan is read as it was written, with any bullets, numbers and line ends', () => {
  const property = fc.property(fc.array(written, { maxLength: 12 }), fc.boolean(), (tasks, isNumbered) => {
    const text = tasks.map(({ title, priority, after, body, code }, at) => {
      const mark = isNumbered ? `${at + 1}.` : '-';
      const indent = ' '.repeat(mark.length + 1);
      const lines = [
        ...after.map((one) => `after: ${one}`),
        ...body,
        ...(code === null ? [] : ['', '```', ...code.map((line) => line.replaceAll('`', '')), '```']),
      ];
      const head = `${mark} [ ] ${title}${priority === null ? '' : ` (P${priority})`}`;
      return `${[head, ...lines.map((line) => (line === '' ? '' : indent + line))].join('\n')}\n`;
    });
    const wanted = tasks.map(({ title, priority, after, body, code }) => ({
      title,
      priority,
      after,
      description: [
        ...body,
        ...(code === null ? [] : ['', '```', ...code.map((line) => line.replaceAll('`', '')), '```']),
      ]
        .join('\n')
        .replace(/^\n+/, ''),
    }));
    expect(tasksIn(text.join('\n'))).toEqual(wanted);
  });
  fc.assert(property, { numRuns: 300 });
});

test('any text is read without an error', () => {
  const pieces = fc.constantFrom(
    '- [ ] ',
    '- ',
    '[x] ',
    '\n',
    '\n\n',
    '  ',
    '# ',
    '```\n',
    '> ',
    'after: ',
    '1. ',
    '<!--',
    '-->',
    '(P9)',
    'a',
    '\t',
    '***\n',
    '[a]: b\n',
  );
  const property = fc.property(fc.array(pieces, { maxLength: 60 }), (all) => {
    const text = all.join('');
    const { tasks, mistakes } = readPlan(text);
    const lines = text.split('\n').length;
    for (const { line } of [...tasks, ...mistakes]) expect(line >= 1 && line <= lines).toBe(true);
  });
  fc.assert(property, { numRuns: 500 });
});
