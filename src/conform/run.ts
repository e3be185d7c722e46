import { NoResponseError, type Api } from './api.ts';
import type { Check, Profile } from './check.ts';
import { checksFor } from './checks.ts';
import { describeRequest, Mismatch } from './mismatch.ts';

export interface Failure {
  sent: string;
  expected: string;
  seen: string;
}

export interface CheckResult {
  check: Check;
  durationMs: number;
  /** Absent if the service keeps the rule. */
  failure?: Failure;
}

export interface RunOptions {
  profile?: Profile;
  onResult?: (result: CheckResult) => void;
}

/** Runs every check of a profile, one after the other: some compare what they see before and after. */
export async function runChecks(
  api: Api,
  { profile = 'contract', onResult }: RunOptions = {},
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const check of checksFor(profile)) {
    const result = await runCheck(api, check);
    results.push(result);
    onResult?.(result);
  }
  return results;
}

export async function runCheck(api: Api, check: Check): Promise<CheckResult> {
  const start = performance.now();
  try {
    await check.run(api);
    return { check, durationMs: performance.now() - start };
  } catch (error) {
    const { sent, expected, seen } = failureOf(error);
    const withoutKey = (text: string) => text.replaceAll(api.apiKey, '<API_KEY>');
    return {
      check,
      durationMs: performance.now() - start,
      failure: { sent: withoutKey(sent), expected: withoutKey(expected), seen: withoutKey(seen) },
    };
  }
}

function failureOf(error: unknown): Failure {
  if (error instanceof Mismatch) return error;
  if (error instanceof NoResponseError) {
    return {
      sent: describeRequest(error.request),
      expected: 'a response',
      seen: `none: ${reasonOf(error.cause)}`,
    };
  }
  throw error;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
