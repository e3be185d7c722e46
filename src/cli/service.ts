import type { Command } from 'commander';
import {
  createClient,
  isNotFound,
  isPetstoreError,
  isUnauthorized,
  type Key,
  type PetstoreClient,
} from '../../packages/client/src/index.ts';
import { OperatorError, usageError } from '../domain/error.ts';
import { addressOf } from '../server/listener.ts';
import type { ServeOptions } from '../server/options.ts';
import { readFileOf } from '../system/files.ts';
import { servicePort, settings, type Setting } from './settings.ts';

/** What the commands that call a service are told about it. */
export interface ServiceFlags {
  url?: string;
  apiKeyFile?: string;
}

export function addServiceOptions(command: Command): Command {
  return command
    .option('--url <address>', 'Address of the service. Default: this machine, by HOST and PORT.')
    .option('--api-key-file <file>', 'File with the API key. Default: the variable API_KEY.');
}

/** A service, called with an API key. */
export interface CalledService {
  address: string;
  client: PetstoreClient;
  /** The same client, which fails at once if nothing responds. */
  impatient: PetstoreClient;
}

export function serviceOf({ url, apiKeyFile }: ServiceFlags): CalledService {
  const address = url === undefined ? localAddress() : checkAddress(url);
  const options = { baseUrl: address, apiKey: readApiKey(apiKeyFile), waitForRateLimit: true };
  const impatient = createClient({ ...options, retryForMs: 0 });
  return { address, client: createClient(options), impatient };
}

function localAddress(): string {
  const valueOf = ({ variable, fallback }: Setting) => process.env[variable] || fallback;
  if (valueOf(settings.tlsCert) !== '') {
    const remedy = 'Name the address that is in its certificate, such as --url https://pets.example';
    throw usageError('The service uses TLS (TLS_CERT), so its address is needed.', remedy);
  }
  const port = servicePort.read(valueOf(servicePort));
  return localAddressOf({ host: valueOf(settings.host), tlsCert: undefined }, port);
}

function checkAddress(text: string): string {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && !/[?#@]/.test(text)) return text;
  // Not shown, because it may contain a password.
  throw usageError('--url must be an http: or https: address without a user, such as https://pets.example.');
}

/** Never from an argument: other users of the machine can see those. */
function readApiKey(file: string | undefined): string {
  const text = file === undefined ? process.env['API_KEY'] : readFileOf('--api-key-file', file);
  const key = text?.trim() ?? '';
  const source = file === undefined ? 'The variable API_KEY' : file;
  if (/^[!-~]+$/.test(key)) return key;
  const problem = key === '' ? 'is empty' : 'has characters that no API key has';
  throw usageError(
    `${source} ${problem}.`,
    "Set the key with export API_KEY='pets_…', or name a file that holds it with --api-key-file.",
  );
}

/** Refuses an unknown key at once, and a service that does not respond. Undefined if `--stable-only` tells nothing. */
export async function checkKey({ impatient }: CalledService): Promise<Key | undefined> {
  try {
    return await impatient.getKey();
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw refusalOf(error);
  }
}

export async function checkWritingKey(service: CalledService): Promise<Key | undefined> {
  const key = await checkKey(service);
  if (!key?.readOnly) return key;
  throw new OperatorError('This API key may only read. Nothing was sent.', otherKey);
}

const otherKey =
  'Use a key that may add pets, such as one that this makes: petstore keys create --name import';

/** Turns a failed call into an operator's error; other errors stay unchanged. `state` says what was done before. */
export function refusalOf(error: unknown, state?: string): unknown {
  if (!isPetstoreError(error)) return error;
  const code = codeOf(error.cause);
  const problem = [error.message, code && `The reason is ${code}.`, state]
    .filter((text) => text !== undefined)
    .join(' ');
  if (isUnauthorized(error)) return new OperatorError(problem, 'Check the API key in API_KEY or its file.');
  if (isPetstoreError(error, 'forbidden')) return new OperatorError(problem, otherKey);
  if (code !== undefined && /SELF_SIGNED|ISSUER|LEAF_SIGNATURE/.test(code))
    return new OperatorError(
      problem,
      'If an authority of your own issued it, name the certificate of that authority: NODE_EXTRA_CA_CERTS=ca.pem',
    );
  if (isPetstoreError(error, 'network', 'timeout', 'unexpected_response'))
    return new OperatorError(problem, 'Check that the service runs, and its address (--url).');
  return new OperatorError(problem, `The log of the service says more about the request ${error.requestId}.`);
}

/** Tells a certificate that is not trusted from a service that is away: ECONNREFUSED, DEPTH_ZERO_SELF_SIGNED_CERT. */
function codeOf(cause: unknown): string | undefined {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
}

const callsAtOnce = 64;

/** Calls `work` for every item, 64 at once. After a failure, what has begun ends, and nothing else begins. */
export async function forEachAtOnce<Item>(
  items: AsyncGenerator<Item> | Generator<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const take = async (): Promise<void> => {
    for await (const item of items) await work(item);
  };
  const ends = await Promise.allSettled(Array.from({ length: callsAtOnce }, take));
  const failure = ends.find((end) => end.status === 'rejected');
  if (failure) throw failure.reason;
}

/** The address for programs on this machine: loopback if the service listens on every address. */
export function localAddressOf(options: Pick<ServeOptions, 'host' | 'tlsCert'>, port: number): string {
  const { host } = options;
  return addressOf(
    { ...options, host: host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host },
    port,
  );
}

/** Sends a local GET request; undefined if there is no response in time. */
export async function askLocally(address: string, timeoutMs: number): Promise<Response | undefined> {
  try {
    return await fetch(address, {
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'manual',
      // The certificate names a public host, not this address, and the request contains no secret.
      tls: { rejectUnauthorized: false },
    });
  } catch {
    return undefined;
  }
}
