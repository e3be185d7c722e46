import { NoResponseError, type Api } from './api.ts';
import type { Check, Profile } from './check.ts';
import { checksFor } from './checks.ts';
import { describeRequest, Mismatch } from './mismatch.ts';
import { redact } from './redact.ts';

export interface Failure {
  sent: string;
  /** The operation whose response was wrong, such as `GET /pets`. */
  operation?: string;
  expected: string;
  seen: string;
  /** Failures with equal reasons are one finding. */
  reason: string;
}

export interface CheckResult {
  check: Check;
  durationMs: number;
  /** Absent if the service keeps the rule. */
  failure?: Failure;
  gotNoResponse?: boolean;
}

export interface RunOptions {
  profile?: Profile;
  /** Subjects such as `limits`, or checks such as `limits/default`; all by default. */
  only?: string[] | undefined;
}

/** After this many checks in a row without a response, the rest are skipped. */
const patience = 3;
const noResponse = 'no response';

/** Runs the checks of a profile one after another, because some compare the state before and after. */
export async function runChecks(
  api: Api,
  { profile = 'contract', only }: RunOptions = {},
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  let silentCount = 0;
  for (const check of checksFor(profile, only)) {
    const result = silentCount < patience ? await runCheck(api, check) : notTried(check);
    silentCount = result.gotNoResponse ? silentCount + 1 : 0;
    results.push(result);
  }
  return results;
}

export async function runCheck(api: Api, check: Check): Promise<CheckResult> {
  const start = performance.now();
  try {
    await check.run(api);
    return { check, durationMs: performance.now() - start };
  } catch (error) {
    const { sent, expected, seen, ...failure } = failureOf(error);
    // Redact first, because a key that is cut in two is not recognised.
    const show = (text: string) => excerpt(redact(text, api.apiKey));
    return {
      check,
      durationMs: performance.now() - start,
      failure: { ...failure, sent: show(sent), expected: show(expected), seen: show(seen) },
      ...(error instanceof NoResponseError && { gotNoResponse: true }),
    };
  }
}

const longest = 300;

function excerpt(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text;
}

function notTried(check: Check): CheckResult {
  const failure = {
    sent: 'nothing',
    expected: 'a service that responds',
    seen: `no response to the last ${patience} checks`,
    reason: noResponse,
  };
  return { check, durationMs: 0, failure, gotNoResponse: true };
}

function failureOf(error: unknown): Failure {
  if (error instanceof Mismatch) {
    const { sent, operation, expected, seen, reason } = error;
    return { sent, operation, expected, seen, reason };
  }
  if (error instanceof NoResponseError) {
    const seen = error.cause instanceof Error ? error.cause.message : String(error.cause);
    return {
      sent: describeRequest(error.request),
      expected: 'a response',
      seen: `none: ${seen}`,
      reason: noResponse,
    };
  }
  // An unforeseen response breaks this check only; the others still run.
  const seen = String(error);
  return {
    sent: 'the requests of this check',
    expected: 'responses that it can read',
    seen,
    reason: seen,
  };
}
