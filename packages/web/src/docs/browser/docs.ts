import { showAddress } from './address.ts';
import { foldContents, markCurrentSection } from './contents.ts';
import { offerCopying } from './copy.ts';
import { offerLanguages } from './languages.ts';
import { offerTrying } from './try.ts';

/** Adds to the docs what needs a script. They can be read in full without it. */

foldContents();
offerLanguages();
const address = showAddress();
offerCopying(document.body);
offerTrying(address);
markCurrentSection();
