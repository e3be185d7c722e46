import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { freePort } from '../support/http/free-port.ts';
import { runCli, startService, type Service } from '../support/process/process.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ env: { STOP_DELAY: '300' } });
});
afterAll(() => service[Symbol.asyncDispose]());

const health = (env: Record<string, string>, ...args: string[]) => runCli(['health', ...args], { env });

describe('petstore health', () => {
  it('finds the service by the variables that the service was started with', async () => {
    const env = { HOST: '0.0.0.0', PORT: new URL(service.url).port };
    expect(await health(env)).toEqual({ status: 0, stdout: 'ready\n', stderr: '' });
  });

  it('asks the address that it is given', async () => {
    expect(await health({}, '--url', `${service.url}/`)).toMatchObject({ status: 0 });
  });

  it('fails when nothing responds', async () => {
    const port = String(await freePort());
    expect(await health({ PORT: port })).toEqual({
      status: 1,
      stdout: '',
      stderr: `petstore: Nothing responds at http://127.0.0.1:${port}/readyz. Start the service, or check HOST and PORT.\n`,
    });
  });

  it('fails when the service is about to stop', async () => {
    process.kill(service.pid, 'SIGTERM');
    await service.untilLogged(/"message":"stopping"/);
    expect(await health({ PORT: new URL(service.url).port })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('/readyz responds with 503. The log of the service says why.'),
    });
  });
});
