import { createClient, isPetstoreError, type PetstoreClient } from '../client/index.ts';

/** A client of the service that this page came from. */
export function connect(apiKey: string): PetstoreClient {
  return createClient({ baseUrl: new URL('.', location.href).href, apiKey, retryForMs: 2000 });
}

export interface Problem {
  title: string;
  advice: string;
  /** True when trying again by itself may help. */
  isPassing: boolean;
  requestId?: string;
}

/** What to tell a person of an error, and what they can do. */
export function explain(error: unknown): Problem {
  if (isPetstoreError(error, 'network')) {
    return navigator.onLine
      ? {
          title: 'The service cannot be reached',
          advice: 'It may be restarting. This page tries again by itself.',
          isPassing: true,
        }
      : {
          title: 'You are offline',
          advice: 'Check the network of this device. This page goes on as soon as it is back.',
          isPassing: true,
        };
  }
  if (isPetstoreError(error, 'timeout', 'overloaded', 'unavailable', 'rate_limited')) {
    return {
      title: 'The service is busy',
      advice: 'Nothing is lost. This page tries again by itself.',
      isPassing: true,
    };
  }
  const requestId = isPetstoreError(error) ? error.requestId : undefined;
  return {
    title: 'Something went wrong',
    advice: 'Try again. If it stays, tell the person who runs the service.',
    isPassing: false,
    ...(requestId !== undefined && { requestId }),
  };
}
