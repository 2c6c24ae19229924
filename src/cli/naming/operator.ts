/** The operator's author name: the given one, else `overseer`. Reads no file, so that a command stays quick. */
export const operatorAs = (wanted: string | undefined): string => wanted ?? 'overseer';
