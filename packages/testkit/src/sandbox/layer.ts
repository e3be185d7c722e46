import type { App } from '../../../../src/http/app.ts';

/** Wraps the API: sees each request before it and each response after it. The key is one that the API accepts. */
export type Layer = (next: App['fetch'], apiKey: string) => App['fetch'];
