/** What was given of some choices: a choice that was not made is left to whoever knows what is usual. */
export const given = <T extends object>(all: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]?: Exclude<T[Name], undefined>;
  };
