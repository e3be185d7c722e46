import type { App } from 'petstore-server/embed';

/** Wraps the API: sees each request before it and each response after it. The key is one that the API accepts. */
export type Layer = (next: App['fetch'], apiKey: string) => App['fetch'];
