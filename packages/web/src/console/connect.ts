import {
  createClient,
  isPetstoreError,
  isTemporary,
  type Fetch,
  type PetstoreClient,
} from '../../../client/src/index.ts';

/** A client for the service that this console came from. */
export function connect(apiKey: string): PetstoreClient {
  const baseUrl = new URL('.', location.href).href;
  return createClient({ baseUrl, apiKey, retryForMs: 2000, fetch: fetchToTheEnd });
}

/** Lets a change made just before the tab closes arrive. Browsers allow that for small bodies only. */
const fetchToTheEnd: Fetch = (url, init) => {
  const isSmallChange =
    (init.method === 'PATCH' || init.method === 'DELETE') && (init.body ?? '').length < 10_000;
  return fetch(url, { ...init, keepalive: isSmallChange });
};

export interface Problem {
  title: string;
  advice: string;
}

export function toProblem(error: unknown): Problem {
  if (isPetstoreError(error, 'network'))
    return navigator.onLine
      ? { title: 'The service cannot be reached', advice: 'It may be restarting.' }
      : { title: 'You are offline', advice: 'Check your network connection.' };
  if (isTemporary(error)) return { title: 'The service is busy', advice: 'Nothing is lost.' };
  // The service knows best why a key may not do this.
  if (isPetstoreError(error, 'forbidden')) return { title: error.message.replace(/\.$/, ''), advice: '' };
  const requestId = isPetstoreError(error) && error.requestId ? ` Request id ${error.requestId}.` : '';
  const advice = `Try again. If it keeps failing, tell the person who runs the service.${requestId}`;
  return { title: 'Something went wrong', advice };
}

/** The whole problem as one text. */
export function tellProblem(error: unknown): string {
  if (isPetstoreError(error, 'invalid_pet', 'invalid_category')) return error.message;
  const { title, advice } = toProblem(error);
  return `${title}. ${advice}`.trimEnd();
}
