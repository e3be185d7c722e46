/** Indents JSON without reading its numbers, so that every digit stays. Anything else is returned as it is. */
export function indentJson(text: string): string {
  if (!isJson(text)) return text;
  let depth = 0;
  const lineEnd = () => `\n${'  '.repeat(depth)}`;
  return text.replace(token, (found) => {
    if (found.startsWith('"')) return found;
    if (/^[{[]\s*[}\]]$/.test(found)) return found.charAt(0) + found.slice(-1);
    if (found === '{' || found === '[') {
      depth += 1;
      return found + lineEnd();
    }
    if (found === '}' || found === ']') {
      depth -= 1;
      return lineEnd() + found;
    }
    if (found === ',') return found + lineEnd();
    return found === ':' ? ': ' : '';
  });
}

/** Matches whole strings, so that brackets and spaces inside them stay as they are. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|\{\s*\}|\[\s*\]|[{}[\],:]|\s+/g;

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
