/** What starts most programs, loaded before it is needed: the package may be gone by then. */

/** False = it cannot be loaded: whoever needs it says so. */
export const loadStarter = async (): Promise<boolean> =>
  import('execa').then(
    () => true,
    () => false,
  );
