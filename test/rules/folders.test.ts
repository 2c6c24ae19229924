/** Folders stand in one order: no two need each other, and no file lies beside them that is not one of the lists. */
import { describe, expect, it } from 'vitest';
import { circlesIn, looseIn } from '../../scripts/folders.ts';
import { plant, ROOT } from './planted.ts';

describe('the folders of the product', () => {
  it('need each other in one direction only', () => {
    expect(circlesIn(ROOT)).toEqual([]);
  });

  it('hold every file but the lists', () => {
    expect(looseIn(ROOT)).toEqual([]);
  });
});

describe('a planted violation is found', () => {
  const copy = plant({
    'src/left/a.ts': "export type { B } from '../right/b.ts';",
    'src/right/b.ts': 'export type B = 1;',
    'src/right/deep/c.ts': "export const c = async () => (await import('../../middle/d.ts')).d;",
    'src/middle/d.ts': "import { e } from '../left/e.ts';\nexport const d = e;",
    'src/left/e.ts': 'export const e = 1;',
    'src/main.ts': "export { e } from './left/e.ts';",
    'src/left/v.ts': "export { version } from '../package.ts';",
    'src/package.ts': 'export const version = 1;',
    'state/stray.ts': 'export const stray = 1;',
  });

  it('a circle of three folders, by a type, a late import and a file further down', () => {
    expect(circlesIn(copy).sort()).toEqual([
      'src/left/a.ts -> src/right/b.ts',
      'src/middle/d.ts -> src/left/e.ts',
      'src/right/deep/c.ts -> src/middle/d.ts',
    ]);
  });

  it('a file beside the folders', () => {
    expect(looseIn(copy)).toEqual(['state/stray.ts']);
  });
});
