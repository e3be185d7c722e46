import { useEffect, useRef, useState } from 'preact/hooks';
import { isUnauthorized } from '../client/index.ts';
import { connect, explain } from './connect.ts';

export interface SignInProps {
  onSignIn: (key: string, isRemembered: boolean) => void;
  /** True when the key that was in use is no longer accepted. */
  wasRefused: boolean;
}

export function SignIn({ onSignIn, wasRefused }: SignInProps) {
  const [key, setKey] = useState('');
  const [isRemembered, setIsRemembered] = useState(false);
  const [isChecking, setIsChecking] = useState(false);
  const [problem, setProblem] = useState<string>();
  const field = useRef<HTMLInputElement>(null);

  useEffect(() => field.current?.focus(), []);

  const complain = (message: string) => {
    setProblem(message);
    field.current?.focus();
  };

  const submit = async (event: Event) => {
    event.preventDefault();
    if (isChecking) return;
    const trimmed = key.trim();
    if (!/^[!-~]+$/.test(trimmed))
      return complain('Paste your key here. It begins with “pets_” and has no spaces.');
    setIsChecking(true);
    try {
      await connect(trimmed).listPets({ limit: 1 });
      onSignIn(trimmed, isRemembered);
    } catch (error) {
      setIsChecking(false);
      const { title, advice } = explain(error);
      complain(
        isUnauthorized(error)
          ? 'This key is not accepted. Check that it was copied whole; it may also have expired or been revoked.'
          : `${title}. ${advice.replace(' This page tries again by itself.', '')} Then press Sign in again.`,
      );
    }
  };

  return (
    <main class="sign-in">
      <form onSubmit={(event) => void submit(event)} noValidate class="card">
        <h1>Sign in</h1>
        {wasRefused && (
          <p class="notice" role="alert">
            Your key is no longer accepted, so you were signed out. Sign in with another one.
          </p>
        )}
        <div class="field">
          <label for="key">API key</label>
          <input
            id="key"
            ref={field}
            type="password"
            autocomplete="current-password"
            spellcheck={false}
            value={key}
            onInput={(event) => setKey(event.currentTarget.value)}
            aria-invalid={problem !== undefined}
            aria-describedby="key-help"
          />
          <p id="key-help" class={problem === undefined ? 'help' : 'help wrong'} role="alert">
            {problem ?? 'It begins with “pets_”. Ask the person who runs the service for yours.'}
          </p>
        </div>
        <label class="check">
          <input
            type="checkbox"
            checked={isRemembered}
            onChange={(event) => setIsRemembered(event.currentTarget.checked)}
          />
          <span>
            Remember me on this device
            <small>Otherwise the key is forgotten with this tab.</small>
          </span>
        </label>
        <button type="submit" class="primary" aria-busy={isChecking}>
          {isChecking ? 'Checking…' : 'Sign in'}
        </button>
      </form>
    </main>
  );
}
