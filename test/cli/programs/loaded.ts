/** Loaded before a program: writes the URL of each module that it loads into the file that LOADED_MODULES names, one a line. */
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const file = process.env['LOADED_MODULES'] ?? '/dev/null';

registerHooks({
  load: (url, context, next) => {
    appendFileSync(file, `${url}\n`);
    return next(url, context);
  },
});
