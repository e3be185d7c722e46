import { readArguments } from './arguments.ts';
import { settings } from './config.ts';
import { openStores } from './stores.ts';

const help = `Bring a store's schema up to date, and do nothing else. The service does the same at its start; this is
for those who give the service a database role that may not change the schema.

Usage: petstore migrate [options]

Options:
  --database-url PLACE  ${settings.databaseUrl.help} (DATABASE_URL)
                        Default: ${settings.databaseUrl.fallback}

Examples:
  petstore migrate --database-url postgres://owner@db.example/shop
`;

export const options = { 'database-url': { type: 'string' }, help: { type: 'boolean' } } as const;

export async function migrate(args: string[]): Promise<number> {
  const { values } = readArguments('migrate', args, { options });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const databaseUrl = values['database-url'] || process.env['DATABASE_URL'];
  const stores = await openStores(databaseUrl || settings.databaseUrl.fallback);
  await stores.close();
  process.stdout.write('The schema is up to date.\n');
  return 0;
}
