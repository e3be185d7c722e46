import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { join } from 'node:path';

// Runs under Node: newman needs parts of it that Bun does not have. A line on standard input starts a run; the failed
// assertions come back as one line of JSON.
const [folder, collection, apiKey] = process.argv.slice(2);
const newman = createRequire(join(folder, 'package.json'))('newman');

createInterface({ input: process.stdin }).on('line', async () => {
  process.stdout.write(`${JSON.stringify(await failedAssertions())}\n`);
});

function failedAssertions() {
  const options = {
    collection,
    // The other folders test the docs and the health checks, which no mutant touches.
    folder: 'Pets',
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
