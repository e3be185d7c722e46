import { setDefaultTimeout } from 'bun:test';

/** Real processes and databases take their time, on a busy machine minutes. */
setDefaultTimeout(300_000);
