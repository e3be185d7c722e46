/** A shorter key may be part of ordinary text, as `x` is of `Rex`. It is hidden only in `Authorization`. */
const shortestHidden = 8;
/** A key of at least this length is hidden even inside other words. */
const longEnough = 16;

/** Some checks send a variation of the API key, and reports show what they sent. Neither may reveal the key. */
export function createRedaction(apiKey: string): (text: string) => string {
  if (apiKey.length < shortestHidden) return (text) => text;
  const [before, after] = apiKey.length < longEnough ? ['(?<![a-z0-9])', '(?![a-z0-9])'] : ['', ''];
  return (text) => redactCut(hide(text, apiKey, before, after), apiKey);
}

/** Hides the key, however short, in an `Authorization` header. */
export function hideInAuthorization(header: string, apiKey: string): string {
  return hide(header, apiKey, '(?<=(?:^|Bearer ?|Basic |Token )x?)', '(?=.?(?:,|$))');
}

function hide(text: string, apiKey: string, before: string, after: string): string {
  const forms = [
    [btoa(`${apiKey}:`), '<API_KEY in Base64>'],
    [encodeURIComponent(apiKey), '<API_KEY>'],
    [apiKey, '<API_KEY>'],
    [apiKey.slice(0, -1), '<API_KEY without its last character>'],
  ].filter(([form]) => form !== '');
  // Replace in one pass, so that no replacement is itself replaced.
  const pattern = forms.map(([form = '']) => `(${escape(form)})`).join('|');
  return text.replace(new RegExp(`${before}(?:${pattern})${after}`, 'gi'), (_found, ...groups) => {
    return forms[groups.findIndex((group) => group !== undefined)]?.[1] ?? '';
  });
}

const shortestPart = 4;

/** A shortened text ends in `…`, perhaps in the middle of the key. */
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
