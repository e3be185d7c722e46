/**
 * Makes untrusted text safe to print on one line. Characters that move the cursor, change colours or reverse text are
 * escaped as in JSON, so JSON keeps its meaning.
 */
export function visible(text: string): string {
  return text.replace(unsafe, escape);
}

/** Like `visible`, for several lines. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}

/** C0, DEL and C1, other line ends, and controls of text direction. */
const unsafe = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
