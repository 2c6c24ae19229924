/** The name of the town's unit, which stays what it was when its root was named through a link. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { managerOf } from '../../src/service/manager.ts';
import { freshFolder } from '../world/over.ts';

// Rules: F-2, C-12.
test.each(['linux', 'darwin'] as const)(
  'a unit that was made through a link is found by the real root: %s',
  (platform) => {
    const home = join(freshFolder(), 'a & <b> %h');
    const [root, other, link] = [join(home, 'data/town'), join(home, 'other/town'), join(home, 'me')];
    for (const folder of [root, other]) mkdirSync(folder, { recursive: true });
    symlinkSync(join(home, 'data'), link);
    const env = { HOME: home };
    const named = (path: string) => managerOf(path, env, platform);
    const [old, apart, bare] = [named(join(link, 'town')), named(other), named(root)];
    expect(new Set([old.file, apart.file, bare.file]).size).toBe(3);

    mkdirSync(old.folder, { recursive: true });
    for (const one of [apart, old]) writeFileSync(join(one.folder, one.file), one.text);
    writeFileSync(join(old.folder, bare.file.replace('town-', 'mine-')), 'by another program');
    expect(named(root)).toMatchObject({ file: old.file, service: { name: old.service.name, root } });
    expect(named(other).file).toBe(apart.file);

    writeFileSync(join(bare.folder, bare.file), bare.text);
    expect(named(root).file).toBe(bare.file);
  },
);
