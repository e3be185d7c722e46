/** The parameters of a URL's query, exactly as `URLSearchParams` reads them, which takes several times as long. */
export class Query {
  /** Names and values in turn. */
  readonly #parts: string[] = [];

  constructor(url: string) {
    const queryStart = url.indexOf('?');
    if (queryStart === -1) return;
    // Our own links contain nothing to decode.
    const read = encoded.test(url) ? decode : unchanged;
    for (let start = queryStart + 1; start < url.length;) {
      const separator = url.indexOf('&', start);
      const end = separator === -1 ? url.length : separator;
      const equals = url.indexOf('=', start);
      const nameEnd = equals === -1 || equals > end ? end : equals;
      if (end > start) this.#parts.push(read(url.slice(start, nameEnd)), read(url.slice(nameEnd + 1, end)));
      start = end + 1;
    }
  }

  /** The value of a parameter. Those of a repeated one are joined by commas. */
  get(name: string): string | undefined {
    let joined: string | undefined;
    for (let index = 0; index < this.#parts.length; index += 2) {
      if (this.#parts[index] !== name) continue;
      const value = this.#parts[index + 1] ?? '';
      joined = joined === undefined ? value : `${joined},${value}`;
    }
    return joined;
  }

  getAll(name: string): string[] {
    const values: string[] = [];
    for (let index = 0; index < this.#parts.length; index += 2) {
      if (this.#parts[index] === name) values.push(this.#parts[index + 1] ?? '');
    }
    return values;
  }
}

const encoded = /[%+]/;
const unchanged = (text: string): string => text;
const decode = (text: string): string => new URLSearchParams(`=${text}`).get('') ?? '';
