import { randomBytes } from 'node:crypto';
import { closeSync, openSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { OperatorError, usageError } from '../domain/error.ts';
import { explain } from '../sqlite/errors.ts';
import { resolveLinks } from '../sqlite/opening/store-file.ts';
import { writeAll } from '../system/files.ts';
import { partialForm, removeLeftovers } from '../system/leftovers.ts';
import { hashOf, type BackupPlace, type Environment } from './place.ts';
import { createSend, readText, unusable, type S3Response, type Send } from './s3-requests.ts';

/**
 * Clean-up after a failure waits as well, and then its own clean-up: so a silent bucket fails within a minute. A slow line
 * must move something within this time.
 */
const silenceLimitMs = 18_000;

/** Below this prefix of a bucket. A large file goes in parts, and appears when whole. */
export function openS3(name: string, environment: Environment, silenceMs = silenceLimitMs): BackupPlace {
  const { bucket, prefix } = parseS3(name);
  const send = createSend(name, { bucket, ...readCredentials(environment) }, silenceMs);
  const keyOf = (file: string): string => `${prefix}${file}`;
  const finish = async (response: Promise<S3Response>): Promise<string> =>
    (await readText(await response, maxPageBytes)) ?? '';
  return {
    name,
    list: () => listAll(send, name, prefix),
    async add(file, store, make) {
      // Beside the store: its disk has room for it, and a container may write nowhere else.
      const drafts = `${resolveLinks(store)}.uploading-`;
      const start = RegExp.escape(basename(drafts));
      removeLeftovers(dirname(drafts), new RegExp(`^${start}[0-9a-f]{6}(?:${partialForm})?$`));
      const draft = `${drafts}${randomBytes(3).toString('hex')}`;
      try {
        const made = await make(draft);
        await upload(keyOf(file), Bun.file(draft));
        const { chunks } = await send('GET', keyOf(file));
        if ((await hashOf(chunks)) === made.sha256) return made;
        throw new OperatorError(`${name} has not stored what was sent.`, 'Check the storage server.');
      } finally {
        rmSync(draft, { force: true });
      }
    },
    write: async (file, text) => void (await finish(send('PUT', keyOf(file), {}, text))),
    read: async (file, maxBytes) => readText(await send('GET', keyOf(file)), maxBytes),
    fetch: async (file, path) => download(await send('GET', keyOf(file)), path),
    remove: async (file) => void (await finish(send('DELETE', keyOf(file)))),
  };

  async function upload(key: string, file: Blob): Promise<void> {
    const uploadId = tagOf(await finish(send('POST', key, { uploads: '' })), 'UploadId') ?? '';
    try {
      let parts = '';
      for (let number = 1; (number - 1) * partBytes < file.size; number++) {
        const part = file.slice((number - 1) * partBytes, number * partBytes);
        const sent = await send('PUT', key, { partNumber: String(number), uploadId }, part);
        await readText(sent, maxPageBytes);
        parts += `<Part><PartNumber>${number}</PartNumber><ETag>${sent.headers.get('etag')}</ETag></Part>`;
      }
      const whole = `<CompleteMultipartUpload xmlns="${namespace}">${parts}</CompleteMultipartUpload>`;
      await finish(send('POST', key, { uploadId }, whole));
    } catch (error) {
      await finish(send('DELETE', key, { uploadId })).catch(() => {});
      throw error;
    }
  }
}

const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/';
/** A bucket takes 10,000 parts. */
const partBytes = 64 * 1024 * 1024;

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

/** Of up to 1,000 files. */
const maxPageBytes = 2 * 1024 * 1024;
const maxPages = 200;

async function listAll(send: Send, name: string, prefix: string): Promise<Map<string, number>> {
  const files = new Map<string, number>();
  const tokens = new Set<string>();
  const query = { 'list-type': '2', delimiter: '/', prefix };
  for (let token: string | undefined; ;) {
    const next = token === undefined ? query : { ...query, 'continuation-token': token };
    const page = await readText(await send('GET', undefined, next), maxPageBytes);
    if (page === undefined || tokens.size === maxPages) throw unusable(name, 'its list is too long');
    for (const [contents] of page.matchAll(/<Contents>.*?<\/Contents>/gs)) {
      const key = tagOf(contents, 'Key') ?? '';
      files.set(key.slice(key.lastIndexOf('/') + 1), Number(tagOf(contents, 'Size')));
    }
    token = tagOf(page, 'IsTruncated') === 'true' ? tagOf(page, 'NextContinuationToken') : undefined;
    if (token === undefined) return files;
    if (tokens.has(token)) throw unusable(name, 'its list never ends: a continuation token came twice');
    tokens.add(token);
  }
}

/** The text of the first element of this name. */
function tagOf(xml: string, tag: string): string | undefined {
  const [, text] = new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(xml) ?? [];
  return text?.replace(/&(?:#(\d+)|(\w+));/g, (found, code: string | undefined, entity: string) =>
    code === undefined ? (entities[entity] ?? found) : String.fromCodePoint(Number(code)),
  );
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Piece by piece, into a file for its owner alone. */
async function download({ chunks }: S3Response, path: string): Promise<void> {
  const file = openSync(path, 'wx', 0o600);
  try {
    for await (const chunk of chunks) writeAll(file, chunk);
  } catch (error) {
    throw explain(error, path);
  } finally {
    closeSync(file);
  }
}
