import { expect, it } from 'bun:test';
import { openService } from '../../support/http/service.ts';

it('serves the same document in JSON and YAML', async () => {
  await using service = await openService();
  const [json, yaml] = [await service.call('/openapi.json'), await service.call('/openapi.yaml')];
  expect(await json.json()).toEqual(Bun.YAML.parse(await yaml.text()) as object);
});
