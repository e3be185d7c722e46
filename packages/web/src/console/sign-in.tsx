import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isTemporary, isUnauthorized } from '../../../client/src/index.ts';
import { connect, tellProblem } from './connect.ts';
import { Field } from './field.tsx';

export interface SignInProps {
  onSignIn: (key: string, isRemembered: boolean) => void;
  /** Why the person was signed out, and what became of the last change. */
  refusal: string | undefined;
}

export function SignIn({ onSignIn, refusal }: SignInProps) {
  const [key, setKey] = useState('');
  const [isRemembered, setIsRemembered] = useState(false);
  const [isChecking, setIsChecking] = useState(false);
  const [problem, setProblem] = useState<string>();
  const field = useRef<HTMLInputElement>(null);

  useLayoutEffect(() => field.current?.focus(), []);

  const complain = (message: string) => {
    setProblem(message);
    field.current?.focus();
  };

  const submit = async (event: Event) => {
    event.preventDefault();
    if (isChecking) return;
    const trimmed = key.trim();
    if (!/^[!-~]+$/.test(trimmed))
      return complain('Enter your API key. It starts with “pets_” and has no spaces.');
    setIsChecking(true);
    try {
      await connect(trimmed).listPets({ limit: 1 });
      onSignIn(trimmed, isRemembered);
    } catch (error) {
      setIsChecking(false);
      complain(messageOf(error));
    }
  };

  return (
    <main class="sign-in">
      <form onSubmit={(event) => void submit(event)} noValidate class="card">
        <h1>Sign in</h1>
        {refusal !== undefined && (
          <p class="notice" role="alert">
            {refusal} Sign in with another key.
          </p>
        )}
        <Field id="key" label="API key" error={problem}>
          <input
            ref={field}
            type="password"
            autocomplete="current-password"
            spellcheck={false}
            value={key}
            onInput={(event) => {
              setKey(event.currentTarget.value);
              setProblem(undefined);
            }}
          />
        </Field>
        <label class="check">
          <input
            type="checkbox"
            checked={isRemembered}
            onChange={(event) => setIsRemembered(event.currentTarget.checked)}
          />
          <span>
            Remember me on this device
            <small class="help">Otherwise the key is forgotten when you close this tab.</small>
          </span>
        </label>
        <button type="submit" class="primary" aria-busy={isChecking}>
          {isChecking ? 'Checking…' : 'Sign in'}
        </button>
        <p class="help">
          No key yet? Ask the person who runs the service. They make one with{' '}
          <code>petstore keys create</code>; the first start of a new store prints one.
        </p>
      </form>
    </main>
  );
}

function messageOf(error: unknown): string {
  if (isUnauthorized(error))
    return 'This key was not accepted. Check that you copied all of it. It may also have expired or been revoked.';
  return `${tellProblem(error)}${isTemporary(error) ? ' Try again in a moment.' : ''}`;
}
