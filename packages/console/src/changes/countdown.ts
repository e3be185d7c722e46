/** Calls back after a time, which can be held. */
export class Countdown {
  readonly #onEnd: () => void;
  #leftMs: number;
  #startedMs = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(durationMs: number, onEnd: () => void) {
    this.#leftMs = durationMs;
    this.#onEnd = onEnd;
  }

  run(): void {
    if (this.#timer !== undefined) return;
    this.#startedMs = performance.now();
    this.#timer = setTimeout(this.#onEnd, this.#leftMs);
  }

  /** Stops the time until it runs again. */
  hold(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - this.#startedMs));
  }
}
