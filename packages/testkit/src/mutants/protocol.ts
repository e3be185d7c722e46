import {
  editHeaders,
  editRequest,
  editResponse,
  refuseAs,
  removeHeader,
  withBody,
  withHeader,
  withUrl,
} from './edit.ts';
import { strict } from './mutant.ts';

/** Methods, paths and headers outside the three operations. */
export const protocolMutants = strict([
  {
    number: 196,
    name: 'head-refused',
    description: 'HEAD is 405.',
    wrap: editResponse((response, { method }) =>
      method === 'HEAD' && response.ok ? withBody(response, null, { status: 405 }) : response,
    ),
  },
  {
    number: 197,
    name: 'head-without-etag',
    description: 'HEAD has no ETag, although GET has one.',
    wrap: editHeaders((headers, _response, { method }) => {
      if (method === 'HEAD') headers.delete('ETag');
    }),
  },
  {
    number: 198,
    name: 'method-unknown-404',
    description: 'A method that a path does not have is 404 instead of 405.',
    wrap: editResponse((response) =>
      response.status === 405 ? refuseAs(response, 404, 'not_found') : response,
    ),
  },
  {
    number: 199,
    name: 'allow-missing',
    description: 'A 405 has no Allow.',
    wrap: removeHeader('Allow'),
  },
  {
    number: 200,
    name: 'slash-accepted',
    description: 'A path with a slash at its end is served like the one without.',
    wrap: editRequest((request) =>
      withUrl(request, (url) => (url.pathname = url.pathname.replace(/(?<=.)\/$/, ''))),
    ),
  },
  {
    number: 201,
    name: 'unknown-parameter-refused',
    operation: 'listPets',
    description: 'A list with a query parameter that the API does not know is 400.',
    wrap: editResponse((response, { url }) => {
      const names = [...new URL(url).searchParams.keys()];
      const isKnown = names.every((name) => ['limit', 'status', 'cursor'].includes(name));
      return isKnown || !response.ok ? response : refuseAs(response, 400, 'invalid_parameter');
    }),
  },
  {
    number: 202,
    name: 'request-id-missing',
    description: 'No response has an X-Request-Id.',
    wrap: removeHeader('X-Request-Id'),
  },
  {
    number: 203,
    name: 'request-id-not-echoed',
    description: 'The X-Request-Id of the caller is not used.',
    wrap: editRequest((request) => withHeader(request, 'X-Request-Id', null)),
  },
  {
    number: 204,
    name: 'unknown-path-without-key',
    description: 'An unknown path under /v1 is 404 to a caller without a key.',
    wrap: editResponse((response, { url }) => {
      const isKnown = /^\/v1\/pets(?:\/[^/]+)?$/.test(new URL(url).pathname);
      return response.status === 401 && !isKnown ? refuseAs(response, 404, 'not_found') : response;
    }),
  },
]);
