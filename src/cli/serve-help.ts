import { settings, type Setting } from './config.ts';

/** The help of `petstore serve`, from the same table that reads the settings. */
export function serveHelp(): string {
  const lines = Object.values(settings).map((setting: Setting) => {
    const usage = `--${setting.flag}${setting.value === undefined ? '' : ` ${setting.value}`}`;
    const fallback =
      setting.fallback === '' || setting.fallback === 'false' ? '' : `, default ${setting.fallback}`;
    return `  ${usage.padEnd(32)}${setting.help} (${setting.variable}${fallback})`;
  });
  return `Serve the interface until SIGTERM, SIGINT or SIGHUP.

Usage: petstore serve [options]

Options (or the environment variable in brackets; a flag wins):
${lines.join('\n')}

No file of settings is read unless it is named: --env-file FILE.

Examples:
  petstore serve
  petstore serve --port 3000 --database-url /var/lib/petstore/petstore.db
  petstore serve --host 0.0.0.0 --tls-cert shop.pem --tls-key shop-key.pem --workers 2
`;
}
