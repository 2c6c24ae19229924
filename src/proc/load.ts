/** What starts most programs, loaded before it is needed: the package may be gone by then. */

/** False = it cannot be loaded: its user reports that. */
export const loadStarter = async (): Promise<boolean> =>
  import('execa').then(
    () => true,
    () => false,
  );
