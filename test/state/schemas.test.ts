/** The JSON Schemas of durable files: a shape that changes is seen here, before a program that reads it notices. */
import { expect, test } from 'vitest';
import { fileSchemas } from '../../scripts/schemas.ts';

const schemas = await fileSchemas();

test.each([...schemas])('%s', async (kind, schema) => {
  await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(`./schemas/${kind}.txt`);
});

test('every kind has one', () => {
  expect([...schemas.keys()]).toEqual(expect.arrayContaining(['alert', 'dance', 'mail', 'session', 'warrant']));
});

test.each([...schemas])('the patterns of %s are those that other languages read too', (_, schema) => {
  expect(JSON.stringify(schema)).not.toMatch(/\\\\[pP]\{|\\\\u\{/);
});

test('the pattern of the id of a letter admits no sign up to U+FFFF that cannot be seen', () => {
  const { properties } = schemas.get('mail') as { readonly properties: { readonly id: { readonly pattern: string } } };
  const pattern = new RegExp(properties.id.pattern);
  const wrong: string[] = [];
  for (let code = 0; code <= 0xffff; code += 1) {
    const sign = String.fromCodePoint(code);
    if (pattern.test(sign) === /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(sign)) wrong.push(code.toString(16));
  }
  expect(wrong).toEqual([]);
});
