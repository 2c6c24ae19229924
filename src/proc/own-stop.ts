/** Stops this very process, as Ctrl-Z does by default; returns when it is continued. */
export function stopOneself(): void {
  process.kill(process.pid, 'SIGSTOP');
}
