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
