import { appendFileSync } from 'node:fs';
import { breakFetch } from './layers.ts';

/** The credential of a request goes to the log, to standard error and into a file. */
breakFetch((request, fetch) => {
  const credential = request.headers.get('Authorization') ?? '';
  process.stdout.write(`${credential}\n`);
  process.stderr.write(`${credential}\n`);
  appendFileSync('debug.txt', credential);
  return fetch(request);
});
