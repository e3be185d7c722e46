/** Version, trace id, parent id, flags; a version after 00 may add fields (W3C Trace Context, section 3.2). */
const traceparent = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/** The trace that a request belongs to, if its `traceparent` is valid. */
export function traceIdOf(request: Request): string | undefined {
  const [, version, traceId, more] = traceparent.exec(request.headers.get('traceparent') ?? '') ?? [];
  return version === '00' && more !== undefined ? undefined : traceId;
}
