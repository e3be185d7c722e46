// Plain JavaScript, because Node runs it as it is packed. It starts `petstore-sandbox` with the Bun that is installed
// with this package.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('./cli/petstore-sandbox.sh', import.meta.url));

export async function startSandbox(options = {}) {
  const args = ['--json', '--stop-with-stdin', ...flagsOf(options)];
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  const { url, apiKey } = await readAddress(child, exited);
  // A program that forgets to stop its sandbox can end, and the sandbox ends with its standard input.
  for (const handle of [child, child.stdin, child.stdout, child.stderr]) handle.unref?.();
  child.stderr.pipe(process.stderr, { end: false });

  const stop = async () => {
    child.ref();
    child.kill('SIGTERM');
    await exited;
  };
  const control = async (method, path, body) => {
    const headers = { Authorization: `Bearer ${apiKey}` };
    const response = await fetch(`${url}/sandbox/${path}`, { method, headers, body });
    if (!response.ok) throw new Error((await response.json()).message);
    return response.status === 204 ? undefined : response.json();
  };
  return {
    url,
    apiKey,
    reset: () => control('POST', 'reset'),
    addFault: (fault) => control('POST', 'faults', JSON.stringify(fault)),
    clearFaults: () => control('DELETE', 'faults'),
    requests: (since = 0) => control('GET', `requests?since=${since}`),
    clearRequests: () => control('DELETE', 'requests'),
    stop,
    // Node 20.0 to 20.3 have no such symbol.
    ...(Symbol.asyncDispose && { [Symbol.asyncDispose]: stop }),
  };
}

/** `faultSeed: 7` is `--fault-seed=7`. */
function flagsOf(options) {
  return Object.entries(options).flatMap(([name, value]) => {
    const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (value === undefined || value === false) return [];
    return value === true ? [flag] : [`${flag}=${value}`];
  });
}

async function readAddress(child, exited) {
  let complaint = '';
  const collect = (chunk) => (complaint += chunk);
  child.stderr.on('data', collect);
  const lines = createInterface({ input: child.stdout });
  const line = await Promise.race([once(lines, 'line'), exited.then(() => undefined)]);
  lines.close();
  if (line === undefined) throw new Error(`The sandbox did not start. ${complaint.trim()}`);
  child.stderr.off('data', collect);
  return JSON.parse(line[0]);
}
