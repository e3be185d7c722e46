import { writeFileSync } from 'node:fs';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { baseAddressOf, createApi, NoResponseError, type Api, type ApiRequest } from '../conform/api.ts';
import { profiles, type Profile } from '../conform/check.ts';
import { checksFor } from '../conform/checks.ts';
import { newPet, post, renderPet } from '../conform/pets.ts';
import { runChecks } from '../conform/run.ts';
import { print, printJson, renderTable } from './print.ts';
import { addExamples, addExitStatuses, UsageError } from './program.ts';
import { renderJunit, renderReport, toJson, type Report } from './report.ts';

interface ConformOptions {
  apiKey?: string;
  profile: Profile;
  only?: string[];
  base?: string;
  categoryId?: string;
  list?: boolean;
  json?: boolean;
  junit?: string;
}

export function define(command: Command): void {
  command
    .description(
      'Check a running implementation of the API, ours or another, over HTTP alone: everything that the contract ' +
        'says and, with --profile strict, what Petstore decided beyond it. The key must be allowed to create pets: it ' +
        'creates up to a hundred, most of them named "conform …".',
    )
    .argument('[url]', 'The service, such as http://127.0.0.1:8080; /v1 is added if it is missing.')
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
    .option('--only <names>', 'Only these checks or subjects, such as create,limits.', splitNames)
    .option('--base <url>', 'The address before /pets, instead of a URL to which /v1 is added.')
    .option('--category-id <id>', 'The category of all pets, for a service that accepts only some.', parseId)
    .option('--list', 'List the checks and exit.')
    .option('--json', 'Print JSON instead of text.')
    .option('--junit <file>', 'Also write a report in the format of JUnit, for a build server.')
    .action(conform);
  addExitStatuses(
    command,
    'Every check passes.',
    'A check fails.',
    'The service cannot be checked, or an option is wrong.',
  );
  addExamples(
    command,
    'petstore-conform http://127.0.0.1:8080',
    'petstore-conform https://pets.example/v1 --profile strict',
    'petstore-conform http://127.0.0.1:8080 --only create,limits --json',
    'petstore-conform --base http://127.0.0.1:4010 --junit conform.xml',
    'petstore-conform --list --profile strict',
  );
}

async function conform(url: string | undefined, options: ConformOptions): Promise<void> {
  const { apiKey, profile, only, base, categoryId, list, json, junit } = options;
  refuseUnknown(profile, only);
  if (list) return listChecks(options);
  if ((url === undefined) === (base === undefined)) {
    throw new UsageError('Name one address: URL or --base URL. See: petstore-conform --help');
  }
  const address = parseAddress(base ?? url ?? '');
  if (!apiKey) throw new UsageError('An API key is needed. Set PETSTORE_API_KEY.');
  if (!/^[!-~]+$/.test(apiKey))
    throw new UsageError('The API key must be visible ASCII characters without spaces.');
  const isBase = base !== undefined;
  const baseUrl = baseAddressOf(address, isBase);
  const api = createApi({ url: address, isBase, apiKey, categoryId });
  await refuseUncheckable(api, baseUrl);
  const start = performance.now();
  const results = await runChecks(api, { profile, only });
  const durationMs = performance.now() - start;
  if (api.rateLimitedCount > 0) {
    throw new UsageError(
      `The service at ${baseUrl} limits the rate of requests (429), so it could not be checked. Raise its limit for this run.`,
    );
  }
  const report: Report = { baseUrl, profile, results, petsCreated: api.createdCount, durationMs };
  if (junit !== undefined) writeReport(junit, renderJunit(report));
  if (json) printJson(toJson(report));
  else print(renderReport(report));
  process.exitCode = results.some(({ failure }) => failure) ? 1 : 0;
}

function writeReport(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new UsageError(`The report cannot be written: ${(error as Error).message}. Name another file.`);
  }
}

function listChecks({ profile, only, json }: ConformOptions): void {
  const checks = checksFor(profile, only).map(({ name, profile: part, rule }) => ({
    name,
    profile: part,
    rule,
  }));
  if (json) printJson(checks);
  else print(renderTable([['CHECK', 'PROFILE', 'RULE'], ...checks.map((check) => Object.values(check))]));
}

function refuseUnknown(profile: Profile, only: string[] = []): void {
  const unknown = only.find((name) => checksFor(profile, [name]).length === 0);
  if (unknown === undefined) return;
  throw new UsageError(
    `The ${profile} profile has no check or subject "${unknown}". See: petstore-conform --list --profile ${profile}`,
  );
}

function splitNames(text: string): string[] {
  return text.split(',').map((name) => name.trim());
}

function parseId(text: string): string {
  if (/^(?:0|-?[1-9]\d{0,18})$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text)) return text;
  throw new InvalidArgumentError('It must be an integer of 64 bits.');
}

function parseAddress(url: string): string {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address?.username || address?.password) {
    throw new UsageError('The URL must not contain a user name or a password.');
  }
  if (address && /^https?:$/.test(address.protocol)) return address.href;
  throw new UsageError(`The URL must be an address such as http://127.0.0.1:8080, not "${url}".`);
}

/** Refuses a wrong address or key, with which every check would fail. */
async function refuseUncheckable(api: Api, baseUrl: string): Promise<void> {
  const { status } = await sendFirst(api, baseUrl, { path: '/pets?limit=1' });
  if (status === 401 || status === 403) {
    throw new UsageError(
      `The service at ${baseUrl} does not accept the API key (${status}). Set PETSTORE_API_KEY to a key of this service.`,
    );
  }
  if (status === 404) {
    throw new UsageError(`The service at ${baseUrl} has no list of pets (404). Check the address.`);
  }
  const create = await sendFirst(api, baseUrl, post(renderPet(newPet(api, 'first'))));
  if (create.status === 401 || create.status === 403) {
    throw new UsageError(
      `The API key may not create pets at ${baseUrl} (${create.status}). Set PETSTORE_API_KEY to a key that may.`,
    );
  }
}

async function sendFirst(api: Api, baseUrl: string, request: ApiRequest): Promise<{ status: number }> {
  try {
    return await api.send(request);
  } catch (error) {
    if (!(error instanceof NoResponseError)) throw error;
    const { code, message } = error.cause as { code?: unknown; message: string };
    const reason = typeof code === 'string' ? code : message;
    throw new UsageError(`No service responds at ${baseUrl} (${reason}). Start it, or name another address.`);
  }
}
