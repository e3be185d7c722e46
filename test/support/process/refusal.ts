import { createProgram } from '../../../src/cli/program.ts';
import { errorText } from '../../../src/cli/terminal/output.ts';
import { OperatorError } from '../../../src/domain/error.ts';
import { failureOf } from '../failure.ts';

/** What the program would end with, if it refuses these arguments. Runs in this process, to start none. */
export async function refusalOf(...args: string[]): Promise<{ status: number; stderr: string }> {
  const error = await failureOf(createProgram().parseAsync(args, { from: 'user' }));
  if (!(error instanceof OperatorError)) throw error;
  return { status: error.exitStatus, stderr: `petstore: ${errorText(error)}\n` };
}
