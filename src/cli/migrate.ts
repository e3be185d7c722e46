import { readArguments } from './arguments.ts';
import { databaseUrlOf, settings } from './config.ts';
import { print } from './terminal/output.ts';
import { openStores } from '../stores.ts';

const help = `Bring a store's schema up to date, and do nothing else. The service does the same at its start; this is
for those who give the service a database role that may not change the schema.

Usage: petstore migrate [options]

Options:
  --database-url PLACE  ${settings.databaseUrl.help} (DATABASE_URL)
                        Default: ${settings.databaseUrl.fallback}

Examples:
  petstore migrate --database-url postgres://owner@db.example/shop
`;

export const options = { 'database-url': { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const;

export async function migrate(args: string[]): Promise<number> {
  const { values } = readArguments('migrate', args, { options });
  if (values.help) return print(help);
  const stores = await openStores(databaseUrlOf(values['database-url'], process.env));
  await stores.close();
  return print('The schema is up to date.\n');
}
