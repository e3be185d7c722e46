import { render } from 'preact';
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import type { Key } from '../../client/src/index.ts';
import { connect } from './connect.ts';
import { HelpDialog } from './help-dialog.tsx';
import { forgetKey, forgetTyped, keepKey, readKey } from './session.ts';
import { useShortcuts } from './shortcuts.ts';
import { SignIn } from './sign-in.tsx';
import { Store } from './store.tsx';

const root = document.getElementById('app');
if (root) render(<Console />, root);

function Console() {
  const [apiKey, setApiKey] = useState(readKey);
  const [wasRefused, setWasRefused] = useState(false);
  const [described, setDescribed] = useState<Key>();
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  const client = useMemo(() => (apiKey === undefined ? undefined : connect(apiKey)), [apiKey]);

  const [hash, setHash] = useState(location.hash);
  useEffect(() => addEventListener('hashchange', () => setHash(location.hash)), []);
  const isSales = hash.startsWith('#/sales');

  useShortcuts({ '?': () => setIsHelpOpen(client !== undefined) });
  const use = (key: string | undefined) => {
    setDescribed(undefined);
    setApiKey(key);
  };
  const signIn = (key: string, isRemembered: boolean) => {
    keepKey(key, isRemembered);
    setWasRefused(false);
    use(key);
    scrollTo(0, 0);
  };
  const signOut = () => {
    forgetKey();
    forgetTyped();
    use(undefined);
  };
  const onRefused = useCallback(() => {
    forgetKey(apiKey);
    // A key of this tab, such as one entered in the docs, may hide a key that the browser remembers.
    const remembered = readKey();
    setWasRefused(remembered === undefined);
    use(remembered);
  }, [apiKey]);

  const expiry = tellExpiry(described);
  return (
    <>
      <header class="bar">
        <div class="bar-inner">
          <span class="brand">
            <img class="paw" src="assets/icon.svg" alt="" /> Petstore
          </span>
          {described && <span class="who">Signed in as {described.name}</span>}
          <nav aria-label="Service">
            {client && (
              <>
                <a href="#/" aria-current={isSales ? undefined : 'page'}>
                  Pets
                </a>
                <a href="#/sales" aria-current={isSales ? 'page' : undefined}>
                  Sales
                </a>
              </>
            )}
            <a href="docs">API reference</a>
            {client && (
              <>
                <button
                  type="button"
                  class="quiet help-toggle"
                  aria-keyshortcuts="?"
                  onClick={() => setIsHelpOpen(true)}
                >
                  Shortcuts
                </button>
                <button type="button" class="quiet" onClick={signOut}>
                  Sign out
                </button>
              </>
            )}
          </nav>
        </div>
        {expiry !== undefined && <p class="notice expiry">{expiry}</p>}
      </header>
      {client ? (
        <Store
          key={apiKey}
          client={client}
          hash={hash}
          apiKey={described}
          onDescribed={setDescribed}
          onRefused={onRefused}
        />
      ) : (
        <SignIn onSignIn={signIn} wasRefused={wasRefused} />
      )}
      {isHelpOpen && <HelpDialog onClose={() => setIsHelpOpen(false)} />}
    </>
  );
}

const weekMs = 7 * 24 * 3600_000;

function tellExpiry(key: Key | undefined): string | undefined {
  if (!key?.expiresAt || key.expiresAt.getTime() - Date.now() > weekMs) return undefined;
  const time = key.expiresAt.toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'short' });
  return `Your key expires on ${time}. Ask whoever runs the service for a new one.`;
}
