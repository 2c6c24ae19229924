// Loaded before the town's program under strace: see strike.ts, 3.
import { open } from 'node:fs/promises';

for (let left = Number(process.env['STRIKE_PAD'] ?? 0); left > 0; left -= 1) await (await open('/dev/null')).close();
await open('/dev/null/pad-done').catch(() => undefined); // The mark; there is no such file.
Reflect.deleteProperty(process.env, 'STRIKE_PAD');
