import { isPetstoreError, isTemporary } from '../../client/src/index.ts';
import { createConsoleClient, type ConsoleClient } from './console-client.ts';

/** A client for the service that this console came from. */
export function connect(apiKey: string): ConsoleClient {
  return createConsoleClient({ baseUrl: new URL('.', location.href).href, apiKey, retryForMs: 2000 });
}

/** What to tell a person about an error. */
export interface Problem {
  title: string;
  advice: string;
  /** True when a retry may help. */
  isTemporary: boolean;
  requestId?: string | undefined;
}

export function toProblem(error: unknown): Problem {
  if (isPetstoreError(error, 'network')) {
    return navigator.onLine
      ? { title: 'The service cannot be reached', advice: 'It may be restarting.', isTemporary: true }
      : { title: 'You are offline', advice: 'Check your network connection.', isTemporary: true };
  }
  if (isTemporary(error))
    return { title: 'The service is busy', advice: 'Nothing is lost.', isTemporary: true };
  return {
    title: 'Something went wrong',
    advice: 'Try again. If it keeps failing, tell whoever runs the service.',
    isTemporary: false,
    requestId: isPetstoreError(error) ? error.requestId : undefined,
  };
}
