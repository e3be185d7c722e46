/** One entry of a `Link` header (RFC 8288). */
interface Link {
  reference: string;
  relation: string;
}

const entry = /<([^>]*)>((?:\s*;\s*[\w-]+\s*=\s*(?:"[^"]*"|[^\s",;]+))*)/g;
const relation = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s",;]+))/i;

/** Reads a `Link` header; an entry with several relations is given once for each. */
function parseLinks(header: string | null): Link[] {
  return [...(header ?? '').matchAll(entry)].flatMap(([, reference = '', parameters = '']) => {
    const [, quoted, bare] = relation.exec(parameters) ?? [];
    const relations = (quoted ?? bare ?? '').toLowerCase().split(/\s+/);
    return relations.filter((name) => name !== '').map((name) => ({ reference, relation: name }));
  });
}

/** The reference of the first entry with this relation. */
export function findLink(header: string | null, name: string): string | undefined {
  return parseLinks(header).find((link) => link.relation === name)?.reference;
}
