import type { App } from '../http/app.ts';

/** Wraps the API: sees each request before it and each response after it. */
export type Layer = (next: App['fetch']) => App['fetch'];
