import { isPetstoreError, type PetstoreClientError } from '../../../packages/client/src/index.ts';
import { OperatorError } from '../../domain/error.ts';
import { addressOf, type ConnectionOptions } from './connect.ts';

/** Names of the runtime's errors for certificates that it does not accept. */
const invalidNow = /CERT_(?:HAS_EXPIRED|NOT_YET_VALID)/;
const untrusted = /CERT|SIGNATURE/;

/**
 * Runs an action and turns errors of the client into errors for the operator. `codeWhenOff` is what a service responds
 * whose experimental operations are off.
 */
export async function explaining<Options extends ConnectionOptions>(
  action: (options: Options) => Promise<void>,
  options: Options,
  codeWhenOff: 'method_not_allowed' | 'not_found' = 'method_not_allowed',
): Promise<void> {
  try {
    await action(options);
  } catch (error) {
    if (isPetstoreError(error, codeWhenOff)) throw experimentalOff;
    throw isPetstoreError(error) ? explain(error, options.url || addressOf(options)) : error;
  }
}

const experimentalOff = new OperatorError(
  'The experimental operations of this service are off.',
  'Its operator turns them on with petstore serve --experimental, or EXPERIMENTAL=true.',
);

function explain(error: PetstoreClientError, url: string): OperatorError {
  if (isPetstoreError(error, 'network', 'timeout')) {
    const { code = '' } = (error.cause ?? {}) as { code?: string };
    if (invalidNow.test(code)) {
      return new OperatorError(
        `The certificate of ${url} is not valid now (${code}).`,
        'Renew it, and check the clock of this machine.',
      );
    }
    if (untrusted.test(code)) {
      return new OperatorError(
        `The certificate of ${url} is not trusted (${code}).`,
        'Name the file of its authority in NODE_EXTRA_CA_CERTS, or call the service by the name in its certificate.',
      );
    }
    return new OperatorError(
      `No service responds at ${url}.`,
      'Start one with petstore serve, or name another address with --url.',
    );
  }
  if (isPetstoreError(error, 'unauthorized', 'invalid_api_key')) {
    return new OperatorError(
      error.message,
      'Set PETSTORE_API_KEY to a key of this service; petstore keys create --name NAME creates one.',
    );
  }
  return new OperatorError(`${error.message} (${error.code}, request ${error.requestId})`);
}
