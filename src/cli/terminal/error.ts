import { redactKeys } from '../../api-key.ts';
import { OperatorError, PetstoreError } from '../../error.ts';
import { describeError } from '../../log.ts';
import { visible, visibleLines } from './visible.ts';

/** One line for what the operator can fix; everything known about a bug. */
export function explain(error: unknown): string {
  return redactKeys(textOf(error));
}

function textOf(error: unknown): string {
  if (error instanceof OperatorError) return visible(error.message);
  if (!(error instanceof PetstoreError)) return visibleLines(describeError(error));
  const reason = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return visible(`${error.message}${reason}`);
}
