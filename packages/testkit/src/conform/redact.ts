/** Some checks send the API key with a change, and what they sent is shown: none of it may give the key away. */
export function createRedaction(apiKey: string): (text: string) => string {
  const forms = [
    [apiKey, '<API_KEY>'],
    [btoa(`${apiKey}:`), '<API_KEY in Base64>'],
    [encodeURIComponent(apiKey), '<API_KEY>'],
    [apiKey.slice(0, -1), '<API_KEY without its last character>'],
  ] as const;
  return (text) => {
    const redacted = forms
      .filter(([form]) => form !== '')
      .reduce((rest, [form, name]) => rest.replace(new RegExp(escape(form), 'gi'), () => name), text);
    return redactCut(redacted, apiKey);
  };
}

const shortestPart = 4;

/** A long text ends in `…`, perhaps in the middle of the key. */
function redactCut(text: string, apiKey: string): string {
  return text.replace(/([!-~]+)…/g, (whole, before: string) => {
    for (let length = Math.min(before.length, apiKey.length); length >= shortestPart; length--) {
      if (before.endsWith(apiKey.slice(0, length))) return `${before.slice(0, -length)}<API_KEY, cut off>…`;
    }
    return whole;
  });
}

function escape(text: string): string {
  return text.replace(/[^\w]/g, String.raw`\$&`);
}
