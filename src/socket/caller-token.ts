/**
 * The token that proves who calls; absent = the operator calls. A process works for one caller, whose token stands in its
 * environment, or for many: then each request brings its caller's token. No other file of the product reads TOWN_TOKEN
 * of its own environment (eslint.config.js), so a process that works for many takes none of them for the operator.
 */
import type { AsyncLocalStorage } from 'node:async_hooks';

export interface ProvedCaller {
  /** undefined = the operator. */
  readonly token: string | undefined;
}

/** No agent's: what is done for none of the callers is refused. */
const OF_NO_CALLER = 'none';

let callers: AsyncLocalStorage<ProvedCaller> | null = null;

export function callerToken(): string | undefined {
  if (callers === null) return process.env['TOWN_TOKEN'];
  const caller = callers.getStore();
  return caller === undefined ? OF_NO_CALLER : caller.token;
}

/** While `work` is under way this process works for those that `proved` holds, and not for the caller of its environment. */
export async function workForMany<T>(proved: AsyncLocalStorage<ProvedCaller>, work: () => Promise<T>): Promise<T> {
  callers = proved;
  try {
    return await work();
  } finally {
    callers = null;
  }
}

/** What follows is asked in the operator's name. */
export function forgetToken(): void {
  delete process.env['TOWN_TOKEN'];
}
