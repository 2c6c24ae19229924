/** The numbers of `town mcp --http`, with unit and reason. */

export const MCP = {
  /** The port on the loopback address: the same one again and again, since programs have it in their configuration. */
  port: 7391,
  /** Of one request: a letter's largest body fits four times. */
  maxBodyBytes: 1_048_576,
  /** At once: a program keeps one or two. */
  maxConnections: 64,
  /** ms: a request whose head or body is not here after this is closed. */
  silentMs: 10_000,
} as const;
