import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [folder, documentFile, endpoint, apiKey] = process.argv.slice(2);
const Dredd = createRequire(join(folder, 'package.json'))('dredd');

process.on('message', async () => process.send(await complaints()));

async function complaints() {
  const found = [];
  const emitter = new EventEmitter();
  emitter.on('test fail', ({ title, message, expected }) => {
    // It sends the same request for errors, and then expects them.
    if (expected.statusCode >= 300) return;
    for (const line of message.trim().split('\n')) found.push(`${title}: ${line}`);
  });
  emitter.on('test error', (error, { title }) => found.push(`${title}: ${error.code}`));
  const dredd = new Dredd({
    path: [documentFile],
    endpoint,
    header: [`Authorization: Bearer ${apiKey}`],
    loglevel: 'silent',
    emitter,
  });
  await new Promise((resolve, reject) => {
    dredd.run((error) => (error ? reject(error) : resolve()));
  });
  return found;
}
