import { openBrowser, type OpenBrowser } from './browser.ts';
import { ofFile } from './of-file.ts';

/** One browser for all tests of a file. */
export function browserOfFile(): Pick<OpenBrowser, 'browser'> {
  const opened = ofFile(openBrowser);
  return {
    get browser() {
      return opened().browser;
    },
  };
}
