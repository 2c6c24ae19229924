/** What a dead process waits for: nothing settles for it any more. */
export const never = <T>(): Promise<T> => new Promise(() => undefined);
