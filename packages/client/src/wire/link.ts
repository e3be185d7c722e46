const entry = /<([^>]*)>((?:\s*;\s*[\w-]+\s*=\s*(?:"[^"]*"|[^\s",;]+))*)/g;
const relation = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s",;]+))/i;

/** The target of the first `Link` with this relation (RFC 8288). */
export function findLink(header: string | null, name: string): string | undefined {
  for (const [, reference, parameters = ''] of (header ?? '').matchAll(entry)) {
    const [, quoted, bare] = relation.exec(parameters) ?? [];
    if ((quoted ?? bare ?? '').toLowerCase().split(/\s+/).includes(name)) return reference;
  }
  return undefined;
}
