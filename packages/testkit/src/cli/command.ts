import { Option, type Command } from 'commander';
import { baseAddressOf, createApi, NoResponseError, type Api } from '../conform/api.ts';
import { profiles, type Profile } from '../conform/check.ts';
import { runChecks } from '../conform/run.ts';
import { OperatorError, usageError } from '../../../../src/domain/error.ts';
import { openOutputFile } from '../../../../src/cli/output-file.ts';
import { keyNeeded, keySetting, parseAddress } from '../../../../src/cli/service/connect.ts';
import { addExamples } from '../../../../src/cli/terminal/help.ts';
import { print, printJson } from '../../../../src/cli/terminal/output.ts';
import { renderJUnit } from './junit.ts';
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
    .addOption(keySetting)
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
    'petstore conform http://127.0.0.1:8080',
    'petstore conform https://pets.example/v1 --profile strict',
    'petstore conform http://127.0.0.1:8080 --junit results.xml',
  );
}

async function conform(url: string, { apiKey, profile, json, junit }: ConformOptions): Promise<void> {
  const address = parseAddress(url, 'The URL');
  if (!apiKey) throw keyNeeded;
  if (!/^[!-~]+$/.test(apiKey))
    throw usageError('The API key must be visible ASCII characters without spaces.');
  const baseUrl = baseAddressOf(address);
  const api = createApi({ url: address, apiKey });
  await refuseUncheckable(api, baseUrl);
  const file = junit === undefined ? undefined : openJUnitFile(junit);
  const start = performance.now();
  const results = await runChecks(api, { profile });
  const durationMs = performance.now() - start;
  if (api.rateLimitedCount > 0) {
    throw new OperatorError(
      `The service at ${baseUrl} limits the rate of requests (429), so it could not be checked.`,
      'Raise its limit for this run.',
      2,
    );
  }
  const report: Report = { baseUrl, profile, results, petsCreated: api.createdCount, durationMs };
  if (json) printJson(toJson(report));
  else print(renderReport(report));
  file?.write(renderJUnit(report));
  file?.close();
  process.exitCode = results.some(({ failure }) => failure) ? 1 : 0;
}

/** Status 1 is for failed checks. */
function openJUnitFile(path: string) {
  try {
    return openOutputFile(path, 'w', path);
  } catch (error) {
    throw error instanceof OperatorError ? usageError(error.problem, error.remedy) : error;
  }
}

/** A wrong address or key would fail every check and tell nothing about the service. */
async function refuseUncheckable(api: Api, baseUrl: string): Promise<void> {
  const { status } = await sendFirst(api, baseUrl);
  if (status === 401) {
    throw new OperatorError(
      `The service at ${baseUrl} does not accept the API key (401).`,
      'Set PETSTORE_API_KEY to a key of this service.',
      2,
    );
  }
  if (status === 404) {
    throw new OperatorError(`The service at ${baseUrl} has no list of pets (404).`, 'Check the address.', 2);
  }
}

async function sendFirst(api: Api, baseUrl: string): Promise<{ status: number }> {
  try {
    return await api.send({ path: '/pets?limit=1' });
  } catch (error) {
    if (!(error instanceof NoResponseError)) throw error;
    const { code, name } = error.cause as { code?: string; name: string };
    throw new OperatorError(
      `No service responds at ${baseUrl} (${code ?? name}).`,
      'Start it, or name another address.',
      2,
    );
  }
}
