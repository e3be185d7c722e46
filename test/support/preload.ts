import { setDefaultTimeout } from 'bun:test';

/** Real processes and databases take their time, on a busy machine minutes. Bun applies this to one file only. */
setDefaultTimeout(300_000);
