/** What a process has written so far. */
export interface Collected {
  readonly text: string;
  ended: Promise<void>;
  /** Resolves once the text matches; never when the process ends before. */
  untilMatch: (pattern: RegExp) => Promise<RegExpExecArray>;
}

export function collect(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Collected {
  let text = '';
  const watchers = new Set<() => void>();
  const ended = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      text += decoder.decode(chunk, { stream: true });
      for (const watch of watchers) watch();
    }
  })();
  return {
    get text() {
      return text;
    },
    ended,
    untilMatch: (pattern) =>
      new Promise((resolve) => {
        const watch = () => {
          const match = pattern.exec(text);
          if (!match) return;
          watchers.delete(watch);
          resolve(match);
        };
        watchers.add(watch);
        watch();
      }),
  };
}
