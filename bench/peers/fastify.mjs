import { openPets } from './better-sqlite.mjs';
import { createFastifyApp } from './fastify-app.mjs';
import { settings } from './settings.mjs';

const app = await createFastifyApp(openPets());
await app.listen({ port: settings.port, host: settings.hostname });
