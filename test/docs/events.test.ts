import { afterAll, expect, it } from 'bun:test';
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { exampleAddress } from '../../packages/web/src/docs/code.ts';
import { mirrorProgram } from '../../packages/web/src/docs/examples.ts';
import { blocksOf } from '../support/clients-document.ts';
import { openSampleFolder } from '../support/docs/samples.ts';
import { openListeningService, type ListeningService } from '../support/http/listening.ts';

/** The programs of the documents that follow events; they run until they are killed. */

const folder = await openSampleFolder();
afterAll(() => folder[Symbol.asyncDispose]());

async function start({ url, apiKey }: ListeningService, program: string, env: Record<string, string> = {}) {
  const code = program.replaceAll(exampleAddress, url);
  const command = await folder.commandOf({ language: 'typescript', code, prints: '' });
  return Bun.spawn(command, {
    cwd: folder.path,
    env: { ...process.env, API_KEY: apiKey, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

it('mirrors the store with the program of the guide', async () => {
  await using service = await openListeningService();
  const { client, events } = service;
  const rex = await client.createPet({ name: 'Rex', categoryId: 1n });
  const child = await start(service, mirrorProgram);
  const lines: string[] = [];
  const reading = (async () => {
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream()))
      lines.push(...chunk.trim().split('\n'));
  })();
  // Only what comes after its start is told, so a pet is created until one is seen.
  while (lines.length === 0) {
    await client.createPet({ name: 'Mia', categoryId: 1n });
    await Bun.sleep(100);
  }
  await client.deletePet(rex.id);
  while (!lines.at(-1)?.startsWith('pet.deleted')) await Bun.sleep(20);
  child.kill();
  await Promise.all([child.exited, reading]);
  const { pets } = await client.listPets({ limit: 100 });
  expect(lines.at(-1)).toBe(`pet.deleted Rex ${pets.length}`);
  expect(Number((await events.listEvents({ after: 'now', limit: 1 })).next.id)).toBe(pets.length + 2);
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
  await Bun.write(env.CURSOR_FILE, (await service.client.listEvents()).after);
  const program = blocksOf('Webhooks')['ts'] ?? '';
  expect(program.split('\n').length).toBeLessThan(45);
  for (const name of ['Rex', 'Mia']) {
    await service.client.createPet({ name, categoryId: 1n });
    const child = await start(service, program, env);
    const count = received.length + (name === 'Rex' ? 2 : 1);
    const { after } = await service.client.listEvents();
    while (received.length < count || (await Bun.file(env.CURSOR_FILE).text()) !== after) await Bun.sleep(20);
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
