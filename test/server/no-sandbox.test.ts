import { describe, expect, it } from 'bun:test';
import { addPet, idsOf, outcomeOf } from '../support/http/calls.ts';
import { runCli, startService } from '../support/process/process.ts';

describe('petstore serve', () => {
  it('knows neither the faults nor the reset of a sandbox', async () => {
    await using service = await startService();
    await addPet(service.call);
    for (const fault of ['status=503', 'cut=before-commit', 'corrupt=json', 'no fault']) {
      const response = await service.call('/v1/pets', { headers: { 'Petstore-Fault': fault } });
      expect(idsOf(await response.text())).toEqual(['1']);
    }
    for (const path of ['/sandbox/reset', '/sandbox/faults'])
      expect(await outcomeOf(service.call(path, { method: 'POST' }))).toBe('404 not_found');
    expect(idsOf(await (await service.call('/v1/pets')).text())).toEqual(['1']);
    await service.stop();
  });

  it.each(['--mutant=1', '--faults=status=503'])('refuses %s of the sandbox with status 2', async (flag) => {
    expect(await runCli(['serve', flag])).toMatchObject({ status: 2, stdout: '' });
  });
});
