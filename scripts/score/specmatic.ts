import { join } from 'node:path';
import type { Tester } from './tester.ts';

export const specmatic: Tester = {
  name: 'Specmatic',
  packages: { specmatic: '2.55.1' },
  method:
    'generates requests from the schemas, also ones that must be refused (`SPECMATIC_GENERATIVE_TESTS`); values that should break a pattern do not count, because many match it.',
  async open({ folder, documentFile, sandbox }) {
    const jar = join(folder, 'node_modules/specmatic/specmatic.jar');
    const options = [`--testBaseURL=${sandbox.url}/v1`, `--junitReportDir=${folder}`];
    // One process for all runs, because the program takes many seconds to load.
    const java = Bun.spawn(
      ['java', '-cp', jar, join(import.meta.dir, 'Specmatic.java'), documentFile, ...options],
      {
        cwd: folder,
        // The key is in the variable that has the name of the security scheme.
        env: { ...process.env, SPECMATIC_GENERATIVE_TESTS: 'true', apiKey: sandbox.apiKey },
        stdio: ['pipe', 'pipe', 'ignore'],
      },
    );
    const output = java.stdout.pipeThrough(new TextDecoderStream()).values();
    const report = Bun.file(join(folder, 'TEST-junit-jupiter.xml'));
    return {
      async run() {
        await java.stdin.write('run\n');
        await java.stdin.flush();
        await endOfRun(output);
        const results = await report.text();
        await report.delete();
        const failed = results.matchAll(/<testcase [^>]*\sname="([^"]*)"[^>]*>\s*<failure/g);
        // The values that it makes up to break a pattern often match it, now in one request and now in another.
        return Array.from(failed, ([, name = '']) => name).filter((name) => !name.includes('invalid regex'));
      },
      async [Symbol.asyncDispose]() {
        java.kill();
        await java.exited;
      },
    };
  },
};

async function endOfRun(output: AsyncIterator<string>): Promise<void> {
  let last = '';
  while (!last.endsWith('THE RUN HAS ENDED\n')) {
    const { value, done } = await output.next();
    if (done) throw new Error('Specmatic ended.');
    last = (last + value).slice(-100);
  }
}
