import { describe, expect, it } from 'bun:test';
import type { LogFields } from '../../../src/system/log.ts';
import { openConnection } from '../../support/http/raw-http.ts';
import { openListeningService } from '../../support/http/listening.ts';

describe('a create whose message the runtime refuses', () => {
  it('is logged as the caller’s mistake, never as a failure of the service', async () => {
    const lines: { level: string; fields: LogFields | undefined }[] = [];
    const record = (level: string) => (_message: string, fields?: LogFields) => {
      lines.push({ level, fields });
    };
    const log = { error: record('error'), warn: record('warn'), info: record('info'), debug() {} };
    await using service = await openListeningService({ log, accessLog: true });
    using connection = await openConnection(service.url);
    connection?.write(
      `POST /v1/pets HTTP/1.1\r\nHost: petstore\r\nAuthorization: Bearer ${service.apiKey}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 29\r\n\r\n{"name":"Rex","categoryId":1}\r\n',
    );
    expect(await connection?.receive()).toMatchObject({ status: 400 });
    while (lines.length === 0) await Bun.sleep(1);
    expect(lines).toMatchObject([{ level: 'info', fields: { method: 'POST', status: 400 } }]);
  });
});
