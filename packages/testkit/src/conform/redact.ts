/** Some checks send variations of the API key, and a service may repeat them. Reports reveal none of them. */
export function redact(text: string, apiKey: string): string {
  const forms = [
    [btoa(`${apiKey}:`), '<API_KEY in Base64>'],
    [encodeURIComponent(apiKey), '<API_KEY>'],
    [apiKey, '<API_KEY>'],
    [apiKey.slice(0, -1), '<API_KEY without its last character>'],
    // What is shorter is no secret, and part of ordinary words.
  ].filter(([form = '']) => form.length > 3);
  if (forms.length === 0) return text;
  // Replace in one pass, so that no replacement is itself replaced.
  const pattern = forms.map(([form = '']) => `(${form.replace(/\W/g, String.raw`\$&`)})`).join('|');
  return text.replace(new RegExp(pattern, 'gi'), (found, ...groups) => {
    const [form, shown = ''] = forms[groups.findIndex((group) => group !== undefined)] ?? [];
    return found === form ? shown : shown.replace('>', ' in the other case>');
  });
}
