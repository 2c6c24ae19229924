/** A git command that did not succeed, or that warned; the message quotes the command and what it said. */
export class GitFailed extends Error {
  override readonly name = 'GitFailed';
}
