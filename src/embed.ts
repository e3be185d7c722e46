/**
 * What a program needs to run the API inside itself, on Bun: a store in a file, the API as a function from request to
 * response, and the parts that the test kit is made of. `docs/embed.md` shows how.
 *
 *     const store = openSqliteStore({ path: 'pets.db' });
 *     const app = createApp({ ...store, log: createLog({ level: 'info', write: console.log }) });
 *     Bun.serve({ fetch: app.fetch });
 */
export { issueKey } from './stores/issue-key.ts';
export { PetstoreError, statusOfCode, type ErrorCode } from './domain/error.ts';
export { createLog, type Log } from './system/log.ts';
export { isPetStatus, type NewPet } from './domain/pet.ts';
export { createRandom, createSamplePets, sampleCategories } from './domain/sample-pets.ts';
export { createApp, type App, type AppOptions } from './http/app.ts';
export { maxBodyBytes } from './domain/pet.ts';
export { createCors } from './http/cors.ts';
export { requestIdOf } from './http/endpoint.ts';
export type { Route } from './http/route.ts';
export { baseHeaders, errorResponse, jsonMediaType } from './http/response.ts';
export type { Store } from './stores/store.ts';
export { openSqliteStore } from './stores/sqlite/open.ts';
