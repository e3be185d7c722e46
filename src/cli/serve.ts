import { readConfig } from './config.ts';
import { isLoopback } from '../server/listen.ts';
import { openVoice } from './terminal/output.ts';
import { serveHelp } from './serve-help.ts';
import { serveHere } from '../server/service.ts';
import { superviseWorkers } from '../server/workers.ts';

export async function serve(args: string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(serveHelp());
    return 0;
  }
  const config = readConfig(args, process.env);
  const voice = openVoice(config.logLevel);
  const { log } = voice;
  if (!config.tlsCert && !isLoopback(config.host)) {
    log.warn('Keys and pets travel unencrypted: put a TLS proxy in front, or use --tls-cert and --tls-key.', {
      host: config.host,
    });
  }
  const exitStatus = await (config.workers > 1 ? superviseWorkers(config, voice) : serveHere(config, voice));
  // Under `bun --watch` a program that has ended is kept, and would serve again at the next change.
  process.exit(exitStatus);
}
