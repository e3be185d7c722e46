import { OperatorError } from '../../error.ts';

/** What `petstore doctor` found out about one thing. */
export interface Finding {
  check: string;
  state: 'ok' | 'warning' | 'problem';
  message: string;
  /** How to fix it. */
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

/** The error of a command as a finding: its first sentence says what is wrong, the rest what to do. */
export function problemOf(check: string, error: unknown): Finding {
  if (!(error instanceof OperatorError)) throw error;
  const [, message = error.message, remedy] = /^(.+?\.) (.+)$/.exec(error.message) ?? [];
  return { check, state: 'problem', message, ...(remedy !== undefined && { remedy }) };
}
