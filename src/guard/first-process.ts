/** A town that is process 1, as the command of a container is. */

/** The kernel gives it every orphan, and Node takes in no end of a process that it did not start itself. */
export const isFirst = (pid: number): boolean => pid === 1;

export const UNREAPED =
  'this town is process 1, which has to reap orphans, and it reaps none: each process that an agent leaves behind stays a zombie';
export const REAP = 'run it below an init: `docker run --init`, or `tini -- town daemon run`';
