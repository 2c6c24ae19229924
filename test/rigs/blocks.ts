/** A file of like blocks, as configurations and tables are: a line says nothing of the block that it is in, nor do its neighbours. */
export const SERVICES = ['a', 'b', 'c'] as const;
/** Each may be in the middle of each block. */
export const LINES = ['    timeout: 30', '    retries: 3'] as const;
const ABOVE = ['    image: node', '    memory: 1', '    cpu: 1', '    ports: []'];
const BELOW = ['    env: []', '    volumes: []', '    restart: no', '    labels: []'];

export type Lines = Partial<Record<(typeof SERVICES)[number], readonly string[]>>;

/** The file with these lines in the middle of a block. */
export function servicesWith(lines: Lines): string {
  const blocks = SERVICES.flatMap((name) => [`  - ${name}:`, ...ABOVE, ...(lines[name] ?? []), ...BELOW]);
  return `${['services:', ...blocks].join('\n')}\n`;
}

/** Of a file that it made, or that git made of such files. */
export function linesIn(text: string): Lines {
  const blocks = text.split('  - ').slice(1);
  const linesOf = (block: string): [string, readonly string[]] => [
    block.charAt(0),
    LINES.filter((line) => block.includes(line)),
  ];
  return Object.fromEntries(blocks.map(linesOf));
}
