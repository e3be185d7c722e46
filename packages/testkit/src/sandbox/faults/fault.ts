import { PetstoreError, statusOfCode, type ErrorCode } from 'petstore-server/embed';

/** What goes wrong with a request. One text may combine several faults. */
export interface Fault {
  /** As in the header. */
  text: string;
  /** Waits first, for a random time if the bounds differ. */
  delay?: { fromMs: number; toMs: number };
  /** Sends this error instead of the service's response. */
  status?: number;
  /** Replaces the usual code of this status. It must be one that the service sends with it. */
  code?: ErrorCode;
  retryAfter?: number;
  cut?: Cut;
  bytesPerSecond?: number;
  isCorrupt?: true;
  /** The share of the requests that it affects; 1 by default. */
  rate?: number;
}

const cuts = ['before-commit', 'after-commit', 'mid-body'] as const;
type Cut = (typeof cuts)[number];

/** Parses `cut=after-commit;rate=0.3`. Fails with `invalid_parameter`. */
export function parseFault(text: string): Fault {
  const parts = text.split(';').map((part) => part.trim());
  const names = parts.map((part) => part.slice(0, part.indexOf('=')));
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate !== undefined) throw invalid(`${duplicate} occurs twice.`);
  const fault: Omit<Fault, 'text'> = {};
  for (const part of parts) Object.assign(fault, parsePart(part));
  if (fault.retryAfter !== undefined && fault.status === undefined)
    throw invalid('retry-after needs a status.');
  if (fault.code !== undefined && statusOfCode[fault.code] !== fault.status)
    throw invalid(`code=${fault.code} needs status=${statusOfCode[fault.code]}.`);
  if (Object.keys(fault).every((name) => name === 'rate')) throw invalid('rate needs a fault.');
  return { text, ...fault };
}

/** The code of an injected error. Gateways add 502 and 504, which the service itself never sends. */
export function codeOfStatus(status: number, method = 'GET'): ErrorCode | undefined {
  if (status === 400 && (method === 'POST' || method === 'PATCH')) return 'invalid_pet';
  if (status === 400 && method === 'PUT') return 'invalid_category';
  if (status === 502 || status === 504) return 'unavailable';
  // 503 is also `overloaded`, but that promises that nothing was stored.
  if (status === 503) return 'unavailable';
  return (Object.keys(statusOfCode) as ErrorCode[]).find((code) => statusOfCode[code] === status);
}

function parsePart(part: string): Partial<Fault> {
  const [, name = part, value = ''] = /^([a-z-]+)=(.*)$/.exec(part) ?? [];
  const parse = Object.hasOwn(parsers, name) ? parsers[name] : undefined;
  if (!parse) throw invalid(`"${name}" is not a fault. The faults are ${Object.keys(parsers).join(', ')}.`);
  const fault = parse(value);
  if (!fault) throw invalid(`"${part}" is not understood. An example is ${examples[name]}.`);
  return fault;
}

const longestMs = 60_000;

const parsers: Record<string, (value: string) => Partial<Fault> | undefined> = {
  delay(value) {
    const [first = '', last = first, ...more] = value.split('..');
    const [fromMs, toMs] = [millisecondsOf(first), millisecondsOf(last)];
    return more.length === 0 && fromMs <= toMs && toMs <= longestMs ? { delay: { fromMs, toMs } } : undefined;
  },
  status(value) {
    const status = integerOf(value);
    return codeOfStatus(status) === undefined ? undefined : { status };
  },
  code: (value) => (isErrorCode(value) ? { code: value } : undefined),
  'retry-after'(value) {
    const retryAfter = integerOf(value);
    return Number.isNaN(retryAfter) ? undefined : { retryAfter };
  },
  cut(value) {
    const cut = cuts.find((each) => each === value);
    return cut && { cut };
  },
  trickle(value) {
    const [, count = '', unit] = /^([1-9]\d{0,5})(b|kb)\/s$/.exec(value) ?? [];
    return count === '' ? undefined : { bytesPerSecond: Number(count) * (unit === 'kb' ? 1024 : 1) };
  },
  corrupt: (value) => (value === 'json' ? { isCorrupt: true } : undefined),
  rate(value) {
    const rate = /^(?:0(?:\.\d{1,9})?|1(?:\.0+)?)$/.test(value) ? Number(value) : undefined;
    return rate === undefined ? undefined : { rate };
  },
};

const examples: Record<string, string> = {
  delay: 'delay=250ms or delay=50ms..2s, up to 60s',
  status: 'status=503',
  code: 'status=503;code=overloaded',
  'retry-after': 'status=429;retry-after=3',
  cut: cuts.map((cut) => `cut=${cut}`).join(', '),
  trickle: 'trickle=1kb/s',
  corrupt: 'corrupt=json',
  rate: 'rate=0.1',
};

/** NaN, which every comparison refuses, if it is not a duration. */
function millisecondsOf(text: string): number {
  const [, count, unit] = /^(\d{1,5})(ms|s)$/.exec(text) ?? [];
  return Number(count) * (unit === 's' ? 1000 : 1);
}

function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(statusOfCode, text);
}

function integerOf(text: string): number {
  return /^\d{1,5}$/.test(text) ? Number(text) : NaN;
}

function invalid(problem: string): PetstoreError {
  return new PetstoreError('invalid_parameter', `The fault cannot be used: ${problem}`);
}
