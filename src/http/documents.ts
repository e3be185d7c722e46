import { gzipSync } from 'node:zlib';
import workflows from '../../petstore.arazzo.yaml' with { type: 'text' };
import { PetstoreError, statusOfCode } from '../domain/error.ts';
import { etagOf } from '../domain/precondition.ts';
import { contractOf, type Contract, type ContractOptions, toOpenapi30 } from './contract.ts';
import { jsonMediaType, type Representation } from './response.ts';
import type { Handler } from './route.ts';

/** The console, the docs and the contract by their paths. Each is created on its first request. */
export function createDocuments(options: ContractOptions) {
  const contract = () => contractOf(options);
  let consoleAndDocs: ReturnType<typeof createConsoleAndDocs> | undefined;

  const load = () => {
    consoleAndDocs ??= createConsoleAndDocs(contract()).catch((error: unknown) => {
      consoleAndDocs = undefined;
      throw error;
    });
    return consoleAndDocs;
  };

  return {
    /** The console needs the unstable operations, so `--stable-only` leaves it out. */
    '/': options.stableOnly ? () => redirect(307, 'docs') : async (call) => (await load()).consoleHtml(call),
    '/docs': async (call) => (await load()).docsHtml(call),
    /** The relative links of the docs would be wrong here. */
    '/docs/': () => redirect(308, '../docs'),
    /** The scripts and style sheets of console and docs. */
    '/assets/:file': async (call) => {
      const handler = (await load()).assets.get(call.parameter ?? '');
      if (!handler) throw new PetstoreError('not_found', 'There is nothing at this address.');
      return handler(call);
    },
    '/openapi.yaml': serveContract(options, 'application/yaml', toYaml),
    '/openapi.json': serveContract(options, jsonMediaType, toJson),
    '/openapi-3.0.json': serveContract(options, jsonMediaType, (document) => toJson(toOpenapi30(document))),
    '/petstore.arazzo.yaml': () => documentOf('application/yaml', workflows),
  } satisfies Record<string, Handler>;
}

function redirect(status: number, location: string): Representation {
  return { status, headers: { Location: location, 'Cache-Control': 'private, no-cache' }, body: null };
}

/** Stands in for the address, which depends on the request. */
const placeholderUrl = 'http://here.invalid/v1';

/** Without a public address, the document names the host that the caller used, if known, so that a saved copy works. */
function serveContract(
  options: ContractOptions,
  contentType: string,
  render: (contract: Contract) => string,
): Handler {
  const { publicUrl, namesHost = false } = options;
  let text: string | undefined;
  return ({ request }) => {
    text ??= render(contractOf(options, placeholderUrl));
    const address = publicUrl ?? `${hostOf(request, namesHost) ?? ''}/v1`;
    return documentOf(contentType, text.replace(placeholderUrl, address));
  };
}

/** The origin that the caller used. Undefined behind a proxy, whose callers use another host or scheme. */
function hostOf({ url, headers }: Request, isAlwaysKnown: boolean): string | undefined {
  const address = URL.parse(url);
  if (address === null) return undefined;
  const isLoopback = /^(?:127(?:\.\d+){3}|\[::1\]|localhost)$/.test(address.hostname);
  const isForwarded = ['Forwarded', 'X-Forwarded-For', 'X-Forwarded-Proto'].some((name) => headers.has(name));
  return isAlwaysKnown || (isLoopback && !isForwarded) ? address.origin : undefined;
}

/** Bun writes dates without quotes, so YAML 1.1 parsers would not read them as text. */
function toYaml(document: unknown): string {
  return Bun.YAML.stringify(document, null, 2).replaceAll(/(: |- )(\d{4}-\d\d-\d\d\S*)$/gm, '$1"$2"');
}

function toJson(document: unknown): string {
  return JSON.stringify(document, null, 2);
}

const immutable = { 'Cache-Control': 'public, max-age=31536000, immutable' };

async function createConsoleAndDocs(document: unknown) {
  // Load it only here: on most services, nobody reads these pages.
  const { bundleAssets, renderConsole, renderDocs } = await import('../../packages/web/src/index.ts');
  const files = await bundleAssets();
  const addresses: Record<string, string> = {};
  const assets = new Map<string, Handler>();
  for (const { name, uniqueName, contentType, body } of files) {
    addresses[name] = `assets/${uniqueName}`;
    assets.set(uniqueName, serveCompressed(contentType, body, immutable));
    // Callers revalidate a file under its plain name on every use.
    assets.set(name, serveCompressed(contentType, body));
  }
  let docs: Handler | undefined;
  // Rendering the docs takes as long as the rest, and visitors of the console rarely open them.
  const docsHtml: Handler = (call) => {
    docs ??= serveHtml(renderDocs(document, statusOfCode, addresses));
    return docs(call);
  };
  return { consoleHtml: serveHtml(renderConsole(addresses)), docsHtml, assets };
}

function documentOf(contentType: string, text: string): Representation {
  return { body: text, etag: etagOf(text), headers: { 'Content-Type': contentType } };
}

/** Serves a text, compressed for callers that accept gzip. */
function serveCompressed(
  contentType: string,
  text: string,
  ownHeaders: Record<string, string> = {},
): Handler {
  const headers = { 'Content-Type': contentType, ...ownHeaders, Vary: 'Accept-Encoding' };
  const plain = { body: text, etag: etagOf(text), headers };
  const bytes = new Uint8Array(gzipSync(text, { level: 9 }));
  const compressed = {
    body: bytes,
    etag: etagOf(bytes),
    headers: { ...headers, 'Content-Encoding': 'gzip' },
  };
  return ({ request }) =>
    gzipAccepted.test(request.headers.get('Accept-Encoding') ?? '') ? compressed : plain;
}

/** Matches gzip, unless its weight is 0 (RFC 9110, section 12.4.2). */
const gzipAccepted = /(?:^|,)\s*gzip\s*(?!;\s*q=0(?:\.0*)?\s*(?:,|$))(?:[;,]|$)/i;

/** Allows only files of this service: no inline script or style, no other host, no framing. */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

function serveHtml(html: string): Handler {
  return serveCompressed('text/html; charset=utf-8', html, { 'Content-Security-Policy': contentPolicy });
}
