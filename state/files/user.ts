/** Who runs this program, as far as the system knows: a uid without an entry in passwd, as in a container, has neither name nor home. */
import { homedir, userInfo } from 'node:os';
import { orNull } from './or-null.ts';

/** $HOME, else that of passwd; null = there is none. */
export const homeFolder = (): string | null => orNull(homedir);

/** As passwd has them; null = it does not know this uid. */
export const passwdEntry = (): { readonly name: string; readonly home: string } | null =>
  orNull(() => {
    const { username, homedir: home } = userInfo();
    return { name: username, home };
  });
