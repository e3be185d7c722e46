import { randomBytes } from 'node:crypto';
import { createWriteStream, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { OperatorError, usageError } from '../../domain/error.ts';
import {
  attemptRead,
  copyPrivately,
  partialForm,
  removeLeftovers,
  resolveLinks,
  syncPath,
} from '../../system/files.ts';
import { operatorError } from '../sqlite/errors.ts';

/** Where backups are kept: a folder, or a prefix in a bucket. It stores files and knows nothing about stores. */
export interface BackupPlace {
  /** The name as the operator gave it. */
  readonly name: string;
  /** The names and sizes of all files. Fails if the place cannot be used. */
  list(): Promise<Map<string, number>>;
  /** A local path for the copy of a store before it is added. Removes copies that killed backups left there. */
  draftOf(store: string): string;
  /** Puts a finished draft into the place under a name, which appears there only when the file is whole. */
  add(draft: string, name: string): Promise<void>;
  /** Copies a file to a local path. */
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
  return name.startsWith('s3://');
}

export function noPlace(name: string): OperatorError {
  return new OperatorError(`There is no folder ${name}.`, 'Create it, or mount the disk that it is on.');
}

/** A local folder. It is never created, because a missing folder may mean that a disk is not mounted. */
function openFolder(name: string): BackupPlace {
  if (!isFolder(name)) throw noPlace(name);
  const inFolder = (file: string): string => join(name, file);
  const explained = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (error) {
      throw operatorError(error, name);
    }
  };
  return {
    name,
    async list() {
      return explained(() => {
        const files = readdirSync(name).map(
          (file) => [file, statSync(inFolder(file), { throwIfNoEntry: false })] as const,
        );
        return new Map(files.flatMap(([file, found]) => (found?.isFile() ? [[file, found.size]] : [])));
      });
    },
    draftOf: () => explained(() => nameDraft(inFolder('petstore-backup'))),
    async add(draft, file) {
      explained(() => {
        renameSync(draft, inFolder(file));
        syncPath(name);
      });
    },
    async fetch(file, path) {
      explained(() => copyPrivately(inFolder(file), path));
    },
    async remove(file) {
      explained(() => {
        rmSync(inFolder(file), { force: true });
        syncPath(name);
      });
    },
  };
}

/** A prefix in a bucket, through the runtime's own client. A large file is sent in parts and appears once complete. */
function openS3(name: string, environment: NodeJS.ProcessEnv): BackupPlace {
  const { bucket, prefix } = parseS3(name);
  const client = new Bun.S3Client({ bucket, ...readCredentials(environment) });
  const objectOf = (file: string): Bun.S3File => client.file(`${prefix}${file}`);
  const explained = <Result>(work: Promise<Result>): Promise<Result> =>
    work.catch((error: unknown) => {
      throw explainS3(error, name);
    });

  return {
    name,
    list: () => explained(listAll(client, name, prefix)),
    // Beside the store, that disk has room, and a container may be unable to write elsewhere.
    draftOf: (store) => nameDraft(`${resolveLinks(store)}.backup`),
    add: async (draft, file) => void (await explained(objectOf(file).write(Bun.file(draft)))),
    fetch: (file, path) => explained(download(objectOf(file), path)),
    remove: (file) => explained(objectOf(file).delete()),
  };
}

function nameDraft(path: string): string {
  removeLeftovers(`${path}-`, `[0-9a-f]{12}(?:${partialForm})?`);
  return `${path}-${randomBytes(6).toString('hex')}`;
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

function readCredentials(environment: NodeJS.ProcessEnv): Bun.S3Options {
  const options: Bun.S3Options = {};
  for (const [part, names] of Object.entries(credentialNames)) {
    const value = names.map((name) => environment[name]).find(Boolean);
    if (value) options[part as keyof typeof credentialNames] = value;
  }
  if (options.accessKeyId && options.secretAccessKey) return options;
  throw usageError('The keys of the bucket are missing.', 'Set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.');
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

function explainS3(error: unknown, name: string): unknown {
  if (!(error instanceof Error) || error instanceof OperatorError) return error;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall !== undefined) return operatorError(error, 'The local disk');
  if (error.name !== 'S3Error' && code === undefined) return error;
  return new OperatorError(
    `${name} cannot be used (${code ?? error.name}).`,
    'Check the bucket, its keys, its room, and S3_ENDPOINT.',
  );
}
