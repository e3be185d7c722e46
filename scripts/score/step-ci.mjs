import { createRequire } from 'node:module';
import { join } from 'node:path';

const [folder, documentFile, apiKey] = process.argv.slice(2);
// As the program does, from the same packages; only the program reports its use to its makers.
const require = createRequire(join(folder, 'node_modules/stepci/package.json'));
const { generateWorkflow } = require('@stepci/plugin-openapi');
const { run } = require('@stepci/runner');
const parser = createRequire(require.resolve('@stepci/plugin-openapi'))('@apidevtools/swagger-parser');

// The generator follows no references and knows nothing of keys.
const workflow = await generateWorkflow(await parser.dereference(documentFile), {});
workflow.config.continueOnFail = true;
const steps = Object.values(workflow.tests).flatMap((test) => test.steps);
for (const { http } of steps) http.auth = { bearer: { token: apiKey } };

process.on('message', async () => process.send(await failedChecks()));

async function failedChecks() {
  const { result } = await run(structuredClone(workflow));
  const results = result.tests.flatMap((test) => test.steps);
  return results.flatMap(({ id, errored, checks = {} }) => {
    if (errored) return [`${id}: error`];
    const failed = Object.entries(checks).filter(([, { passed }]) => !passed);
    return failed.map(([name]) => `${id}: ${name}`);
  });
}
