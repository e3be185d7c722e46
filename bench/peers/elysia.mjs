import { Database } from 'bun:sqlite';
import { createElysiaApp } from './elysia-app.mjs';
import { settings } from './settings.mjs';
import { createPets } from './sqlite.mjs';

const database = new Database(settings.databaseUrl, { strict: true });
database.run('PRAGMA journal_mode = WAL');
database.run('PRAGMA synchronous = FULL');

createElysiaApp(createPets((sql) => database.query(sql))).listen(settings);
