import { randomBytes } from 'node:crypto';
import { createWriteStream, openSync, rmSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { OperatorError, usageError } from '../../domain/error.ts';
import { explain } from '../sqlite/errors.ts';
import { resolveLinks } from '../../system/paths.ts';
import { partialForm, removeLeftovers } from '../../system/leftovers.ts';
import { hashOf, type BackupPlace, type Environment } from './place.ts';

/** A prefix in a bucket, through the runtime's own client. A large file is sent in parts and appears once complete. */
export function openS3(name: string, environment: Environment): BackupPlace {
  const { bucket, prefix } = parseS3(name);
  const client = new Bun.S3Client({ bucket, ...readCredentials(environment) });
  const objectOf = (file: string): Bun.S3File => client.file(`${prefix}${file}`);
  const explained = <Result>(work: Promise<Result>): Promise<Result> =>
    work.catch((error: unknown) => {
      throw explainS3(error, name);
    });

  return {
    name,
    list: () => explained(listAll(client, prefix)),
    async add(file, store, make) {
      // Drafts go beside the store: that disk has room, and a container may be unable to write elsewhere.
      const drafts = `${resolveLinks(store)}.uploading-`;
      removeLeftovers(drafts, `[0-9a-f]{6}(?:${partialForm})?`);
      const draft = `${drafts}${randomBytes(3).toString('hex')}`;
      try {
        const made = await make(draft);
        await explained(objectOf(file).write(Bun.file(draft)));
        const stored = await explained(hashOf(objectOf(file).stream()));
        if (stored === made.sha256) return made;
        throw new OperatorError(`${name} did not store what was sent.`, 'Check the storage server.');
      } finally {
        rmSync(draft, { force: true });
      }
    },
    write: async (file, text) => void (await explained(objectOf(file).write(text))),
    read: (file) => explained(objectOf(file).text()),
    fetch: (file, path) => explained(download(objectOf(file), path)),
    remove: (file) => explained(objectOf(file).delete()),
  };
}

/** Accepts `s3://bucket/prefix` with or without a trailing slash. */
function parseS3(name: string): { bucket: string; prefix: string } {
  const [, bucket, path = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(name) ?? [];
  if (bucket === undefined)
    throw usageError(`${name} does not name a bucket.`, 'Write it as s3://bucket/prefix.');
  const prefix = path.replace(/\/+$/, '');
  return { bucket, prefix: prefix === '' ? '' : `${prefix}/` };
}

/** The variables for each part. The client's own lookup would miss those of --env-file. */
const credentialNames = {
  accessKeyId: ['S3_ACCESS_KEY_ID', 'AWS_ACCESS_KEY_ID'],
  secretAccessKey: ['S3_SECRET_ACCESS_KEY', 'AWS_SECRET_ACCESS_KEY'],
  sessionToken: ['S3_SESSION_TOKEN', 'AWS_SESSION_TOKEN'],
  region: ['S3_REGION', 'AWS_REGION'],
  endpoint: ['S3_ENDPOINT', 'AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL'],
};

function readCredentials(environment: Environment): Bun.S3Options {
  const options: Bun.S3Options = {};
  for (const [part, names] of Object.entries(credentialNames)) {
    const value = names.map((name) => environment[name]).find(Boolean);
    if (value) options[part as keyof typeof credentialNames] = value;
  }
  if (options.accessKeyId && options.secretAccessKey) return options;
  throw usageError('The keys of the bucket are missing.', 'Set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.');
}

async function listAll(client: Bun.S3Client, prefix: string): Promise<Map<string, number>> {
  const files = new Map<string, number>();
  for (let continuationToken: string | undefined; ;) {
    const page = await client.list({ prefix, ...(continuationToken !== undefined && { continuationToken }) });
    for (const { key, size = 0 } of page.contents ?? []) files.set(key.slice(prefix.length), size);
    continuationToken = page.isTruncated ? page.nextContinuationToken : undefined;
    if (continuationToken === undefined) return files;
  }
}

/** Makes the file first: a stream would make it later, perhaps after the caller has cleaned up. */
async function download(object: Bun.S3File, path: string): Promise<void> {
  const fd = openSync(path, 'wx', 0o600);
  await pipeline(object.stream(), createWriteStream(path, { fd }));
}

function explainS3(error: unknown, name: string): unknown {
  if (!(error instanceof Error) || error instanceof OperatorError) return error;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall !== undefined) return explain(error, 'The local disk');
  return error.name === 'S3Error' || code !== undefined ? unusable(name, code ?? error.name) : error;
}

function unusable(name: string, reason: string): OperatorError {
  const remedy = 'Check the bucket, its keys, its room, and S3_ENDPOINT.';
  return new OperatorError(`${name} cannot be used (${reason}).`, remedy);
}
