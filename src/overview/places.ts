/** Where the words on a pane stand, and in which second the last ones came, as one row of tmux. Pure. */
export const PLACES = '#{pane_id} #{window_activity} #{history_size} #{cursor_x} #{cursor_y} #{pane_width}';
const PLACE = /^(%\d+) (\d+) (\d+) \d+ (\d+) \d+$/;

export const paneOf = (place: string): string => PLACE.exec(place)?.[1] ?? '';

/** Rows above the cursor, those that scrolled away included. */
export const rowsAbove = (place: string): number => {
  const [, , , history, cursor] = PLACE.exec(place) ?? [];
  return Number(history) + Number(cursor);
};

/** All later output comes in a later second than the last words. */
export const isSettled = (place: string, second: number): boolean => Number(PLACE.exec(place)?.[2]) < second;
