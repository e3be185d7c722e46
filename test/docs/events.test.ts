import { afterAll, expect, it } from 'bun:test';
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { exampleAddress } from '../../packages/web/src/docs/code.ts';
import { blocksOf } from './clients-document.ts';
import { openSampleFolder } from '../support/docs/samples.ts';
import { openFaultyProxy, type Fault } from '../support/http/faulty-proxy.ts';
import { openListeningService, type ListeningService } from '../support/http/listening.ts';
import { project } from '../support/process/package.ts';

/** The programs of the documents that follow events; they run until they are killed. */

const folder = await openSampleFolder();
afterAll(() => folder[Symbol.asyncDispose]());

type Env = Record<string, string>;

async function start(
  { url, apiKey }: Pick<ListeningService, 'url' | 'apiKey'>,
  program: string,
  env: Env = {},
) {
  const code = program.replaceAll(exampleAddress, url);
  const command = await folder.commandOf({ language: 'typescript', code, prints: '' });
  return Bun.spawn(command, {
    cwd: folder.path,
    env: { ...process.env, API_KEY: apiKey, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

const readme = await Bun.file(join(project, 'packages/client/README.md')).text();
const [, block = ''] = /^```ts\n([^`]*client\.events\(.*?)^```/ms.exec(readme) ?? [];
const mirrorProgram = block.replaceAll('https://pets.example', exampleAddress);

/** Tells each listing of pets, and again and again the ids in the mirror. */
const toldMirror = `const { fetch: send } = globalThis;
globalThis.fetch = (url, init) => {
  if (String(url).includes('/v1/pets?')) console.log('listed');
  return send(url, init);
};
${mirrorProgram}`.replace(
  'const mirror = new Map();',
  '$& setInterval(() => console.log(`mirror ${[...mirror.keys()]}`), 50);',
);

it('mirrors the store with the program of the README of the client, and lists it once', async () => {
  await using service = await openListeningService();
  const { client } = service;
  const rex = await client.createPet({ name: 'Rex', categoryId: 1n });
  const child = await start(service, toldMirror);
  const lines: string[] = [];
  const reading = (async () => {
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream()))
      lines.push(...chunk.trim().split('\n'));
  })();
  while (lines.at(-1) !== 'mirror 1') await Bun.sleep(20);
  await client.createPet({ name: 'Mia', categoryId: 1n });
  await client.putCategory(1n, 'Dogs');
  await client.deletePet(rex.id);
  while (lines.at(-1) !== 'mirror 2') await Bun.sleep(20);
  child.kill();
  await Promise.all([child.exited, reading]);
  expect(lines.filter((line) => line === 'listed')).toHaveLength(1);
});

const webhooks = blocksOf('Webhooks')['ts'] ?? '';

/** A minute of the client's clock takes 60 ms, so the second retry is later than a minute. */
const fastClock = 'const now = performance.now.bind(performance); performance.now = () => now() * 1000;';

it.each([
  ['the README of the client', mirrorProgram],
  ['clients.md', webhooks],
])('survives an outage of a minute with the program of %s', async (_title, program) => {
  await using service = await openListeningService();
  const outage: Fault[] = ['cut-request', 'cut-request', 'cut-request'];
  await using proxy = await openFaultyProxy(service.port, outage);
  const { apiKey } = service;
  const env = { CURSOR_FILE: join(folder.path, `cursor-${proxy.url.slice(-5)}`) };
  const child = await start({ url: proxy.url, apiKey }, `${fastClock}\n${program}`, env);
  while (proxy.connections <= outage.length && child.exitCode === null) await Bun.sleep(20);
  child.kill();
  await child.exited;
  expect(proxy.connections).toBeGreaterThan(outage.length);
});

it('treats only a missing file as a first start with the program of clients.md', async () => {
  await using service = await openListeningService();
  const child = await start(service, webhooks, { CURSOR_FILE: folder.path });
  expect(await child.exited).toBe(1);
});

it('sends each event as a signed webhook with the program of clients.md, and resumes', async () => {
  await using service = await openListeningService();
  const secret = 'whsec_c2VjcmV0LW9mLXRoZS10ZXN0cw==';
  const received: { id: string; isSigned: boolean; body: { type: string; data: { petId: string } } }[] = [];
  const receiver = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map(
        (name) => request.headers.get(`webhook-${name}`) ?? '',
      );
      const text = await request.text();
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
      const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${text}`).digest('base64');
      received.push({ id: id!, isSigned: signature === `v1,${expected}`, body: JSON.parse(text) });
      // The first attempt fails, so the program must send it again.
      return new Response(null, { status: received.length === 1 ? 500 : 204 });
    },
  });
  const env = {
    WEBHOOK_URL: receiver.url.href,
    WEBHOOK_SECRET: secret,
    CURSOR_FILE: join(folder.path, 'cursor'),
  };
  expect(webhooks.split('\n').length).toBeLessThan(46);
  // Killed before its first event: it must not miss what happens until it starts again.
  const first = await start(service, webhooks, env);
  const { after: firstCursor } = await service.client.listEvents();
  const storedCursor = () =>
    Bun.file(env.CURSOR_FILE)
      .text()
      .catch(() => '');
  while ((await storedCursor()) !== firstCursor) await Bun.sleep(20);
  first.kill();
  await first.exited;
  for (const name of ['Rex', 'Mia']) {
    await service.client.createPet({ name, categoryId: 1n });
    const child = await start(service, webhooks, env);
    const count = received.length + (name === 'Rex' ? 2 : 1);
    const { after } = await service.client.listEvents();
    while (received.length < count || (await storedCursor()) !== after) await Bun.sleep(20);
    child.kill();
    await child.exited;
  }
  await receiver.stop(true);
  expect(received.map(({ id, isSigned }) => [id, isSigned])).toEqual([
    ['event-1', true],
    ['event-1', true],
    ['event-2', true],
  ]);
  expect(received.at(-1)?.body).toMatchObject({ type: 'pet.created', data: { petId: '2' } });
});
