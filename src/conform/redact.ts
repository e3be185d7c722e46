/** Some checks send the API key with a change, and what they sent is shown: none of it may give the key away. */
export function createRedaction(apiKey: string): (text: string) => string {
  const forms = [
    [apiKey, '<API_KEY>'],
    [btoa(`${apiKey}:`), '<API_KEY in Base64>'],
    [encodeURIComponent(apiKey), '<API_KEY>'],
    [apiKey.slice(0, -1), '<API_KEY without its last character>'],
  ] as const;
  return (text) =>
    forms
      .filter(([form]) => form !== '')
      .reduce((rest, [form, name]) => rest.replace(new RegExp(escape(form), 'gi'), () => name), text);
}

function escape(text: string): string {
  return text.replace(/[^\w]/g, String.raw`\$&`);
}
