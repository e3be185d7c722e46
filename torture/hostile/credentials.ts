import { Database } from 'bun:sqlite';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { percentile, round } from '../../test/support/statistics.ts';
import { generateKey } from '../../src/domain/api-key.ts';
import { openConnection } from '../../test/support/http/raw-http.ts';
import { exchange } from '../../test/support/http/socket.ts';
import { fixedKey, type Service } from '../../test/support/process/process.ts';
import { againstBroken } from '../support/against-broken.ts';
import { issueKey, succeed } from '../support/commands.ts';
import { serve } from '../support/serve.ts';
import type { Run, TortureTest } from '../support/torture-test.ts';

const paths = [
  '/v1/pets',
  '/v1/pets/1',
  '/v1/pets/9223372036854775808',
  '/v1',
  '/v1/',
  '/v1/store/orders',
  '/store/orders',
  '/v2/pets',
  '/admin',
  '/.git/config',
  '/v1/pets?limit=0',
  '/v1/pets?cursor=x',
];
/** Of two kinds that cannot be told apart, the one is slower half of the time; so many requests show 3 µs. */
const mostAwayFromChance = 0.08;
const enoughRounds = 5000;

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** A credential that is none, and the code that says so. */
interface Credential {
  headers: string[];
  query?: string;
  code: 'unauthorized' | 'invalid_api_key';
}

interface Keys {
  good: string;
  revoked: string;
  expired: string;
  unknown: string;
}

/** A round compares the response times of one key of each kind; the matrix is checked once. */
const run: Run = async ({ rounds, report, broken, isTimed = true }) => {
  await using service = await serve({ broken, args: ['--access-log'] });
  const keys = await makeKeys(service);
  const { faults, checked } = await checkMatrix(service, keys);
  report(`${checked} combinations of path, method and credential, ${faults.length} wrong`);
  const timing = await compareTimes(service, keys, rounds, report);
  const found = findSecrets(service, [fixedKey, ...Object.values(keys)]);
  return {
    figures: {
      combinations: checked,
      'not 401': faults.length,
      'timed requests of each kind': rounds,
      'median of unknown, µs': round(timing.unknownUs),
      'median of revoked, µs': round(timing.revokedUs),
      'median of expired, µs': round(timing.expiredUs),
      'how well time tells revoked ones apart (0.5 is chance)': round(timing.ofRevoked, 3),
      'how well time tells expired ones apart': round(timing.ofExpired, 3),
      'keys found in logs and files': found.length,
    },
    faults: [
      ...faults.slice(0, 20),
      ...(isTimed && rounds >= enoughRounds
        ? Object.entries({ revoked: timing.ofRevoked, expired: timing.ofExpired })
            .filter(([, share]) => Math.abs(share - 0.5) > mostAwayFromChance)
            .map(([kind, share]) => `response times tell unknown from ${kind} keys (${round(share, 3)})`)
        : []),
      ...found,
    ],
  };
};

async function makeKeys(service: Service): Promise<Keys> {
  const { database } = service;
  const good = await issueKey(database);
  const revoked = await issueKey(database);
  const expired = await issueKey(database, '--expires', '1h');
  // A service that remembers an accepted key must forget it.
  for (const { key } of [good, revoked, expired]) {
    const { status } = await service.callWith(key, '/v1/pets');
    if (status !== 200) throw new Error(`A new key gets ${status}.`);
  }
  await succeed(['keys', 'revoke', revoked.id, '--database-url', database]);
  // Nobody waits an hour: the key is given an earlier end.
  using store = new Database(database, { readwrite: true, create: false });
  store.run('UPDATE api_keys SET expires_at = created_at WHERE id = ?1', [expired.id]);
  return { good: good.key, revoked: revoked.key, expired: expired.key, unknown: generateKey() };
}

/** Where the log, standard error and the files of the service hold one of these keys. */
function findSecrets({ folder, stdout, stderr }: Service, keys: string[]): string[] {
  const files = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))] as const);
  const printed = Object.entries({ 'the log': stdout, 'standard error': stderr });
  const places = [...files, ...printed.map(([name, text]) => [name, Buffer.from(text)] as const)];
  return keys.flatMap((key) => {
    // Of a key that is cut, as the log does it, the end may be seen.
    const secret = key.startsWith('pets_') ? key.slice(5, -4) : key;
    const found = places.filter(([, bytes]) => bytes.includes(secret));
    return found.map(([name]) => `the key …${key.slice(-4)} stands in ${name}`);
  });
}

function credentialsOf({ good, revoked, expired, unknown }: Keys): Record<string, Credential> {
  const bearer = (value: string) => [`Authorization: Bearer ${value}`];
  const wrongChecksum = good.slice(0, -1) + (good.endsWith('0') ? '1' : '0');
  return {
    none: { headers: [], code: 'unauthorized' },
    empty: { headers: ['Authorization:'], code: 'unauthorized' },
    'the scheme alone': { headers: bearer(''), code: 'unauthorized' },
    malformed: { headers: bearer('nonsense'), code: 'invalid_api_key' },
    'too long': { headers: bearer(`${good}x`), code: 'invalid_api_key' },
    'wrong checksum': { headers: bearer(wrongChecksum), code: 'invalid_api_key' },
    unknown: { headers: bearer(unknown), code: 'invalid_api_key' },
    revoked: { headers: bearer(revoked), code: 'invalid_api_key' },
    expired: { headers: bearer(expired), code: 'invalid_api_key' },
    'the hash of nothing': {
      headers: bearer('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'),
      code: 'invalid_api_key',
    },
    duplicated: { headers: [...bearer(good), ...bearer(good)], code: 'unauthorized' },
    'two in one header': { headers: bearer(`${good}, Bearer ${good}`), code: 'unauthorized' },
    'in the query': { headers: [], query: `access_token=${good}&api_key=${good}`, code: 'unauthorized' },
    'in a cookie': { headers: [`Cookie: Authorization=Bearer ${good}`], code: 'unauthorized' },
    'in X-API-Key': { headers: [`X-API-Key: ${good}`], code: 'unauthorized' },
    'basic, as the password': {
      headers: [`Authorization: Basic ${btoa(`key:${good}`)}`],
      code: 'unauthorized',
    },
    'another scheme': { headers: [`Authorization: Token ${good}`], code: 'unauthorized' },
    'without a scheme': { headers: [`Authorization: ${good}`], code: 'unauthorized' },
    quoted: { headers: bearer(`"${good}"`), code: 'invalid_api_key' },
  };
}

async function checkMatrix(service: Service, keys: Keys): Promise<{ faults: string[]; checked: number }> {
  const faults: string[] = [];
  let checked = 0;
  for (const [state, credential] of Object.entries(credentialsOf(keys))) {
    for (const method of methods) {
      for (const path of paths) {
        checked += 1;
        const fault = await faultOf(service, method, path, credential);
        if (fault !== undefined)
          faults.push(`${method} ${path} with a credential that is ${state}: ${fault}`);
      }
    }
  }
  return { faults, checked };
}

async function faultOf(
  service: Service,
  method: string,
  path: string,
  { headers, query, code }: Credential,
): Promise<string | undefined> {
  const target = query === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`;
  const lines = ['Host: petstore', 'Connection: close', 'Content-Length: 0', ...headers].map(
    (line) => `${line}\r\n`,
  );
  const request = `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`;
  const { status, headers: received, body } = await exchange(service.url, request);
  const isBodyRight =
    method === 'HEAD' ||
    (body.startsWith(`{"code":"${code}","message":"`) && body.endsWith('","status":401}'));
  const isChallenge = received.get('WWW-Authenticate')?.startsWith('Bearer realm="petstore"');
  return status === 401 && isBodyRight && isChallenge ? undefined : `${status} ${body.slice(0, 200)}`;
}

/** Takes turns, so that whatever else the machine does slows all kinds alike. */
async function compareTimes(
  service: Service,
  { unknown, revoked, expired }: Keys,
  rounds: number,
  report: (progress: string) => void,
) {
  using connection = await openConnection(service.url);
  if (!connection) throw new Error('The service takes no connections.');
  const times = { unknown: [] as number[], revoked: [] as number[], expired: [] as number[] };
  const kinds = Object.entries({ unknown, revoked, expired }) as [keyof typeof times, string][];
  for (let done = 0; done < rounds + 20; done++) {
    for (let turn = 0; turn < kinds.length; turn++) {
      const [kind, key] = kinds[(turn + done) % kinds.length]!;
      const startedAt = performance.now();
      connection.write(`GET /v1/pets HTTP/1.1\r\nHost: petstore\r\nAuthorization: Bearer ${key}\r\n\r\n`);
      await connection.receive();
      // The first ones find nothing warm.
      if (done >= 20) times[kind].push((performance.now() - startedAt) * 1000);
    }
    if (done > 0 && done % 5000 === 0) report(`${done} timed requests of each kind`);
  }
  const shareSlowerThan = (others: number[]) =>
    rounds === 0 ? 0.5 : times.unknown.filter((time, index) => time > others[index]!).length / rounds;
  return {
    unknownUs: percentile(times.unknown, 0.5),
    revokedUs: percentile(times.revoked, 0.5),
    expiredUs: percentile(times.expired, 0.5),
    ofRevoked: shareSlowerThan(times.revoked),
    ofExpired: shareSlowerThan(times.expired),
  };
}

const brokenPromises = ['HEAD /v1/pets', 'response times', 'the log', 'standard error', 'debug.txt'];

/** Each kind must be found: responses that are wrong, times that tell, and keys that were written down. */
const control = againstBroken(async (options) => {
  const { figures, faults } = await run(options);
  const isWhole = brokenPromises.every((part) => faults.some((fault) => fault.includes(part)));
  return { figures, faults: isWhole ? faults : [] };
}, 'remembered-keys');

export const credentials: TortureTest = {
  name: 'credentials',
  description:
    'every path × method × state of the credential, and the response times of unknown, revoked and expired keys',
  passesWhen: 'always 401 with the same body; time does not tell the kinds apart; no key in any log or file',
  rounds: 20_000,
  unit: 'timed requests of each kind',
  run,
  control: {
    description:
      'a revoked key is still accepted; an expired one is refused 50 µs later than others; keys are written down',
    rounds: 20_000,
    run: control,
  },
};
