/** Hides the API key, and the variations of it that checks send: a service may repeat any of them. */
export function redact(text: string, apiKey: string): string {
  const forms = [
    [btoa(`${apiKey}:`), '<API_KEY in Base64>'],
    [encodeURIComponent(apiKey), '<API_KEY>'],
    [apiKey, '<API_KEY>'],
    [apiKey.slice(0, -1), '<API_KEY without its last character>'],
    // Shorter forms are parts of ordinary words, and not secret.
  ].filter(([form = '']) => form.length > 3);
  if (forms.length === 0) return text;
  // Replace in one pass, so that no replacement is itself replaced.
  const pattern = forms.map(([form = '']) => `(${form.replace(/\W/g, String.raw`\$&`)})`).join('|');
  return text.replace(new RegExp(pattern, 'gi'), (match, ...groups) => {
    const [form, replacement = ''] = forms[groups.findIndex((group) => group !== undefined)] ?? [];
    return match === form ? replacement : replacement.replace('>', ' in the other case>');
  });
}
