/** Which folder is the root of a town, by flags, variables and files. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { findRoot } from '../../src/config/root.ts';
import { tempFolder } from '../world/over.ts';
import { refusal } from './refusal.ts';

let root = '';
beforeEach(() => (root = tempFolder('town-config')));

const toml = (text: string): void => writeFileSync(join(root, 'town.toml'), text);

describe('the root', () => {
  const home = '/nonexistent/home';

  test('--root, then TOWN_ROOT, then GT_ROOT, then the nearest town.toml, then ~/town', () => {
    const inner = join(root, 'a', 'b');
    mkdirSync(inner, { recursive: true });
    const env = { TOWN_ROOT: join(root, 't'), GT_ROOT: join(root, 'g') };
    const find = (given: object): unknown => findRoot({ env: {}, cwd: inner, home, ...given });
    expect(find({})).toEqual({ root: '/nonexistent/home/town', from: 'home', configured: false });
    toml('');
    expect(find({})).toEqual({ root, from: 'parent', configured: true });
    expect(find({ env: { GT_ROOT: env.GT_ROOT } })).toMatchObject({ root: env.GT_ROOT, from: 'GT_ROOT' });
    expect(find({ env })).toMatchObject({ root: env.TOWN_ROOT, from: 'TOWN_ROOT' });
    expect(find({ env, flag: '../x' })).toMatchObject({ root: join(root, 'a', 'x'), from: '--root' });
    expect(find({ env: { TOWN_ROOT: '', GT_ROOT: '' } })).toMatchObject({ from: 'parent' });
  });

  test('is one by whichever links it is named, also before it is there', () => {
    const real = join(root, 'real');
    mkdirSync(join(real, 'town'), { recursive: true });
    symlinkSync('real', join(root, 'link'));
    for (const name of ['town', 'later/town'])
      expect(findRoot({ flag: join(root, 'link', name) }).root).toBe(join(real, name));
    expect(findRoot({ env: { TOWN_ROOT: join(root, 'link/town') }, cwd: '/' }).root).toBe(join(real, 'town'));
  });

  test('cannot be a file, empty, or carry control characters', () => {
    toml('');
    expect(refusal(() => findRoot({ flag: join(root, 'town.toml') }))[0]).toMatch(/is not a folder/);
    expect(refusal(() => findRoot({ flag: join(root, 'town.toml/below') }))[0]).toMatch(/lies below a file/);
    symlinkSync('circle', join(root, 'circle'));
    expect(refusal(() => findRoot({ flag: join(root, 'circle') }))[0]).toMatch(/leads in circles/);
    expect(findRoot({ flag: join(root, 'not/there') }).configured).toBe(false);
    expect(refusal(() => findRoot({ flag: '' }))[0]).toMatch(/--root is empty/);
    expect(refusal(() => findRoot({ flag: 'a\nb' }))[0]).toMatch(/control characters/);
  });
});
