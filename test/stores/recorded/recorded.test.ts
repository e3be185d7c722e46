import { expect, it } from 'bun:test';
import { createApp } from '../../../src/http/app.ts';
import { onEveryStore } from '../../support/stores.ts';
import { record, type RecordedResponse } from './requests.ts';
import recorded from './responses.json';

onEveryStore('what the API has responded since 4b1b1801', ({ place }) => {
  it('stays the same, byte for byte', async () => {
    const responses: RecordedResponse[] = await record(createApp, (now) => place().open({ now }));
    expect(responses).toHaveLength(recorded.length);
    for (const [index, response] of responses.entries()) expect(response).toEqual(recorded[index] as never);
  });
});
