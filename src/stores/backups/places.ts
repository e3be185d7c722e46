import { createWriteStream, lstatSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { OperatorError, usageError } from '../../domain/error.ts';
import { attemptRead, copyPrivately, syncPath } from '../../system/files.ts';
import { operatorError } from '../sqlite/errors.ts';

/** Where backups are kept: a folder, or a prefix in a bucket. It stores files and knows nothing about stores. */
export interface BackupPlace {
  /** The name as the operator gave it. */
  readonly name: string;
  /** Where drafts of files are written; undefined for a bucket. */
  readonly folder?: string;
  /** The names and sizes of all files. Fails if the place cannot be used. */
  list(): Promise<Map<string, number>>;
  /** Moves or uploads a draft into the place, where it appears only when it is whole. */
  add(draft: string, name: string): Promise<void>;
  /** Copies a file to a local path that does not exist yet. */
  fetch(name: string, path: string): Promise<void>;
  remove(name: string): Promise<void>;
}

/** Opens the place behind a folder's name or an s3: URL. */
export function openPlace(name: string, environment: NodeJS.ProcessEnv): BackupPlace {
  return isS3(name) ? openS3(name, environment) : openFolder(name);
}

/** Whether a name means a place and not a single file. The name of a missing folder must end in a slash. */
export function isPlace(name: string): boolean {
  return isS3(name) || name.endsWith('/') || isFolder(name);
}

function isFolder(name: string): boolean {
  const stats = attemptRead(name, () => statSync(name, { throwIfNoEntry: false }));
  return stats?.isDirectory() === true;
}

export function isS3(name: string): boolean {
  return name.startsWith('s3:');
}

export function noPlace(name: string): OperatorError {
  return new OperatorError(`There is no folder ${name}.`, 'Create it, or mount the disk that it is on.');
}

/** A local folder. It is never created, because a missing folder may mean that a disk is not mounted. */
function openFolder(name: string): BackupPlace {
  if (!isFolder(name)) throw noPlace(name);
  const pathOf = (file: string): string => join(name, file);
  const list = (): Map<string, number> => {
    const files = new Map<string, number>();
    for (const file of readdirSync(name)) {
      // Undefined for a file removed since, such as the log of a store in the same folder.
      const stats = lstatSync(pathOf(file), { throwIfNoEntry: false });
      if (stats?.isFile()) files.set(file, stats.size);
    }
    return files;
  };
  const add = (draft: string, file: string): void => {
    renameSync(draft, pathOf(file));
    syncPath(name);
  };
  return {
    name,
    folder: name,
    list: () => explain(name, list),
    add: (draft, file) => explain(name, () => add(draft, file)),
    fetch: (file, path) => explain(name, () => copyPrivately(pathOf(file), path)),
    remove: (file) => explain(name, () => rmSync(pathOf(file))),
  };
}

/** A prefix in a bucket, through the runtime's own client. A large file is sent in parts and appears once complete. */
function openS3(name: string, environment: NodeJS.ProcessEnv): BackupPlace {
  const { bucket, prefix } = parseS3(name);
  const client = new Bun.S3Client({ bucket, ...readCredentials(environment) });
  const objectOf = (file: string): Bun.S3File => client.file(`${prefix}${file}`);
  return {
    name,
    list: () => explain(name, () => listAll(client, name, prefix)),
    add: (draft, file) => explain(name, async () => void (await objectOf(file).write(Bun.file(draft)))),
    fetch: (file, path) => explain(name, () => download(objectOf(file), path)),
    remove: (file) => explain(name, () => objectOf(file).delete()),
  };
}

/** Turns a failure of a disk or a bucket into an operator's error. */
async function explain<Result>(place: string, work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { code, syscall, name } = error as NodeJS.ErrnoException;
    if (syscall !== undefined) throw operatorError(error, 'The local disk');
    if (error instanceof OperatorError || (name !== 'S3Error' && code === undefined)) throw error;
    throw new OperatorError(
      `${place} cannot be used (${code ?? name}).`,
      'Check the bucket, its keys, its room, and S3_ENDPOINT.',
    );
  }
}

/** Accepts `s3://bucket/prefix` with or without a trailing slash. */
function parseS3(name: string): { bucket: string; prefix: string } {
  const [, bucket, path = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(name) ?? [];
  if (bucket === undefined)
    throw usageError(`${name} does not name a bucket.`, 'Write it as s3://bucket/prefix.');
  const prefix = path.replace(/\/+$/, '');
  return { bucket, prefix: prefix === '' ? '' : `${prefix}/` };
}

/** Reads the variables here, because the client's own lookup would miss those of --env-file. */
function readCredentials({
  S3_ACCESS_KEY_ID: accessKeyId,
  S3_SECRET_ACCESS_KEY: secretAccessKey,
  S3_SESSION_TOKEN: sessionToken,
  S3_REGION: region,
  S3_ENDPOINT: endpoint,
}: NodeJS.ProcessEnv): Bun.S3Options {
  if (!accessKeyId || !secretAccessKey)
    throw usageError('The keys of the bucket are missing.', 'Set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.');
  const optional = Object.entries({ sessionToken, region, endpoint }).filter(([, value]) => value);
  return { accessKeyId, secretAccessKey, ...Object.fromEntries(optional) };
}

async function listAll(client: Bun.S3Client, name: string, prefix: string): Promise<Map<string, number>> {
  const files = new Map<string, number>();
  for (let continuationToken: string | undefined; ;) {
    const page = await client.list({ prefix, ...(continuationToken !== undefined && { continuationToken }) });
    for (const { key, size = 0 } of page.contents ?? []) files.set(key.slice(prefix.length), size);
    const next = page.isTruncated ? page.nextContinuationToken : undefined;
    if (next === undefined) return files;
    if (next === continuationToken)
      throw new OperatorError(`${name} repeats a page of its list.`, 'Check S3_ENDPOINT.');
    continuationToken = next;
  }
}

/** Makes the file first: a stream would make it later, perhaps after the caller has cleaned up. */
async function download(object: Bun.S3File, path: string): Promise<void> {
  const fd = openSync(path, 'wx', 0o600);
  await pipeline(object.stream(), createWriteStream(path, { fd }));
}
