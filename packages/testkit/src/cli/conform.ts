import { closeSync, openSync, writeFileSync } from 'node:fs';
import { Option, type Command } from 'commander';
import { baseAddressOf, createApi, NoResponseError, type Api } from '../conform/api.ts';
import { profiles, type Profile } from '../conform/check.ts';
import { runChecks } from '../conform/run.ts';
import { renderJUnit } from './junit.ts';
import { print, printJson } from './print.ts';
import { addExamples, UsageError } from './program.ts';
import { toJson, type Report } from './report.ts';
import { renderReport } from './table.ts';

interface ConformOptions {
  apiKey?: string;
  profile: Profile;
  json?: boolean;
  junit?: string;
}

export function define(command: Command): void {
  command
    .description(
      'Check a running implementation of the API, ours or another, over HTTP alone: everything that the contract ' +
        'says and, with --profile strict, what Petstore decided beyond it. The key must be allowed to create pets: it ' +
        'creates a few dozen, most of them named "conform …". The exit status is 1 if a check fails, and 2 if the ' +
        'service cannot be checked.',
    )
    .argument('<url>', 'The service, such as http://127.0.0.1:8080; /v1 is added if it is missing.')
    .addOption(
      new Option(
        '--api-key <key>',
        'The key to call with. Other users of the machine can see flags; prefer the variable.',
      ).env('PETSTORE_API_KEY'),
    )
    .addOption(
      new Option('--profile <profile>', 'What to check; strict includes the contract.')
        .choices(profiles)
        .default('contract' satisfies Profile),
    )
    .option('--json', 'Print JSON instead of text.')
    .option('--junit <file>', 'Also write the results as JUnit XML, for a build server.')
    .action(conform);
  addExamples(
    command,
    'petstore-conform http://127.0.0.1:8080',
    'petstore-conform https://pets.example/v1 --profile strict',
    'petstore-conform http://127.0.0.1:8080 --junit results.xml',
  );
}

async function conform(url: string, { apiKey, profile, json, junit }: ConformOptions): Promise<void> {
  const address = parseAddress(url);
  if (!apiKey) throw new UsageError('An API key is needed. Set PETSTORE_API_KEY.');
  if (!/^[!-~]+$/.test(apiKey))
    throw new UsageError('The API key must be visible ASCII characters without spaces.');
  const baseUrl = baseAddressOf(address);
  const api = createApi({ url: address, apiKey });
  await refuseUncheckable(api, baseUrl);
  const file = junit === undefined ? undefined : openJUnitFile(junit);
  const start = performance.now();
  const results = await runChecks(api, { profile });
  const durationMs = performance.now() - start;
  if (api.rateLimitedCount > 0) {
    throw new UsageError(
      `The service at ${baseUrl} limits the rate of requests (429), so it could not be checked. Raise its limit for this run.`,
    );
  }
  const report: Report = { baseUrl, profile, results, petsCreated: api.createdCount, durationMs };
  if (json) printJson(toJson(report));
  else print(renderReport(report));
  if (file !== undefined) {
    writeFileSync(file, renderJUnit(report));
    closeSync(file);
  }
  process.exitCode = results.some(({ failure }) => failure) ? 1 : 0;
}

function parseAddress(url: string): string {
  const address = URL.parse(url);
  if (address?.username || address?.password) {
    throw new UsageError('The URL must not contain a user name or a password.');
  }
  if (address && /^https?:$/.test(address.protocol)) return address.href;
  throw new UsageError(`The URL must be an address such as http://127.0.0.1:8080, not "${url}".`);
}

/** Opened before the checks run, so that no run is wasted on a file that cannot be written. */
function openJUnitFile(path: string): number {
  try {
    return openSync(path, 'w', 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `The file ${path} cannot be written (${code}). Check its folder and its permissions.`,
    );
  }
}

/** A wrong address or key would fail every check and tell nothing about the service. */
async function refuseUncheckable(api: Api, baseUrl: string): Promise<void> {
  const { status } = await sendFirst(api, baseUrl);
  if (status === 401) {
    throw new UsageError(
      `The service at ${baseUrl} does not accept the API key (401). Set PETSTORE_API_KEY to a key of this service.`,
    );
  }
  if (status === 404) {
    throw new UsageError(`The service at ${baseUrl} has no list of pets (404). Check the address.`);
  }
}

async function sendFirst(api: Api, baseUrl: string): Promise<{ status: number }> {
  try {
    return await api.send({ path: '/pets?limit=1' });
  } catch (error) {
    if (!(error instanceof NoResponseError)) throw error;
    const { code, name } = error.cause as { code?: string; name: string };
    throw new UsageError(
      `No service responds at ${baseUrl} (${code ?? name}). Start it, or name another address.`,
    );
  }
}
