/** Whether a process of this number is there, in the kernel's own word. It may be another one than the caller means. */
import { codeOf } from '../../state/files/disk.ts';

/** Throws what the kernel says beside yes, no and "not yours". */
export function existsByKernel(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
    if (codeOf(error) === 'EPERM') return true;
    throw error;
  }
}
