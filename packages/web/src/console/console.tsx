import { render } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Key } from '../../../client/src/index.ts';
import { connect } from './connect.ts';
import { HelpDialog } from './help-dialog.tsx';
import { forgetKey, forgetUnsaved, keepKey, readKey } from './session.ts';
import { useShortcuts } from './shortcuts.ts';
import { SignIn } from './sign-in.tsx';
import { SignedIn } from './signed-in.tsx';

const views = { '#/': 'Pets', '#/sales': 'Sales', '#/categories': 'Categories' } as const;

const root = document.getElementById('app');
if (root) render(<Console />, root);

function Console() {
  const [apiKey, setApiKey] = useState(readKey);
  const [refusal, setRefusal] = useState<string>();
  const [described, setDescribed] = useState<Key>();
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  const client = useMemo(() => (apiKey === undefined ? undefined : connect(apiKey)), [apiKey]);

  const [hash, setHash] = useState(location.hash);
  useEffect(() => addEventListener('hashchange', () => setHash(location.hash)), []);
  const view = (['#/sales', '#/categories'] as const).find((start) => hash.startsWith(start)) ?? '#/';

  useShortcuts({ '?': () => setIsHelpOpen(client !== undefined) });
  const use = (key: string | undefined) => {
    setDescribed(undefined);
    setApiKey(key);
  };
  useEffect(() => {
    document.title = `${client ? views[view] : 'Sign in'} · Petstore`;
  }, [client, view]);
  const leaving = useRef(async () => true);
  const signIn = (key: string, isRemembered: boolean) => {
    keepKey(key, isRemembered);
    setRefusal(undefined);
    use(key);
    scrollTo(0, 0);
  };
  const signOut = async () => {
    if (!(await leaving.current())) return;
    forgetKey();
    forgetUnsaved();
    use(undefined);
  };
  const onRefused = useCallback(
    (outcome = '') => {
      forgetKey(apiKey);
      // A key of this tab, such as one entered in the docs, may hide a key that the browser remembers.
      const remembered = readKey();
      const reason = 'You were signed out because your key is no longer accepted.';
      if (remembered === undefined)
        setRefusal((before = '') => (outcome === '' && before !== '' ? before : `${reason} ${outcome}`));
      use(remembered);
    },
    [apiKey],
  );

  return (
    <>
      <header class="bar">
        <div class="bar-inner">
          <span class="brand">Petstore</span>
          {client && (
            <nav class="views" aria-label="Views">
              {Object.entries(views).map(([href, name]) => (
                <a key={href} href={href} aria-current={href === view ? 'page' : undefined}>
                  {name}
                </a>
              ))}
            </nav>
          )}
          <div class="tools">
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
                <button type="button" class="quiet" onClick={() => void signOut()}>
                  Sign out
                </button>
              </>
            )}
            {described && (
              <span class="who">
                <span class="visually-hidden">Signed in as </span>
                {described.name}
              </span>
            )}
          </div>
        </div>
      </header>
      {client ? (
        <SignedIn
          key={apiKey}
          client={client}
          hash={hash}
          apiKey={described}
          onDescribed={setDescribed}
          onRefused={onRefused}
          leaving={leaving}
        />
      ) : (
        <SignIn onSignIn={signIn} refusal={refusal} />
      )}
      {isHelpOpen && <HelpDialog onClose={() => setIsHelpOpen(false)} />}
    </>
  );
}
