import { createRequire } from 'node:module';
import { join } from 'node:path';

const [folder, collection, apiKey] = process.argv.slice(2);
const newman = createRequire(join(folder, 'package.json'))('newman');

process.on('message', async () => process.send(await failedAssertions()));

function failedAssertions() {
  const options = {
    collection,
    envVar: [{ key: 'bearerToken', value: apiKey }],
    timeoutRequest: 10_000,
  };
  return new Promise((resolve, reject) => {
    newman.run(options, (error, { run } = {}) => {
      if (error) reject(error);
      else
        resolve(run.failures.map(({ source, error: { test, name } }) => `${source?.name}: ${test ?? name}`));
    });
  });
}
