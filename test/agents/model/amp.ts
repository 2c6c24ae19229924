/** As much of Amp's server as its screens need that show no work: who asks, and nothing else. */
import type { Json } from './reply.ts';

const USER = { id: 'user_01', email: 'dev@example.org', username: 'dev', emailVerified: true, features: [], teams: [] };
const RESULTS: Json = { getUserInfo: USER, splashDispatch: null };

/** Null = not for it. */
export function ampReply(path: string): Json | null {
  if (path.startsWith('/api/user-actor-credentials'))
    return { ok: true, token: 'dummy', expiresAt: '2099-01-01T00:00:00Z' };
  const method = /^\/api\/internal\?(\w+)/.exec(path)?.[1];
  if (method === undefined) return null;
  return { ok: true, result: method in RESULTS ? RESULTS[method] : [] };
}
