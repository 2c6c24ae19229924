/** A git command that did not succeed, or that warned; the message quotes the command and what it said. */
export class GitFailed extends Error {
  override readonly name: string = 'GitFailed';
}

/** One that did not end in its time. */
export class GitLate extends GitFailed {
  override readonly name = 'GitLate';
}
