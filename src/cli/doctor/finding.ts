import { OperatorError } from '../../domain/error.ts';

/** The result of one check. */
export interface Finding {
  check: string;
  state: 'ok' | 'warning' | 'problem';
  message: string;
  remedy?: string;
}

export function ok(check: string, message: string): Finding {
  return { check, state: 'ok', message };
}

export function warning(check: string, message: string, remedy: string): Finding {
  return { check, state: 'warning', message, remedy };
}

export function problem(check: string, message: string, remedy: string): Finding {
  return { check, state: 'problem', message, remedy };
}

/** Turns an error that a command would show into a finding. */
export function problemOf(check: string, error: unknown): Finding {
  if (!(error instanceof OperatorError)) throw error;
  const { problem: message, remedy } = error;
  return { check, state: 'problem', message, ...(remedy !== undefined && { remedy }) };
}

export function hasProblem(findings: Finding[]): boolean {
  return findings.some(({ state }) => state === 'problem');
}
