import { randomBytes } from 'node:crypto';
import { closeSync, openSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { OperatorError, usageError } from '../domain/error.ts';
import { resolveLinks } from '../sqlite/opening/store-file.ts';
import { removeLeftovers } from '../system/leftovers.ts';
import { hashOf, type BackupPlace, type Environment } from './place.ts';

/** Below this prefix of a bucket, through the runtime's own client. A large file goes in parts, and appears when whole. */
export function openS3(name: string, environment: Environment): BackupPlace {
  const { bucket, prefix } = parseS3(name);
  const client = new Bun.S3Client({ bucket, ...readCredentials(environment) });
  const keyOf = (file: string): string => `${prefix}${file}`;
  const explained = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      throw explainS3(error, name);
    }
  };
  return {
    name,
    list: () => explained(() => listAll(client, prefix)),
    async add(file, store, make) {
      // Beside the store: its disk has room for it, and a container may write nowhere else.
      const drafts = `${resolveLinks(store)}.uploading-`;
      const start = RegExp.escape(basename(drafts));
      removeLeftovers(dirname(drafts), new RegExp(`^${start}[0-9a-f]{6}(?:\\.\\d+\\.partial)?$`));
      const draft = `${drafts}${randomBytes(3).toString('hex')}`;
      try {
        const made = await make(draft);
        await explained(() => client.write(keyOf(file), Bun.file(draft)));
        const stored = await explained(() => hashOf(client.file(keyOf(file))));
        if (stored === made.sha256) return made;
        throw new OperatorError(`${name} has not stored what was sent.`, 'Check the storage server.');
      } finally {
        rmSync(draft, { force: true });
      }
    },
    write: (file, text) => explained(async () => void (await client.write(keyOf(file), text))),
    read: (file) => explained(() => client.file(keyOf(file)).text()),
    fetch: (file, path) => explained(() => download(client.file(keyOf(file)), path)),
    remove: (file) => explained(() => client.delete(keyOf(file))),
  };
}

/** `s3://bucket/prefix` with or without a slash at the end. */
function parseS3(name: string): { bucket: string; prefix: string } {
  const [, bucket, path = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(name) ?? [];
  if (bucket === undefined)
    throw usageError(`${name} does not name a bucket.`, 'Write it as s3://bucket/prefix.');
  const prefix = path.replace(/\/+$/, '');
  return { bucket, prefix: prefix === '' ? '' : `${prefix}/` };
}

/** The variables of AWS's own tools work, too. What the client would read by itself misses those of --env-file. */
function readCredentials(environment: Environment): Bun.S3Options {
  const first = (...names: string[]): string | undefined =>
    names.map((each) => environment[each]).find(Boolean);
  const accessKeyId = first('S3_ACCESS_KEY_ID', 'AWS_ACCESS_KEY_ID');
  const secretAccessKey = first('S3_SECRET_ACCESS_KEY', 'AWS_SECRET_ACCESS_KEY');
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw usageError('The keys of the bucket are missing.', 'Set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.');
  }
  const sessionToken = first('S3_SESSION_TOKEN', 'AWS_SESSION_TOKEN');
  const region = first('S3_REGION', 'AWS_REGION');
  const endpoint = first('S3_ENDPOINT', 'AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL');
  return {
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== undefined && { sessionToken }),
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint }),
  };
}

async function listAll(client: Bun.S3Client, prefix: string): Promise<Map<string, number>> {
  const files = new Map<string, number>();
  let continuationToken: string | undefined;
  do {
    const page = await client.list({ prefix, ...(continuationToken !== undefined && { continuationToken }) });
    for (const { key, size = 0 } of page.contents ?? []) files.set(key.slice(prefix.length), size);
    continuationToken = page.isTruncated ? page.nextContinuationToken : undefined;
  } while (continuationToken !== undefined);
  return files;
}

/** Piece by piece, into a file for its owner alone. */
async function download(object: Bun.S3File, path: string): Promise<void> {
  closeSync(openSync(path, 'wx', 0o600));
  const sink = Bun.file(path).writer();
  try {
    for await (const chunk of object.stream()) {
      await sink.write(chunk);
      await sink.flush();
    }
  } finally {
    await sink.end();
  }
}

function explainS3(error: unknown, name: string): unknown {
  if (!(error instanceof Error) || error instanceof OperatorError) return error;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (error.name !== 'S3Error' && code === undefined) return error;
  if (syscall !== undefined) return new OperatorError(`${error.message}.`, 'Check the disk and the rights.');
  return new OperatorError(
    `${name} cannot be used (${code ?? error.name}).`,
    'Check the bucket, its keys, its room, and S3_ENDPOINT.',
  );
}
