/** A command whose answer goes to a program in this process, and not to stdout. */
import { Context, textIn, type Told } from './context.ts';

export class Overheard extends Context {
  override readonly isForPerson = false;
  /** For a person. */
  text = '';
  /** As `--json` has it. */
  data: unknown = null;

  override answerPlain(_name: string, data: unknown, told: Told): void {
    this.text = textIn(told);
    this.data = data;
  }
}
