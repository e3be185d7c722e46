import { setDefaultTimeout } from 'bun:test';

/** Real processes and databases take their time; Bun's 5 s hold for `npx bun test FILE` otherwise. */
setDefaultTimeout(120_000);
