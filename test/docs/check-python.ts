import { describe, expect, it } from 'bun:test';
import { tmpdir } from 'node:os';
import { parseFault } from '../../packages/testkit/src/sandbox/faults/fault.ts';
import { startSandbox } from '../../packages/testkit/src/sandbox/sandbox.ts';
import { exampleAddress } from '../../packages/web/src/docs/code.ts';
import { openListeningService } from '../support/http/listening.ts';
import { run, type Ended } from '../support/process/package.ts';
import { blocksOf } from './clients-document.ts';

if (Bun.which('python3') === null) throw new Error('Install Python (Debian: python3).');

describe('the Python program of docs/clients.md', () => {
  const { python: program = '', text: printed = '' } = blocksOf('Python');
  const runAt = (url: string, apiKey: string): Promise<Ended> =>
    run(['python3', '-c', program.replaceAll(exampleAddress, url)], tmpdir(), {
      ...process.env,
      API_KEY: apiKey,
    });

  it('prints what the document shows', async () => {
    await using service = await openListeningService();
    expect(await runAt(service.url, service.apiKey)).toEqual({ status: 0, stdout: printed, stderr: '' });
  });

  it('adds one pet when the response to its create is lost', async () => {
    await using sandbox = await startSandbox({
      count: 0,
      faults: parseFault('cut=after-commit;rate=0.5'),
      faultSeed: 8,
    });
    const { url, apiKey } = sandbox;
    const first = fetch(`${url}/v1/pets`, { headers: { Authorization: `Bearer ${apiKey}` } });
    expect(await first.catch(() => 'lost')).toBe('lost');
    sandbox.reset();
    expect(await runAt(url, apiKey)).toMatchObject({ stdout: printed });
  });

  it('follows the pages, and stops at an error with its message', async () => {
    await using service = await openListeningService();
    for (let count = 0; count < 20; count++)
      await service.client.createPet({ name: 'Mia', categoryId: 1n, status: 'available' });
    const { stdout } = await runAt(service.url, service.apiKey);
    expect(stdout.trim().split('\n')).toHaveLength(22);
    const { stderr } = await runAt(service.url, 'mistyped');
    expect(stderr).toContain('"code":"invalid_api_key"');
  });
});
