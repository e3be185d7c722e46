import { useCallback, useMemo, useState } from 'preact/hooks';
import { Paw } from './icons.tsx';
import { connect } from './connect.ts';
import { forgetKey, keepKey, readKey } from './session.ts';
import { Shop } from './shop/shop.tsx';
import { SignIn } from './sign-in.tsx';

export function App() {
  const [apiKey, setApiKey] = useState(readKey);
  const [wasRefused, setWasRefused] = useState(false);
  const client = useMemo(() => (apiKey === undefined ? undefined : connect(apiKey)), [apiKey]);

  const signIn = (key: string, isRemembered: boolean) => {
    keepKey(key, isRemembered);
    setWasRefused(false);
    setApiKey(key);
  };
  const signOut = () => {
    forgetKey();
    setApiKey(undefined);
  };
  const onRefused = useCallback(() => {
    forgetKey(apiKey);
    // A key of this tab alone, as the reference takes one for trying, may hide one that the browser remembers.
    const remembered = readKey();
    setWasRefused(remembered === undefined);
    setApiKey(remembered);
  }, [apiKey]);

  return (
    <>
      <header class="bar">
        <div class="bar-inner">
          <span class="brand">
            <Paw /> Petstore
          </span>
          <nav aria-label="Service">
            <a href="docs">API reference</a>
            {client && (
              <button type="button" class="quiet" onClick={signOut}>
                Sign out
              </button>
            )}
          </nav>
        </div>
      </header>
      {client ? (
        <Shop client={client} onRefused={onRefused} />
      ) : (
        <SignIn onSignIn={signIn} wasRefused={wasRefused} />
      )}
    </>
  );
}
