/** Stops this very process, as Ctrl-Z does where nobody listens to it; returns when somebody continues it. */
export function stopOneself(): void {
  process.kill(process.pid, 'SIGSTOP');
}
