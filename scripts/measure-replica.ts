// Measures what one replica on PostgreSQL needs, for the requests and limits in deploy/kubernetes/deployment.yaml.
//   bun scripts/measure-replica.ts [SECONDS]
import { metricsUrl, scrape } from '../test/support/metrics/scrape.ts';
import { makePostgresPlace } from '../test/support/postgres/place.ts';
import { cpuSeconds, memoryMb, peakMemoryMb } from '../test/support/process/process-figures.ts';
import { runCli, startService, type Service } from '../test/support/process/process.ts';

const seconds = Number(process.argv[2] ?? 20);
const callers = 64;
const petCount = 100_000;
const newPet = {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: '{"name":"Rex","categoryId":1,"status":"available"}',
};

await measure();
// The database server lives as long as this process.
process.exit();

async function measure(): Promise<void> {
  const { address } = await makePostgresPlace();
  const seeded = await runCli(['seed', '--count', String(petCount), '--database-url', address]);
  if (seeded.status !== 0) throw new Error(seeded.stderr);
  await using service = await startService({ databaseUrl: address, args: ['--metrics-port', '0'] });
  const idleMb = memoryMb(service.pid);
  const cpuBefore = cpuSeconds([service.pid]);
  const until = performance.now() + seconds * 1000;
  await Promise.all(Array.from({ length: callers }, (_, caller) => call(service, caller, until)));
  const usedSeconds = cpuSeconds([service.pid]) - cpuBefore;

  const scraped = await scrape(await metricsUrl(service));
  const requests = scraped.value('http_server_request_duration_seconds_count');
  console.log(`${requests} requests in ${seconds} s: 8 of 10 list, 1 gets, 1 creates; ${petCount} pets`);
  console.log(`processor: ${((usedSeconds / requests) * 1e6).toFixed(0)} µs a request`);
  console.log(`memory: ${idleMb.toFixed(0)} MiB idle, ${peakMemoryMb([service.pid]).toFixed(0)} MiB at most`);
}

async function call(service: Service, caller: number, until: number): Promise<void> {
  const headers = { Authorization: `Bearer ${service.apiKey}` };
  for (let count = caller; performance.now() < until; count++) {
    const id = 1 + ((count * 7919) % petCount);
    const response =
      count % 10 === 0
        ? await fetch(`${service.url}/v1/pets`, { ...newPet, headers: { ...headers, ...newPet.headers } })
        : await fetch(`${service.url}/v1/pets${count % 10 === 1 ? `/${id}` : ''}`, { headers });
    if (!response.ok) throw new Error(`A request gets ${response.status}.`);
    await response.arrayBuffer();
  }
}
